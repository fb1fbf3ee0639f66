"""Which places of the host are the same on both sides, each once, by the closest key that both have.

text, inside      train.py(41): step · aten::item
plain, inside     train.py: step · aten::item         another version of the file has the line elsewhere
text              train.py(41): step
plain             train.py: step
added, removed    what is left
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.compare.joined.side import OneLine, Side
    from tb_plugin.views.compare.result import LongestAt, Matched

_NUMBER: Final = re.compile(r"\(\d+\)")


@dataclass(frozen=True, kw_only=True)
class AlignedLine:
    """A place of the host on both sides: mean times, and the time in each unit."""

    name: str
    times: tuple[int, int]
    units: tuple[Int64Array, Int64Array]
    at: tuple[LongestAt | None, LongestAt | None]
    matched: Matched


def aligned_lines(a: Side, b: Side) -> list[AlignedLine]:
    """Each place of each side is in exactly one; none where a side does not know its own."""
    if not a.lines or not b.lines:
        return []
    sides = (a, b)
    left = tuple([*range(len(side.lines))] for side in sides)
    found: list[AlignedLine] = []
    for key_of in _KEYS:
        by_key: tuple[dict[Hashable, list[int]], dict[Hashable, list[int]]] = ({}, {})
        for side in (0, 1):
            for column in left[side]:
                key = key_of(sides[side].lines[column])
                if key is not None:
                    by_key[side].setdefault(key, []).append(column)
        both = [key for key in by_key[0] if key in by_key[1]]
        found += [_line(sides, by_key[0][key], by_key[1][key]) for key in both]
        for side in (0, 1):
            gone = {column for key in both for column in by_key[side][key]}
            left[side][:] = [column for column in left[side] if column not in gone]
    found += [_line(sides, [column], []) for column in left[0]]
    return found + [_line(sides, [], [column]) for column in left[1]]


_KEYS: Final[tuple[Callable[[OneLine], Hashable | None], ...]] = (
    lambda line: (line.text, line.inside) if line.inside else None,
    lambda line: (_NUMBER.sub("", line.text), line.inside) if line.inside else None,
    lambda line: line.text,
    lambda line: _NUMBER.sub("", line.text),
)


def _line(sides: tuple[Side, Side], *columns: list[int]) -> AlignedLine:
    ours = [[side.lines[column] for column in of] for side, of in zip(sides, columns, strict=True)]
    shown = max(ours[1] or ours[0], key=_length)
    return AlignedLine(
        name=f"{shown.text} · {shown.inside}" if shown.inside else shown.text,
        times=(int(sides[0].line_ns[columns[0]].sum()), int(sides[1].line_ns[columns[1]].sum())),
        units=(sides[0].line_units[:, columns[0]].sum(axis=1), sides[1].line_units[:, columns[1]].sum(axis=1)),
        at=(max(ours[0], key=_length).longest if ours[0] else None, max(ours[1], key=_length).longest if ours[1] else None),
        matched="added" if not ours[0] else "removed" if not ours[1] else "line",
    )


def _length(line: OneLine) -> int:
    return 0 if line.longest is None else line.longest.lasted_ns
