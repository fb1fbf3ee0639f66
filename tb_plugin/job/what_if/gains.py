"""Who is late and makes no step longer: without it, alone or beside all else that is told, a step would take as long.

    rank 1   |compute        |wait|      0.3 ms more than its peers, while rank 0 is waited for
    rank 0   |loader | compute    |

That is no cause of anything, and is told without blame. Of two that are equally late neither alone makes a step shorter, but both
do: each gains beside the other. Nobody is asked who is late for what a replay cannot take off it. A
host that stands still while its device waits may wait, too: nobody gains nothing because of that.

Who is late is told in the order of what a step would be shorter without it (`by_gain`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.what_if.what_if import Without
    from tb_plugin.job.why.cause import Cause

NOTHING: Final = 0.005
"""Of its late steps: what is said in whole per cent is then none, and nobody is blamed for it."""

_MOSTLY: Final = 0.5
_HALF: Final = 0.5
_SEVERAL_STEPS: Final = 4
_NO_REASON: Final = ("pause", "idle", "kernels")

Late = tuple["Straggler", "Cause", "Without | None"]
Repaired = Callable[[Sequence[tuple["Straggler", "Cause"]], bool], "Without | None"]
"""Steps without all of these, and with usual links or not."""


def without_gain(found: Sequence[Late], has_links: bool, repaired: Repaired) -> list[Late]:
    """Those of `found`. `has_links`: some links are slow. `repaired`: with hosts that wait for nothing (`but_waiting`)."""
    told = [(one, cause) for one, cause, without_it in found if without_it is not None]
    kept = list[Late]()
    for each in found:
        one, cause, without_it = each
        if not _is_taken(one, without_it) or _gains(one, None, without_it) or _gains(one, None, repaired([(one, cause)], False)):
            continue
        rest = [other for other in told if other[0] is not one]
        if not (rest or has_links) or not _gains(one, repaired(rest, has_links), repaired(told, has_links)):
            kept.append(each)
    return kept


def by_gain(found: Sequence[Late], number: Int64Array, every: Without | None) -> list[Late]:
    """By what a step would be shorter without each, where a replay tells, of what is alike the largest total excess first. Who is
    late in a single step, of several, for a reason that no event gives is behind who is late in most: it may be chance.

    Where another one is late in a step, by half as much or more, neither alone makes it shorter: so much counts as `every` one of
    them together, up to its excess. `number`: of the steps.
    """
    has_lasting = any(one.is_persistent and not may_be_chance(one, cause, len(number)) for one, cause, _ in found)

    def place(each: Late) -> tuple[bool, bool, int, float]:
        one, cause, without_it = each
        is_behind, lost = has_lasting and may_be_chance(one, cause, len(number)), -float(one.excess_ns.sum())
        if without_it is None:
            return is_behind, True, 0, lost
        others = np.max([other.excess_ns for other, *_ in found if other is not one] or [0.0 * one.excess_ns], axis=0)
        gain = 0.0
        for step, was in without_it.was.items():
            gained = was - without_it.would_be[step]
            its = one.excess_ns[number == step].sum()
            if every is not None and step in every.was and its > 0 and others[number == step].sum() >= _HALF * its:
                gained = max(gained, min(float(its), every.was[step] - every.would_be[step]))
            gain += gained
        return is_behind, False, -round(gain / (NOTHING * max(sum(without_it.was.values()), 1.0))), lost

    return sorted(found, key=place)


def may_be_chance(one: Straggler, cause: Cause, n_steps: int) -> bool:
    """A single step of several, for what no event, kernel or loader tells."""
    is_told = any(each.event is not None or each.id not in _NO_REASON for each in cause.with_second)
    return len(one.late_steps) == 1 and n_steps >= _SEVERAL_STEPS and not is_told


def told_at_most(found: Sequence[Late]) -> list[Late]:
    """With no more told of a host than a step would be shorter by without it, where a replay tells and nobody else is late in its
    steps: part of what its devices idle others would wait for, or do while they wait.
    """
    return [
        (_told_at_most(one, without_it), cause, without_it) if _is_alone_late_host(one, found) else (one, cause, without_it)
        for one, cause, without_it in found
    ]


def _is_alone_late_host(one: Straggler, found: Sequence[Late]) -> bool:
    return one.level == "host" and all(other is one or set(one.late_steps).isdisjoint(other.late_steps) for other, *_ in found)


def _told_at_most(one: Straggler, without_it: Without | None) -> Straggler:
    if without_it is None or one.mean_told_ns <= 0:
        return one
    its = [number for number in one.late_steps if number in without_it.was]
    gain = sum(without_it.was[number] - without_it.would_be[number] for number in its) / max(len(its), 1)
    share = gain / one.mean_told_ns
    return replace(one, told_ns=one.told_ns * share) if its and 0 < share < 1 else one


def _is_taken(one: Straggler, without_it: Without | None) -> bool:
    """Whether what makes it late is mostly off it in the replay."""
    return without_it is not None and without_it.taken >= _MOSTLY * float(one.excess_ns.sum())


def _gains(one: Straggler, before: Without | None, after: Without | None) -> bool:
    """Whether all steps together are shorter with it repaired than before (None: as they were): at the most, so `least` of it.
    So it is where nothing tells.
    """
    if after is None:
        return True
    was = after.was if before is None else before.would_be
    gain = sum(was.values()) - sum(after.least.values())
    return gain >= NOTHING * sum(length for number, length in after.was.items() if number in one.late_steps)
