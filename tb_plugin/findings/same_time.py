"""Findings that want the same time: one of them stands, the others are said with it.

finding A   |------------------|
finding B            |-----------------|      the same, if they share more than half of the shorter one
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tb_plugin.compute.intervals import Merged, intersect, length

if TYPE_CHECKING:
    from tb_plugin.findings.check import Check, Confidence, Seen
    from tb_plugin.findings.facts import Facts

_SHARED: Final = 0.5
"""Of the shorter of both: then most of what one would gain the other has gained already."""

_SUREST_FIRST: Final[tuple[Confidence, ...]] = ("sure", "likely", "maybe")


@dataclass(frozen=True)
class Found:
    """What one check saw, and findings that are about the same time."""

    check: Check
    seen: Seen
    gain_ns: int | None  # the upper bound, inside the window
    also: tuple[Found, ...] = ()

    @property
    def worth_ns(self) -> int:
        """By which findings are sorted: what is to be expected, else the bound; without either behind the others."""
        known = [ns for ns in (self.seen.estimate_ns, self.gain_ns) if ns is not None]
        return known[0] if known else -1

    @property
    def order(self) -> tuple[bool, int]:
        """The one order of findings, as a key: first what all others depend on, then by worth."""
        return not self.seen.is_first, -self.worth_ns


def grouped(facts: Facts, found: list[Found]) -> list[Found]:
    """Those that stand, most worth first. Of two the surer one, or that which says why, stands if it is worth half the other."""
    stand: list[tuple[Found, Merged]] = []
    for each in sorted(found, key=lambda each: each.order):
        time = _time(facts, each)
        place = next((at for at, (_, other) in enumerate(stand) if _is_shared(time, other)), None)
        if place is None:
            stand.append((each, time))
            continue
        first, first_time = stand[place]
        if _says_more(each, first) and 2 * each.worth_ns >= first.worth_ns:
            stand[place] = (replace(each, also=(replace(first, also=()), *first.also)), time)
        else:
            stand[place] = (replace(first, also=(*first.also, each)), first_time)
    return sorted((each for each, _ in stand), key=lambda each: each.order)


def _says_more(each: Found, first: Found) -> bool:
    surer = _SUREST_FIRST.index(each.seen.confidence) < _SUREST_FIRST.index(first.seen.confidence)
    return surer or first.check.id in each.seen.explains


def _time(facts: Facts, found: Found) -> Merged:
    """What it would save a part of, inside the window; nothing where it cannot tell."""
    if found.worth_ns <= 0:
        return facts.union_of(facts.device_rows[:0])
    return intersect(facts.union_of(found.seen.rows) if found.seen.time is None else found.seen.time, facts.window)


def _is_shared(a: Merged, b: Merged) -> bool:
    return length(intersect(a, b)) > _SHARED * min(length(a), length(b))
