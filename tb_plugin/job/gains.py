"""Who is late and makes no step longer: without it, alone or beside all else that is told, a step would take as long.

    rank 1   |compute        |wait|      0.3 ms more than its peers, while rank 0 is waited for
    rank 0   |loader | compute    |

That is no cause of anything, and is told without blame. Of two that are equally late neither alone makes a step shorter, but both
do: each gains beside the other. A stage, host or replica is not asked, nor who is late for what a replay cannot take off it. A
host that stands still while its device waits may wait, too: nobody gains nothing because of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tb_plugin.job.cause import Cause
    from tb_plugin.job.stragglers import Straggler
    from tb_plugin.job.what_if import Without

NOTHING: Final = 0.005
"""Of its late steps: what is said in whole per cent is then none, and nobody is blamed for it."""

_MOSTLY: Final = 0.5

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
    """Whether what makes this rank late is mostly off it in the replay."""
    return one.level == "rank" and without_it is not None and without_it.taken >= _MOSTLY * float(one.excess_ns.sum())


def _gains(one: Straggler, before: Without | None, after: Without | None) -> bool:
    """Whether all steps together are shorter with it repaired than before (None: as they were): at the most, so `least` of it.
    So it is where nothing tells.
    """
    if after is None:
        return True
    was = after.was if before is None else before.would_be
    gain = sum(was.values()) - sum(after.least.values())
    return gain >= NOTHING * sum(length for number, length in after.was.items() if number in one.late_steps)
