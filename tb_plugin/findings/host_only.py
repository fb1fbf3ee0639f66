"""Of a recording without a device: what the host did, in words, and under which of the user's lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE
from tb_plugin.compute.coverage import times_of
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.intervals import EMPTY, Merged, intersect, join, length, subtract
from tb_plugin.findings.idle_lines import BUILT_IN
from tb_plugin.findings.source import place_of
from tb_plugin.trace.kinds import DATA_LOADER_NAME, STEP_NAME, Kind
from tb_plugin.trace.modules.call_sites import split_frame
from tb_plugin.trace.scope.recorded import STACKS
from tb_plugin.trace.times.breakdown import PARTS, WAITING_NAME, activity, breakdowns
from tb_plugin.trace.times.operator_families import operator_families
from tb_plugin.trace.track_names import main_tracks
from tb_plugin.trace.work.taxonomy import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array
    from tb_plugin.findings.facts import Facts
    from tb_plugin.trace.work.taxonomy import CategoryInfo

_PARTS_NAMED: Final = 3
_MOST: Final = 0.5
"""Of the time: a line with less is one of many."""

_ALL: Final = 0.95
_SOME: Final = 0.02
"""Of a function's own calls: lines of it that ran outside of them are its backward's."""


def what_it_did(facts: Facts) -> str:
    """`communication 89.3 %, matrix multiply 6.2 %`: the largest parts of the overview's charts, operators by what they do;
    what waits in Python is told by its call.
    """
    t0_ns, t1_ns = facts.window
    pieces = activity(facts.trace, {}, facts.is_collective)
    time_ns = breakdowns(pieces, t0_ns, t1_ns).sum(axis=0)
    time_ns[PARTS.index("other_host")] = 0
    operators_ns = operator_families(facts.trace, pieces, t0_ns, t1_ns).sum(axis=0)
    has_stacks = STACKS.is_there(facts.trace)
    some_ran = join(EMPTY, *(times_of(pieces, part) for part in range(pieces.n_categories)))
    idle = subtract(facts.window, some_ran)
    waits = _waits(facts, idle)
    time_ns[PARTS.index("idle")] -= sum(waits.values())
    words = {"idle": "nothing that was recorded" if has_stacks else "no operator"}
    names = [*(words.get(part, part.replace("_", " ")) for part in PARTS), *map(_operators, CATEGORIES), *waits]
    shares = np.concatenate((time_ns, operators_ns, np.array([*waits.values()], np.float64))) / max(facts.window_ns, 1)
    named = _largest(names, shares)
    stacks = "with" if has_stacks else "without"
    around, inside = _around(facts, idle), _inside(facts)
    told = around or inside if facts.share(length(idle)) >= _MOST else inside or around
    return f"{named or 'nothing'} ({stacks} Python stacks{told}{_most(facts, inside)})"


def waiting_word(name: str) -> str:
    """`sleeping` or `waiting in acquire`, of a call in which a thread rests; of others nothing."""
    if not WAITING_NAME.match(name):
        return ""
    called = BUILT_IN.match(name)
    return "" if called is None else "sleeping" if called["name"] == "sleep" else f"waiting in {called['name']}"


def _waits(facts: Facts, idle: Merged) -> dict[str, int]:
    """`{"sleeping in save (train.py:60)": ns}`: what waited while nothing ran, an instant of two once."""
    rows = facts.in_window(facts.named(WAITING_NAME.match, Kind.PYTHON))
    rows = rows[np.isin(facts.trace.events.track[rows], list(main_tracks(facts.trace)))]
    groups = group_by(facts.trace.events.name_id[rows])
    mine = [rows[groups.of == group] for group in range(len(groups))]
    found: dict[str, int] = {}
    for each in sorted(mine, key=lambda each: -int(facts.duration(each).sum())):
        waited = intersect(facts.union_of(each), idle)
        idle = subtract(idle, waited)
        place = place_of(facts, each)
        words = waiting_word(facts.name(int(each[0]))) + (f" in {place}" if place else "")
        found[words] = found.get(words, 0) + length(waited)
    return found


def _most(facts: Facts, inside: str) -> str:
    """`; under forward (train.py:10) with its backward 86.0 %`: the user's function with most of the time, where that is most
    of it. One that holds all tells nothing where a range tells more: `inside`.
    """
    line = facts.host_lines[0] if facts.has(Kind.PYTHON) and facts.host_lines else None
    if line is None or facts.share(line.idle_ns) < _MOST:
        return ""
    try:
        file, number, function = split_frame(line.text)
    except ValueError:  # an operator or a range: no line of the user is around it
        return ""
    if inside and facts.share(line.idle_ns) >= _ALL:
        return ""
    called = facts.union_of(facts.named(line.text.__eq__, Kind.PYTHON))
    elsewhere = length(subtract(intersect(facts.union_of(line.rows), facts.window), called))
    also = " with its backward" if elsewhere > _SOME * length(called) else ""
    return f"; under {function} ({file}:{number}){also} {percent(facts.share(line.idle_ns))}"


def _inside(facts: Facts) -> str:
    """`; in Optimizer.step#Adam.step 88.7 %`: of the file's ranges that hold most of the time the smallest."""
    rows = facts.in_window(facts.named(lambda name: not (STEP_NAME.match(name) or DATA_LOADER_NAME.match(name)), Kind.ANNOTATION))
    ids = facts.trace.events.name_id[rows]
    shares = {each: facts.share(facts.window_part(facts.union_of(rows[ids == each]))) for each in distinct(ids).tolist()}
    least = min((each for each in shares if shares[each] >= _MOST), key=lambda each: shares[each], default=NONE)
    return "" if least == NONE else f"; in {facts.trace.text(least)} {percent(shares[least])}"


def _around(facts: Facts, idle: Merged) -> str:
    """`; in ## backward ## without an operator 45.1 %`: the user's range in which half of this time and more lies."""
    rows = facts.named(lambda name: STEP_NAME.match(name) is None, Kind.ANNOTATION)
    ids = facts.trace.events.name_id[rows]
    inside = {each: length(intersect(facts.union_of(rows[ids == each]), idle)) for each in distinct(ids).tolist()}
    most = max(inside, key=lambda each: inside[each], default=NONE)
    if most == NONE or 2 * inside[most] < length(idle) or inside[most] == 0:
        return ""
    return f"; in {facts.trace.text(most)} without an operator {percent(facts.share(inside[most]))}"


def _operators(category: CategoryInfo) -> str:
    return "operators of no known kind" if category.id == "other" else category.title.lower()


def _largest(names: Sequence[str], shares: Float64Array) -> str:
    """`communication 89.3 %, matrix multiply 6.2 % and reduction 1.1 %`."""
    largest = np.argsort(-shares, kind="stable")[:_PARTS_NAMED].tolist()
    *first, last = [f"{names[at]} {percent(shares[at])}" for at in largest if shares[at] >= 0.005] or [""]
    return " and ".join([", ".join(first), last]) if first else last
