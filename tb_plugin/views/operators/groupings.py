"""Which calls are one row, and what tells a row from others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.groupings.categories import CATEGORY
from tb_plugin.trace.groupings.grouping import by_id
from tb_plugin.trace.groupings.names import NAME, SHAPES
from tb_plugin.trace.groupings.places import CALL_SITE, MODULE
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.times.operator_times import key_text, operator_tree

if TYPE_CHECKING:
    from tb_plugin.compute.grouping import Groups
    from tb_plugin.trace.groupings.grouping import Keys
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.times.operator_times import OperatorTimes
    from tb_plugin.views.operators.result import GroupBy, OperatorKind

GROUPINGS: Final = by_id(NAME, SHAPES, CALL_SITE, MODULE, CATEGORY)
OF_ONE_NAME: Final = (NAME.id, SHAPES.id)
"""Groupings whose rows are calls of one operator."""

_KINDS: Final[dict[int, OperatorKind]] = {Kind.OPERATOR: "operator", Kind.ANNOTATION: "annotation"}
_NONE: Final[dict[GroupBy, str]] = {"call_site": "no Python frame", "module": "in no module"}


class Label(NamedTuple):
    """What tells a row from others; stands in links."""

    name: str
    kind: OperatorKind
    input_shapes: str | None = None


class Rows(NamedTuple):
    """`groups` over the entries of an OperatorTimes, and the label of each group."""

    keys: Keys
    groups: Groups
    labels: list[Label]


def group(trace: Trace, times: OperatorTimes, by: GroupBy) -> Rows:
    """The rows that entries make."""
    keys = GROUPINGS[by].keys(trace, times.row)
    groups = keys.groups()
    return Rows(keys, groups, _labels(trace, times, keys, groups.first, by))


def _labels(trace: Trace, times: OperatorTimes, keys: Keys, first: Int64Array, by: GroupBy) -> list[Label]:
    if by == "name":
        return named(trace, times, first)
    if by == "shapes":
        shapes = keys.parts["input_shapes"].texts(first)
        return [label._replace(input_shapes=s) for label, s in zip(named(trace, times, first), shapes, strict=True)]
    return [Label(_NONE.get(by, ""), "none") if name is None else Label(name, by) for name in keys.name.texts(first)]


def named(trace: Trace, times: OperatorTimes, entries: Int64Array) -> list[Label]:
    """The names and kinds of these entries."""
    kinds = trace.events.kind[times.row[entries]].tolist()
    return [
        Label(key_text(trace, key), _KINDS.get(kind, "launch"))
        for key, kind in zip(times.key[entries].tolist(), kinds, strict=True)
    ]


def outermost(trace: Trace, times: OperatorTimes, groups: Groups) -> BoolArray:
    """For each entry: is no entry around it of its own group?"""
    above = operator_tree(trace).entry_above
    of_row = np.full(len(trace.events), NONE, np.int64)
    of_row[times.row] = groups.of
    result = np.ones(len(times.row), np.bool_)
    asked = np.arange(len(times.row))
    around = above[times.row]
    while True:
        inside = around != NONE
        asked, around = asked[inside], around[inside]
        if len(asked) == 0:
            return result
        same = of_row[around] == groups.of[asked]
        result[asked[same]] = False
        asked, around = asked[~same], above[around[~same]]
