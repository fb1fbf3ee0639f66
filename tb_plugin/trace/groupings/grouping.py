"""What makes events one row: a Grouping gives each event numbers, and events with the same numbers are one.

    SHAPES.keys(trace, rows).parts      name            kind             input_shapes
      aten::mm of [[8, 4], [4, 2]]      17 "aten::mm"   1 "operator"      4 "[[8, 4], [4, 2]]"
      aten::mm of nothing recorded      17 "aten::mm"   1 "operator"     -1 (none)

Numbers are of one profile. Texts mean the same in another: rows of two profiles are matched by `Keys.texts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import Groups, group_by

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

    from tb_plugin.trace.model import Trace

_BETWEEN = " | "


class Part(NamedTuple):
    """One thing that the events of a group share: a number for each event, NONE where it has none, and what a number says."""

    of: npt.NDArray[np.integer]
    text: Callable[[int], str]  # must not hold the Trace: keys are kept as long as it lives

    def at(self, place: int) -> str | None:
        """What is said of the event at this place."""
        return None if self.of[place] == NONE else self.text(int(self.of[place]))

    def texts(self, places: Int64Array | slice = slice(None)) -> list[str | None]:
        """What is said of the events at these places."""
        return [None if number == NONE else self.text(number) for number in self.of[places].tolist()]


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The numbers of some events. `missing`: why none of the profile's events has one, if so."""

    parts: Mapping[str, Part]  # the first, `name`, is what a group is called
    missing: str | None = None
    frames: Callable[[int], list[str]] | None = None  # of a call stack by its number, innermost first

    @property
    def name(self) -> Part:
        return self.parts["name"]

    def groups(self, places: Int64Array | slice = slice(None)) -> Groups:
        """The events at these places that are one."""
        return group_by(*(part.of[places] for part in self.parts.values()))

    def texts(self, places: Int64Array | slice = slice(None)) -> list[str]:
        """All parts in words, what is none left out; "" for "of none". Two groups never have the same, in any profile."""
        texts = zip(*(part.texts(places) for part in self.parts.values()), strict=True)
        return [_BETWEEN.join(filter(None, of_parts)) for of_parts in texts]


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """`keys` of these event rows. `lacks`: why this profile cannot be grouped so, as far as a short look can tell."""

    id: str
    title: str
    keys: Callable[[Trace, Int64Array], Keys]
    lacks: Callable[[Trace], str | None]


class GroupingChoice(msgspec.Struct, frozen=True, kw_only=True):
    """By what can be grouped. `missing` says why not, and how to record it."""

    id: str
    title: str
    missing: str | None


def no_lack(_trace: Trace) -> str | None:
    """Of what every profile has."""
    return None


def by_id(*groupings: Grouping) -> dict[str, Grouping]:
    """What a view offers, in this order."""
    return {grouping.id: grouping for grouping in groupings}


def choices(trace: Trace, offered: Mapping[str, Grouping], chosen: str, keys: Keys) -> list[GroupingChoice]:
    """What to choose from. Of the `chosen` one its keys tell what is missing: they have looked."""
    return [
        GroupingChoice(
            id=name,
            title=grouping.title,
            missing=keys.missing if name == chosen else grouping.lacks(trace),
        )
        for name, grouping in offered.items()
    ]
