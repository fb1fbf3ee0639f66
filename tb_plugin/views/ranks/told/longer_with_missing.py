"""Whose file, which is missing, not whole or without device work, is to be looked at first, where nobody else is late: ranks are
long in what they do with it.

    longer than others   untold(row) - median transfer of rows of the same dimension, kind and size whose collectives are whole
    longer than usual    no such rows: untold(row) - median untold of the same row of its rank in other steps
    long                 nor much longer than usual: untold(row); of sends and receives over what whole ones take to move data

A collective that lacks a member is waiting or moving data, not told apart; what it takes longer than its like elsewhere is
waiting. Of the other two it is said that it may be either: a step's one long transfer, or a link that is slow for all. So what
is as long in each step is said where it is a large part of the step, for a sound job moves data too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.intervals import EMPTY, Merged, covers, intersect, join, length, union
from tb_plugin.job.matching.positions import run_starts
from tb_plugin.views.ranks.basis.names import counted, per_step
from tb_plugin.views.ranks.missing.missing import as_ranges, is_among, not_here, not_whole_in_any, the_world
from tb_plugin.views.ranks.missing.no_device import has_no_device_work
from tb_plugin.views.ranks.result import Lead

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed

_NOTABLE: Final = 0.05
_NOTABLE_UNTOLD: Final = 0.1
_MORE_THAN_MOVING_DATA: Final = 0.3
_NEARLY_ALL: Final = 0.9
_MOSTLY: Final = 0.5
_SOME: Final = 0.1
_MOST_NAMED: Final = 4


class _Rows(NamedTuple):
    """Of collectives that lack a member, in the steps that are told."""

    at: Int64Array
    over_others: Float64Array  # 0 where there is nothing like it
    over_usual: Float64Array  # 0 where there is something like it
    untold: Float64Array  # the same
    of_pairs: Float64Array  # of it what is between two


def missing_first(of: Analysed, step_ns: float, elsewhere: set[int]) -> list[tuple[str, Lead]]:
    """One sentence, where one rank is so long in these, and nearly all of that is with the same few; it leads to that rank.
    `elsewhere`: numbers of ranks of another job, whose files are here.
    """
    if not are_any_gone(of) or not len(of.own.number):
        return []
    rows = _rows(of)
    others, usual, long, pairs = (_of_steps(of, rows.at, ns) for ns in rows[1:])
    most, ns = _most(others)
    if ns >= _NOTABLE * step_ns:
        if not (told := _with_whom(of, rows.at, rows.over_others)):
            return []
        whom, whose = _named(of, told, elsewhere)
        text = f"Waiting that is not told apart is nearly all in collectives with {whom}, {whose}"
        longer = f"rank {of.job.of.numbers[most]} is in these {format_ns(ns)}{per_step(of)} longer than others in theirs"
        return _found(of, f"{text}: {longer}. Look at {whom} first.", most, others)
    most, ns = _most(long)
    told = _with_whom(of, rows.at, rows.untold)
    clear = float((usual + pairs)[most].mean())
    if clear < _NOTABLE_UNTOLD * step_ns and ns < _MORE_THAN_MOVING_DATA * step_ns:
        return []
    if not 0 < len(told) < len(of.job.of.ranks):
        return []
    whom, whose = _named(of, told, elsewhere)
    rank, its = f"rank {of.job.of.numbers[most]}", "their files" if len(told) > 1 else "its file"
    its = its if all(is_among(rank, not_here(of)) and rank not in elsewhere for rank in told) else whom
    text = f"What is not told apart, waiting for {whom} or moving data, is nearly all in collectives with {whom}, {whose}"
    more = float(usual[most].mean())
    if more < _MOSTLY * ns:
        return _found(of, f"{text}: {rank} is in these {_share(of, ns, step_ns)}. Look at {its} first.", most, long)
    longest = int(usual[most].argmax())
    alone = float(usual[most, longest])
    is_once = alone >= _NEARLY_ALL * usual[most].sum()
    longer = f"{format_ns(alone)} longer in step {of.own.number[longest]}" if is_once else f"{format_ns(more)} a step longer"
    than = "other steps" if is_once else "its shorter steps"
    return _found(of, f"{text}: {rank} is in these {longer} than in {than}. Look at {its} first.", most, usual)


def _share(of: Analysed, ns: float, step_ns: float) -> str:
    return f"for {format_ns(ns)}{per_step(of)} ({percent(ns / step_ns)} of the mean step)"


def _found(of: Analysed, text: str, most: int, of_steps: Float64Array) -> list[tuple[str, Lead]]:
    step = int(of.own.number[of_steps[most].argmax()])
    return [(text, Lead(ranks=[of.job.of.numbers[most]], step=step, table="collective"))]


def are_any_gone(of: Analysed) -> bool:
    return length(_gone_ranks(of)) > 0


def _gone_ranks(of: Analysed) -> Merged:
    """Numbers of those without a file, or without device work in it, or whose file lacks some that others have."""
    return join(_gone_altogether(of), as_ranges(not_whole_in_any(of)))


def _gone_altogether(of: Analysed) -> Merged:
    return join(not_here(of), as_ranges([of.job.of.numbers[place] for place in of.job.of.lack_device]))


def _named(of: Analysed, told: list[int], elsewhere: set[int]) -> tuple[str, str]:
    files, are = ("files", "are") if len(told) > 1 else ("file", "is")
    gone, absent = _gone_altogether(of), {rank for rank in told if is_among(rank, not_here(of))}
    lacks = [f"{are} missing"] if absent - elsewhere else []
    lacks += [f"{are} of another job"] if absent & elsewhere else []
    without = [rank for rank in told if rank not in absent and is_among(rank, gone)]
    lacks += [has_no_device_work(of, without, are_many=len(told) > 1)] if without else []
    lacks += [] if all(is_among(rank, gone) for rank in told) else [f"{are} not whole"]
    return counted("rank", told), f"whose {files} {' or '.join(lacks)}"


def _most(of_steps: Float64Array) -> tuple[int, float]:
    mean = of_steps.mean(axis=1)
    return int(mean.argmax()), float(mean.max())


def _of_steps(of: Analysed, at: Int64Array, ns: Float64Array) -> Float64Array:
    """[rank, step]: what nothing hides of it, at most."""
    rows, n = of.job.rows, len(of.own.number)
    place = rows.rank[at] * n + np.searchsorted(of.own.number, rows.step[at])
    found = np.bincount(place, ns, n * len(of.job.of.ranks)).astype(np.float64).reshape(-1, n)
    return np.minimum(found, np.nan_to_num(of.own.untold))


def _with_whom(of: Analysed, at: Int64Array, ns: Float64Array) -> list[int]:
    """The few that are missing in nearly all of it: each of them, else all of them together."""
    job, gone, total = of.job, _gone_ranks(of), float(ns.sum())
    lacking = list[tuple[Merged, float]]()
    both = group_by(job.rows.group[at], np.where(job.rows.is_between_two[at], job.rows.peer[at], NONE))
    for first, of_both in zip(both.first.tolist(), np.bincount(both.of, ns, len(both)).tolist(), strict=True):
        lacking.append((intersect(gone, _members(of, int(at[first]))), of_both))
    told, some = (_with(lacking, least * total) if total > 0 else EMPTY for least in (_NEARLY_ALL, _SOME))
    together = sum(its for ranks, its in lacking if length(intersect(ranks, some)))
    told = told if length(told) else some if together >= _NEARLY_ALL * total else EMPTY
    few = told if length(told) <= _MOST_NAMED else EMPTY
    return [rank for low, end in zip(few.start.tolist(), few.end.tolist(), strict=True) for rank in range(low, end)]


def _with(lacking: list[tuple[Merged, float]], least: float) -> Merged:
    """Ranks that lack in so much of it. Between two edges all are alike, so that nobody counts them out."""
    edges = distinct(np.concatenate([np.empty(0, np.int64), *(edge for ranks, _ in lacking for edge in ranks)]))
    its = np.zeros(len(edges))
    for ranks, ns in lacking:
        for low, end in zip(np.searchsorted(edges, ranks.start), np.searchsorted(edges, ranks.end), strict=True):
            its[low:end] += ns
    enough = np.flatnonzero(its[:-1] >= least)
    return union(edges[enough], edges[enough + 1])


def _members(of: Analysed, row: int) -> Merged:
    """Of a row's collective, as far as that is known: of all of the world where so many are told."""
    job = of.job
    if job.rows.is_between_two[row]:
        return as_ranges([int(job.rows.peer[row])])
    instance, world = job.matched.of[row], job.of.world_size or 0
    all_of_it = the_world(of) if instance != NONE and job.matched.n_members[instance] == world else EMPTY
    named = job.table.groups[job.rows.group[row]].ranks
    return as_ranges(named) if named else all_of_it


def _rows(of: Analysed) -> _Rows:
    job, rows = of.job, of.job.rows
    use = np.flatnonzero(rows.is_there & (job.matched.of != NONE) & np.isin(rows.step, of.own.number))
    like = group_by(of.dimensions.of_rows(rows.group[use]), rows.kind[use], rows.size[use])
    untold, transfer = job.waits.untold[use].astype(np.float64), job.waits.transfer[use].astype(np.float64)
    is_pair = rows.is_between_two[use]  # which waits by design: a pipeline's bubble is no more than its like
    is_whole = job.waits.is_known[use] & (untold == 0)
    usual = _medians(like.of, transfer, len(like), is_whole)[like.of]
    has_like = (np.isfinite(usual) & ~is_pair) | is_whole
    long = np.where(has_like, 0.0, np.maximum(untold - np.where(is_pair & np.isfinite(usual), usual, 0.0), 0.0))
    is_part = is_pair & ~covers(_gone_altogether(of), rows.peer[use])  # of whose file is not whole it waits as in others
    long[is_part] = 0.0
    again = _of_other_steps(of, use)
    over_usual = untold - _medians(again, untold, len(use), ~is_whole & ~is_pair)[again]
    return _Rows(
        at=use,
        over_others=np.where(has_like & ~is_whole, np.maximum(untold - usual, 0.0), 0.0),
        over_usual=np.where(has_like, 0.0, np.maximum(over_usual, 0.0)),
        untold=long,
        of_pairs=np.where(is_pair, long, 0.0),
    )


def _of_other_steps(of: Analysed, use: Int64Array) -> Int64Array:
    """Of each row, which row of its rank it is in other steps: the first such one of a step, the second ..."""
    rows = of.job.rows
    same = group_by(*(column[use] for column in (rows.rank, rows.group, rows.peer, rows.kind, rows.size, rows.step))).of
    order = np.argsort(same, kind="stable")
    nth = np.empty(len(use), np.int64)
    nth[order] = np.arange(len(use)) - run_starts(same[order])
    return group_by(*(column[use] for column in (rows.rank, rows.group, rows.peer, rows.kind, rows.size)), nth).of


def _medians(of: Int64Array, values: Float64Array, n: int, use: BoolArray) -> Float64Array:
    """The lower ones, of each group's rows in `use`; infinite where it has none."""
    order = np.lexsort((values, of))
    order = order[use[order]]
    count = np.bincount(of[order], minlength=n)
    found = np.full(n, np.inf)
    some = count > 0
    found[some] = values[order][(np.cumsum(count) - count + (count - 1) // 2)[some]]
    return found
