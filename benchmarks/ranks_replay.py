"""Bubbles, the critical path, and what a step would be: checks 16 to 18, and 20."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from ranks_blame import faults_of
from ranks_jobs import DIMENSIONS, Line, Recorded, declined, held

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.replay.replay import Replay
from tb_plugin.job.what_if.what_if import without, without_slow_link
from tb_plugin.job.what_if.what_if_asked import Edited, steps_if
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.trace.rank.order import STEP
from tb_plugin.views.ranks.rows.path_rows import ends_on_several
from tb_plugin.views.ranks.what_if.what_if import why_not

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ranks_matching import Pair

    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.own.pipeline import Pipeline
    from tb_plugin.job.replay.critical_path import Piece

_LEADS = 0.1
"""Of the step."""


class CountedAsTruth(Replay):
    """The same replay, its steps as the truth counts them: from where the first rank begins one, and the last to the last end."""

    def step_bounds(self, time: Float64Array) -> dict[int, tuple[float, float]]:
        """By number."""
        ends = np.flatnonzero(self.kind == STEP)
        numbers = distinct(self.what[ends]).tolist()  # before the first is what a rank's first step begins with
        first = [float(time[3 * ends[self.what[ends] == number]].min()) for number in numbers]
        last = float(time[3 * ends[self.what[ends] == numbers[-1]]].max())
        return dict(zip(numbers[1:], itertools.pairwise([*first[:-1], last]), strict=True))


def counted_as_truth(of: Replay) -> CountedAsTruth:
    """With the same graph."""
    return CountedAsTruth(**{each.name: getattr(of, each.name) for each in fields(Replay)})


def bubbles(one: Recorded, found: Pipeline, pairs: Sequence[Pair]) -> Line:
    """Of each rank and step the window, warm-up, steady and drain. Left out: a rank in the step in which it lost a kernel."""
    lost = {(rank, pair.met.step) for pair in pairs if pair.instance is None for rank in pair.met.ranks}
    worst, n_held = 0.0, 0
    for row in one.truth["rank_steps"]:
        if (row["rank"], row["step"]) in lost:
            continue
        wanted, at, step = row["bubble_ns"], one.of.job.of.numbers.index(row["rank"]), row["step"]
        parts = {"warm_up": found.warm_up, "steady": found.steady, "drain": found.drain}
        off = [abs(float(part[at, step]) - wanted[name]) for name, part in parts.items()]
        off.append(abs(float(found.window[step]) - wanted["window"]))
        worst, n_held = max(worst, max(off) / wanted["window"]), n_held + 1
    ours = f"{worst:.4%} of the window off at most, {n_held} of {len(one.truth['rank_steps'])} ranks and steps"
    return held(16, "bubble's parts of a rank and step", one.name, "within 1 %", ours, good=worst <= 0.01 and n_held > 0)


def paths(one: Recorded, of: Replay) -> list[Line]:
    """The sum is the step; by class within 2 % of it; the first rank, where one leads.

    The truth's path reaches back to where the first rank began the step, so what was done ahead counts in it.
    """
    bounds, shared = of.step_bounds(of.recorded), ends_on_several(one.of)
    adds_up = len(one.of.paths) == len(one.truth["critical_path"])
    worst, ranks, tied = 0.0, [], 0
    for path, wanted in zip(one.of.paths, one.truth["critical_path"], strict=False):
        chain = [*path.ahead, *path.pieces]
        adds_up &= (path.pieces[0].start, path.pieces[-1].end) == bounds[path.step]
        adds_up &= all(before.end == after.start for before, after in itertools.pairwise(chain))
        worst = max(worst, _off_by_class(one, chain, wanted))
        first, second = (*sorted(wanted["by_rank_ns"].values(), reverse=True), 0)[:2]
        if first - second < _LEADS * wanted["total_ns"]:
            continue
        by_rank: Counter[str] = Counter()
        for piece in chain:
            by_rank[str(one.of.job.of.numbers[piece.rank])] += round(piece.end - piece.start)
        leader = max(wanted["by_rank_ns"], key=wanted["by_rank_ns"].__getitem__)
        on_several = sum(round(piece.end - piece.start) for piece in chain if piece.row in shared)
        # Whose rank the chain goes on by after what ends on several at once is chance: it has to be more than a lead.
        is_chance = by_rank.most_common(1)[0][0] != leader and on_several >= first - second
        tied += is_chance
        if not is_chance:
            ranks.append(by_rank.most_common(1)[0][0] == leader)
    ours = f"{worst:.2%} of the step off at most; sums are {'' if adds_up else 'NOT '}the steps to the ns"
    found = [held(17, "critical path by class", one.name, "sum exact, within 2 %", ours, good=adds_up and worst <= 0.02)]
    if ranks:
        ours = f"{sum(ranks)} of {len(ranks)} steps in which one leads by 10 %"
        found.append(held(17, "its first rank", one.name, "equal", ours, good=all(ranks)))
    if tied:
        why = f"{tied} steps: what ends on several ranks within the clocks' error decides, and the page says 'several'"
        found.append(declined(17, "its first rank", one.name, "equal", why))
    return found


def _off_by_class(one: Recorded, chain: list[Piece], wanted: dict[str, Any]) -> float:
    """Of the step, the largest over classes. Transfers have no dimension where groups have no names."""
    classes: Counter[str] = Counter()
    for piece in chain:
        dimension = NOT_RECORDED
        if piece.row != NONE:
            dimension = one.of.dimensions.names[int(one.of.dimensions.of_group[one.of.job.rows.group[piece.row]])]
        classes[piece.what + ("" if dimension == NOT_RECORDED else f":{dimension}")] += round(piece.end - piece.start)
    for key, ns in wanted["by_class_ns"].items():
        what, _, short = key.partition(":")
        has_dimension = short and one.names_groups
        name = f"{what}:{DIMENSIONS[short]}" if has_dimension else what
        classes[name if name in classes or not has_dimension else f"{what}:{one.dimension(short)}"] -= ns
    return max(map(abs, classes.values())) / int(wanted["total_ns"])


def what_if(one: Recorded, of: Replay) -> list[Line]:
    """Each step without the fault, with all transfers free and half as long. Counted as the truth does."""
    truth, job = one.truth["what_if_step_ns"], one.of.job
    share = 0.01 if one.truth["arguments"]["cuda_sync"] else 0.02
    replay = counted_as_truth(of)
    found = []
    for fault in faults_of(one):
        if fault.who is None and one.of.links.slow is not None:
            slow = one.of.links.slow
            quick = without_slow_link(replay, job, slow)
            shown = one.of.without_slow_link
        else:
            mine = [each for each, named in zip(one.of.stragglers, one.table.blamed, strict=True) if named.name == fault.who]
            quick = without(replay, job, one.of.own, one.of.layout, [mine[0][:2]]) if mine else None
            shown = mine[0][2] if mine else None
        what = f"without {fault.who or 'the slow link'}"
        if quick is None or shown is None:
            found.append(held(18, what, one.name, f"each step within {share:.0%}", "cannot be told", good=False))
        else:
            found.append(_steps(one, what, quick.would_be, shown.would_be, truth["none"], share))
    for edit, key in (("transfer=0", "transfers take no time"), ("transfer=0.5", "transfers take half")):
        both = [
            steps_if(Edited(each, job, one.of.own, one.of.layout, one.of.dimensions, one.of.links, one.of.faults), [edit])[0]
            for each in (replay, of)
        ]
        found.append(_steps(one, edit, both[0], both[1], truth[key], share))
    return found


def _steps(one: Recorded, what: str, mine: dict[int, float], shown: dict[int, float], truth: Sequence[int], share: float) -> Line:
    """`mine`: counted as the truth is; `shown`: as the page has it, from last rank to last rank, whose mean is held too."""
    off = {number: mine[number] / truth[place] - 1 for place, number in enumerate(one.truth["step_numbers"]) if number in mine}
    mean = float(np.mean(list(shown.values()))) / float(np.mean(truth)) - 1
    worst = max(off.values(), key=abs)
    ours = f"{worst:+.2%} at most in a step, mean {np.mean(list(shown.values())) / 1e6:.2f} of {np.mean(truth) / 1e6:.2f} ms"
    good = len(off) == len(truth) and abs(worst) <= share and abs(mean) <= share
    return held(18, what, one.name, f"each step within {share:.0%}", ours, good=good)


def unchanged(one: Recorded, of: Replay | None) -> Line:
    """The replay of no edit against the steps as recorded, from last rank to last rank, and where they are known against
    the true ones.
    """
    what, asked = "replay without change", "each step within 1 %, else no what-if"
    if of is None:
        return declined(20, what, one.name, asked, f"none is given: {why_not(one.of)}")
    again = of.steps(of.lag, of.own)
    was = of.step_lengths(of.recorded)
    off = [abs(length / was[number] - 1) for number, length in again.items()]
    true = counted_as_truth(of).steps(of.lag, of.own)
    off_true = [
        abs(true[number] / one.truth["step_ns"][place] - 1)
        for place, number in enumerate(one.truth.get("step_numbers", ()))
        if number in true
    ]
    ours = f"{max(off):.3%} off the recorded steps at most" + (f", {max(off_true):.3%} off the true ones" if off_true else "")
    good = set(again) == set(of.told_steps.tolist()) and max([*off, *off_true]) <= 0.01
    return held(20, what, one.name, asked, ours, good=good)
