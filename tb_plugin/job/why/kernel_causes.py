"""Why does a straggler compute longer? The same kernels against its peers'; the rules stand in `causes.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by, median_by, quantile_by
from tb_plugin.job.own.own_time import told_numbers
from tb_plugin.job.why.cause import Cause
from tb_plugin.job.why.each_peer import with_each_peer
from tb_plugin.job.why.more_work import (
    OfName,
    OnlyTheirs,
    Shapes,
    more_of_each,
    more_work,
    of_longer_calls,
    of_more_calls,
    took_elsewhere,
)
from tb_plugin.job.why.other_shapes import first_that_differs, size_of
from tb_plugin.job.why.range_only_here import range_only_here
from tb_plugin.job.why.received_rows import by_rows
from tb_plugin.job.why.same_grid import explains, larger_by, may_be_larger, may_come_of, times_in_other_shapes

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler

_MOST_OF: Final = 0.6
_HALF: Final = 0.5
_SLOWER: Final = 1.03
_ALIKE: Final = 0.8
"""Share of the time in shapes that are slower by about the same factor, for it to be one factor."""

_COLUMNS: Final = ("step", "shape", "count", "total", "median", "longest", "name")
_FAR_LONGER: Final = 3.0
"""A call that is no more than this times as long as usual, and as its step's others, is no call on its own."""

_FEW_CALLS: Final = 4
"""In a step of a rank."""

_ALL_BUT_FEW: Final = 0.75
"""Of the peers of a step: where more have calls as long, such a call is nobody's own."""

_TELL_A_MEDIAN: Final = 3
"""Of fewer calls one that is held up is the median, or half of it."""

_MANY_TIMES: Final = 10.0
_A_LITTLE: Final = 0.01
"""Of what the peers compute: less of it, taking many times as long, tells no factor but how long it takes."""

_FEW_NAMES: Final = 3
_MOST_ASKED: Final = 8
"""Peers, on what they ran a kernel: thousands are alike."""

_SOME: Final = 0.2
"""Of the time in what others run too: from this on what runs as often tells the factor of all."""


def of_kernels(job: Job, straggler: Straggler, amount: float) -> Cause:
    """Each shape against its peers that ran it. Without a device these are operators."""
    return with_each_peer(job, straggler, _of_kernels(job, straggler, amount))


def _of_kernels(job: Job, straggler: Straggler, amount: float) -> Cause:
    if amount <= 0:
        return Cause(id="kernels", confidence="maybe", amount_ns=amount)
    ran = _rows(job, straggler)
    long = _long_call(job, straggler, ran, _SOME * amount)
    if long is not None and long.amount_ns >= _MOST_OF * amount:
        return replace(long, amount_ns=amount)
    shapes, less = _shapes(job, straggler, ran)
    if shapes is None:
        return Cause(id="kernels", confidence="maybe", amount_ns=amount)
    if within := range_only_here(job, straggler, amount):
        return replace(more_work(shapes, amount, of_more_calls(shapes), less), within=within)
    if not shapes.is_shared.any():
        return Cause(id="more_work", confidence="maybe", amount_ns=amount)
    told = by_rows(_told(shapes, amount, less), job, straggler)
    if long is not None and told.id == "kernels":  # less than most of it is told, but that is
        return long
    if long is None or told.id != "slow_kernels":
        return told
    return replace(told, amount_ns=amount - long.amount_ns, also=long)  # who is slow at all kernels is so in the rest


def has_more_work(job: Job, straggler: Straggler, amount: float) -> bool:
    """Whether kernels that it runs more often than its peers take most of `amount`, however slow it is at all of them."""
    shapes, less = _shapes(job, straggler, _rows(job, straggler))
    return shapes is not None and float(of_more_calls(shapes).sum()) - less.total >= _MOST_OF * amount


def more_often(job: Job, straggler: Straggler) -> tuple[str, ...]:
    """Names of kernels that it runs more often than its peers, most more first."""
    shapes, _ = _shapes(job, straggler, _rows(job, straggler))
    if shapes is None:
        return ()
    more = shapes.n_ran - shapes.usual_n
    return tuple(shapes.name[place] for place in np.argsort(-more)[:3].tolist() if more[place] > 0)


class _Rows(NamedTuple):
    """Of the late steps, of all ranks; columns of `summary.SHAPES`."""

    rank: Int64Array
    step: Int64Array
    shape: Int64Array
    n_ran: Int64Array
    total: Int64Array
    median: Int64Array
    longest: Int64Array
    name: Int64Array


def _rows(job: Job, straggler: Straggler) -> _Rows:
    columns: dict[str, list[Int64Array]] = {name: [] for name in ("rank", *_COLUMNS)}
    for place, each in enumerate(job.of.ranks):
        late = np.isin(each.shapes["step"], np.intersect1d(straggler.late_steps, told_numbers(each)))
        columns["rank"].append(np.full(int(late.sum()), place))
        for column in _COLUMNS:
            columns[column].append(each.shapes[column][late])
    return _Rows(*(np.concatenate(parts) for parts in columns.values()))


class _LongCalls(NamedTuple):
    """`row`: of `_Rows`, of those that peers run too. `more`: what the longest call of each takes longer than a usual one, ns,
    where it is far longer than any.
    """

    row: Int64Array
    more: Float64Array
    usual: Float64Array


def _long_calls(straggler: Straggler, ran: _Rows, usual: Float64Array) -> _LongCalls:
    own, peers = np.isin(ran.rank, straggler.members), np.isin(ran.rank, straggler.peers)
    in_step = group_by(ran.shape, ran.step)
    longest_of_peers = np.nan_to_num(quantile_by(in_step, np.where(peers, ran.longest, np.nan), _ALL_BUT_FEW))[in_step.of]
    known = np.flatnonzero(own & (usual > 0) & (longest_of_peers > 0))
    usual, longest_of_peers = usual[known], longest_of_peers[known]
    if len(known) == 0:
        return _LongCalls(known, np.zeros(0), usual)
    # One that ran once tells less of the others: it may be the one.
    several = ran.n_ran[known] >= _TELL_A_MEDIAN
    tell = several if several.any() else np.ones(len(known), np.bool_)
    factor = max(float(np.median(ran.median[known][tell] / usual[tell])), 1.0)
    is_long = ran.longest[known] > _FAR_LONGER * factor * np.maximum(usual, longest_of_peers)
    is_long &= ~several | (ran.longest[known] > _FAR_LONGER * ran.median[known])
    return _LongCalls(known, np.where(is_long, ran.longest[known] - factor * longest_of_peers, 0.0), usual)


def _usual_median(straggler: Straggler, ran: _Rows) -> Float64Array:
    """Of the peers that ran it, 0 of none."""
    alike, peers = group_by(ran.shape), np.isin(ran.rank, straggler.peers)
    usual: Float64Array = np.nan_to_num(median_by(alike, np.where(peers, ran.median, np.nan)))[alike.of]
    return usual


def _long_call(job: Job, straggler: Straggler, ran: _Rows, least: float) -> Cause | None:
    """Where in a mean late step of a member `least` ns or more are of one call that takes much longer than the longest of all
    but few of its peers in that step, and than all that ran in its own; or of a few, of a kernel each.

    Where others lose as much to theirs, whichever these are, it is nobody's own: processes share cores, say.
    """
    usual_of_all = _usual_median(straggler, ran)
    known, more, usual = _long_calls(straggler, ran, usual_of_all)
    n_steps = len(straggler.members) * len(straggler.late_steps)
    order = np.argsort(-more)[: _FEW_CALLS * n_steps]
    order = order[more[order] > 0]
    total = np.cumsum(more[order])
    if len(order) == 0 or total[-1] < max(least, _FAR_LONGER * _lost_by_others(ran, straggler, usual_of_all)) * n_steps:
        return None
    n_calls = 1 + int(np.searchsorted(total, _MOST_OF * total[-1]))
    if len(distinct(ran.rank[known[order[:n_calls]]])) < len(straggler.members):
        return None
    first, steps = int(order[0]), np.unique(ran.step[known[order[more[order] >= _SOME * more[order[0]]]]])
    row = known[first]
    names = [job.of.ranks[int(ran.rank[row])].summary.names[int(ran.name[row])] for row in known[order[:n_calls]].tolist()]
    took = int(ran.longest[row])
    return Cause(
        id="long_call",
        confidence="sure",
        amount_ns=float(total[-1]) / n_steps,
        factor=took / float(usual[first]),
        kernels=tuple(dict.fromkeys(names)),
        call_ns=took,
        n_calls=max(round(n_calls / (len(straggler.members) * len(steps))), 1),
        steps=tuple(steps.tolist()) if len(steps) < len(straggler.late_steps) else (),
    )


def in_long_calls(job: Job, straggler: Straggler) -> dict[int, float]:
    """What a member computes longer in calls that take many times as long, ns, by the number of the late step."""
    ran = _rows(job, straggler)
    row, more, _ = _long_calls(straggler, ran, _usual_median(straggler, ran))
    by_step = group_by(ran.step[row])
    total = np.bincount(by_step.of, more, minlength=len(by_step)) / len(straggler.members)
    return dict(zip(ran.step[row][by_step.first].tolist(), total.tolist(), strict=True))


def held_up_by_name(job: Job, straggler: Straggler) -> dict[str, float]:
    """What the calls of its late steps that take many times as long take longer, ns in sum, by operator."""
    ran, found = _rows(job, straggler), dict[str, float]()
    row, more, _ = _long_calls(straggler, ran, _usual_median(straggler, ran))
    for at, ns in zip(row.tolist(), more.tolist(), strict=True):
        if ns > 0:
            name, _ = _words(job, ran, at)
            found[name] = found.get(name, 0.0) + ns
    return found


def took_by_name(job: Job, straggler: Straggler) -> dict[str, tuple[float, float]]:
    """Of what it runs as often as its peers: (what it takes, what theirs do) in a mean late step, ns, by operator."""
    shapes, _ = _shapes(job, straggler, _rows(job, straggler))
    found: dict[str, tuple[float, float]] = {}
    if shapes is None:
        return found
    for at in np.flatnonzero(shapes.is_shared & shapes.runs_as_often).tolist():
        own, usual = found.get(shapes.name[at], (0.0, 0.0))
        found[shapes.name[at]] = own + float(shapes.total[at]), usual + float(shapes.usual_total[at])
    return found


def uneven_calls(job: Job, straggler: Straggler) -> tuple[float, float]:
    """By what part the longest call of a kernel takes more than the mean one, of what it computes in its late steps and of what
    its peers do in these.
    """
    ran = _rows(job, straggler)
    alike = group_by(ran.shape, ran.rank)
    n_ran, total = (np.bincount(alike.of, column, len(alike)) for column in (ran.n_ran, ran.total))
    longest, rank = np.zeros(len(alike)), ran.rank[alike.first]
    np.maximum.at(longest, alike.of, ran.longest)
    its, theirs = np.isin(rank, straggler.members), np.isin(rank, straggler.peers)
    own, usual = (float((longest * n_ran)[some].sum()) / max(float(total[some].sum()), 1.0) - 1 for some in (its, theirs))
    return own, usual


def by_long_call(job: Job, straggler: Straggler) -> dict[int, int]:
    """Late steps of which long calls are most of what it computes longer, to the first that is for a call of the same kernel, and
    of about as much. Where more kernels than a few would be told apart, all are one.
    """
    ran = _rows(job, straggler)
    row, more, _ = _long_calls(straggler, ran, _usual_median(straggler, ran))
    late = straggler.excess_ns > 0
    shapes, shape = np.unique(ran.shape[row], return_inverse=True)
    ns = np.zeros((int(late.sum()), len(shapes)))
    np.add.at(ns, (np.searchsorted(straggler.late_steps, ran.step[row]), shape), more / len(straggler.members))
    is_most = ns.sum(axis=1) >= _MOST_OF * straggler.more["computation"][late]
    first_of: dict[int, int] = {}
    for at in np.argsort(-ns.max(axis=1, initial=0.0)).tolist():
        if not is_most[at] or not ns[at].any():
            continue
        as_first = (
            first
            for first in dict.fromkeys(first_of.values())
            if ns[at, its := int(np.argmax(ns[first]))] >= max(_HALF * ns[at].max(), _SOME * ns[first, its])
        )
        first_of[at] = next(as_first, at)
    if len(set(first_of.values())) > _FEW_CALLS:
        first_of = dict.fromkeys(first_of, min(first_of))
    return {straggler.late_steps[at]: straggler.late_steps[first] for at, first in first_of.items()}


def _lost_by_others(ran: _Rows, straggler: Straggler, usual: Float64Array) -> float:
    """What all but few of the other ranks, late or not, lose at most in a mean late step to calls much longer than those
    of most of them, ns.
    """
    its = ~np.isin(ran.rank, straggler.members)
    in_step = group_by(ran.shape, ran.step)
    longest_of_most = np.nan_to_num(median_by(in_step, np.where(its, ran.longest, np.nan)))[in_step.of]
    is_long = its & (usual > 0) & (ran.longest > _FAR_LONGER * np.maximum(usual, longest_of_most))
    lost = np.bincount(ran.rank, np.where(is_long, ran.longest - longest_of_most, 0.0))
    of_each = lost[distinct(ran.rank[its])] / len(straggler.late_steps)
    # Of three the one that loses most is few: of four ranks two may have a long call each, for reasons of their own.
    return float(np.quantile(of_each, _ALL_BUT_FEW, method="lower")) if len(of_each) else 0.0


def _shapes(job: Job, straggler: Straggler, ran: _Rows) -> tuple[Shapes | None, OnlyTheirs]:
    """And what the peers ran of other shapes; None where either ran nothing."""
    rank, _, shape, count, total, median, longest, _ = ran
    is_own, is_peers = np.isin(rank, straggler.members), np.isin(rank, straggler.peers)
    if not is_own.any() or not is_peers.any():
        return None, OnlyTheirs(0.0, 0.0, {})
    groups = group_by(shape)
    n_steps = np.array([np.isin(straggler.late_steps, told_numbers(each)).sum() for each in job.of.ranks])  # of each rank
    names, inputs, times, rows = list[str](), list[str](), list[tuple[float, str]](), list[list[float]]()
    others: list[tuple[float, float, str, str]] = []
    elsewhere = took_elsewhere(job, straggler, shape[is_own], count[is_own])
    for group in range(len(groups)):
        mine, theirs = is_own & (groups.of == group), is_peers & (groups.of == group)
        if not mine.any():
            if theirs.any():
                n, ns = (float(column[theirs].sum() / n_steps[list(straggler.peers)].sum()) for column in (count, total))
                others.append((ns, n, *_words(job, ran, int(np.flatnonzero(theirs)[0]))))
            continue
        for words, word in zip((names, inputs), _words(job, ran, int(np.flatnonzero(mine)[0])), strict=True):
            words.append(word)
        of_each = np.flatnonzero(theirs)[np.unique(rank[theirs], return_index=True)[1][:_MOST_ASKED]].tolist()
        times.append(larger_by(inputs[-1], [_words(job, ran, at)[1] for at in of_each]))
        figures = []
        for which, whose in ((mine, list(straggler.members)), (theirs, np.unique(rank[theirs]))):
            n = max(int(n_steps[whose].sum()), 1)
            figures += [count[which].sum() / n, total[which].sum() / n, np.median(median[which]) if which.any() else 0.0]
        rows.append([*figures, float(np.median(longest[mine])), elsewhere.get(int(shape[groups.first[group]]), np.inf)])
    of_name: dict[str, OfName] = {}
    for ns, n, text, its in sorted(others, reverse=True):
        known = of_name.get(text, OfName(0.0, 0.0, [], 0.0))
        of_name[text] = OfName(known.n_ran + n, known.total + ns, [*known.inputs, its], known.size + n * size_of(its))
    less = OnlyTheirs(sum(n for _, n, *_ in others), sum(ns for ns, *_ in others), of_name)
    return Shapes(names, inputs, times, *np.array(rows, np.float64).T), less


def _words(job: Job, ran: _Rows, at: int) -> tuple[str, str]:
    """(name, inputs) of a row."""
    of = job.of.ranks[int(ran.rank[at])].summary
    return of.names[int(ran.name[at])], of.inputs.get(str(ran.shape[at]), "")


def _told(of: Shapes, amount: float, less: OnlyTheirs) -> Cause:
    """Where a straggler is hardly late, a factor counts from half of what would explain it; where more work explains most of it,
    no factor that explains less does.
    """
    held = of.is_shared & of.runs_as_often
    is_told = (of.n_ran >= _TELL_A_MEDIAN) | (of.median <= _FAR_LONGER * of.usual_median)
    held = held & is_told if (held & is_told).any() else held
    if float(of.total[held].sum()) < _SOME * float(of.total[of.is_shared].sum()):
        held = of.is_shared
        extra = of_more_calls(of)
        if float(extra.sum()) - less.total >= max(_MOST_OF * amount, float(of_longer_calls(of).sum())):
            return more_work(of, amount, extra, less)
    factor, weight = of.median[held] / np.maximum(of.usual_median[held], 1.0), of.median[held] * of.n_ran[held]
    total = float(weight.sum())
    more = more_of_each(of, held, float(np.average(factor, weights=weight)))
    slower, longer = factor > _SLOWER, weight * (1 - 1 / np.maximum(factor, 1e-9))
    has_more, ns_more = more_work(of, amount, more, less), float(more.sum()) - less.total
    if ns_more >= max(_MOST_OF * amount, float(longer[slower].sum())):
        return has_more
    if float(weight[slower].sum()) < (1 - _MOST_OF) / 4 * total:
        if ns_more >= _HALF * amount:
            return has_more
        slower = factor > min(_SLOWER, 1 + _HALF * amount / max(total, 1.0))
    if float(longer[slower].sum()) < _HALF * _HALF * amount:
        return Cause(id="kernels", confidence="maybe", amount_ns=amount)
    usual = of.usual_n[held] * of.usual_median[held]
    counts = slower & ((factor <= _MANY_TIMES) | (usual >= _A_LITTLE * float(usual.sum())))
    common = float(np.average(factor[counts], weights=weight[counts])) if counts.any() else float(factor[np.argmax(longer)])
    like = np.abs(factor - common) <= max(0.25 * (common - 1), 0.02)
    places = np.flatnonzero(held)[np.argsort(-longer)[:3]].tolist()
    worst = tuple(of.name[place] for place in places if slower[np.searchsorted(np.flatnonzero(held), place)])
    in_others = times_in_other_shapes(of, less)
    if larger := _of_larger_input(of, has_more, in_others, np.flatnonzero(held), factor, np.where(slower, longer, 0.0)):
        return larger
    if float(longer[counts].sum()) < _HALF * float(longer[slower].sum()):
        took = float(of.total[places[0]]), float(of.usual_total[places[0]])
        return Cause(id="some_kernels", confidence="sure", amount_ns=amount, factor=common, kernels=worst, took_ns=took)
    if float(weight[like].sum()) >= _ALIKE * total:
        return Cause(id="slow_kernels", confidence="likely", amount_ns=amount, factor=common, kernels=worst)
    return Cause(id="some_kernels", confidence="sure", amount_ns=amount, factor=common, kernels=worst)


def _of_larger_input(
    of: Shapes, has_more: Cause, in_others: float, held: Int64Array, factor: Float64Array, longer: Float64Array
) -> Cause | None:
    """Where most of what takes longer had more input at the same grid, or may have had: that is no slower device. `held`: places
    of shapes; of each of these how many times as long it takes, and ns of that. Where shapes are not kept, and what runs on other
    shapes has so many times as much input, `in_others`, that it tells of these too: `has_more`.
    """
    amount = has_more.amount_ns
    order = np.argsort(-longer)[: np.count_nonzero(longer > 0)].tolist()
    larger = [at for at in order if explains(of.times[held[at]][0], float(factor[at]))]
    if larger and float(longer[larger].sum()) >= _MOST_OF * float(longer.sum()):
        places = {of.name[place]: place for place in held[larger[::-1]].tolist()}  # of a name the one that takes most
        told = list(places.items())[::-1][:_FEW_NAMES]
        shapes = tuple(first_that_differs(of.inputs[place], of.times[place][1]) for _, place in told)
        kernels = tuple(name for name, _ in told)
        return Cause(id="more_work", confidence="likely", amount_ns=amount, kernels=kernels, shapes=shapes)
    may_be = [at for at in order if may_be_larger(of.name[held[at]], of.inputs[held[at]])]
    others = [at for at in order if at not in may_be]
    if not may_be or float(longer[may_be].sum()) < _MOST_OF * float(longer.sum()):
        return None
    usual = float(np.average(factor[may_be], weights=longer[may_be]))
    if (factor[others] >= 1 + _HALF * (usual - 1)).any():  # so is what has a block for each tile: the device
        return None
    come = [at for at in may_be if may_come_of(of.name[held[at]], in_others, float(factor[at]))]
    if float(longer[come].sum()) >= _MOST_OF * float(longer.sum()):
        return has_more
    kernels = tuple(dict.fromkeys(of.name[place] for place in held[may_be].tolist()))[:_FEW_NAMES]
    return Cause(id="some_kernels", confidence="maybe", amount_ns=amount, factor=usual, kernels=kernels, may_be_input=True)
