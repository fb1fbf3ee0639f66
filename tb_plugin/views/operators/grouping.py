"""Which calls are one row: by name, by name and shapes, by call site, by module, by category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import Groups, group_by
from tb_plugin.trace.call_sites import call_sites
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.module_paths import module_paths
from tb_plugin.trace.operator_times import key_text, operator_tree
from tb_plugin.trace.taxonomy import CATEGORIES, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.operator_times import OperatorTimes
    from tb_plugin.views.operators.result import GroupBy, OperatorKind

_KINDS: Final[dict[int, OperatorKind]] = {Kind.OPERATOR: "operator", Kind.ANNOTATION: "annotation"}

_RANGES: Final = len(CATEGORIES)
_LAUNCHES: Final = len(CATEGORIES) + 1
CATEGORY_TITLES: Final = (*(info.title for info in CATEGORIES), "Named ranges", "Launch calls")
"""Categories of operators, and what is none: ranges that somebody named, and launch calls outside of all operators."""

_NOT_RECORDED: Final[dict[GroupBy, str]] = {
    "shapes": "Input shapes were not recorded: profile with record_shapes=True.",
    "call_site": "Python stacks were not recorded: profile with with_stack=True.",
    "module": "Modules were not recorded: profile with with_stack=True.",
}

_NONE: Final[dict[GroupBy, str]] = {"call_site": "no Python frame", "module": "in no module", "category": ""}


class Label(NamedTuple):
    """What tells a row from others; stands in links."""

    name: str
    kind: OperatorKind
    input_shapes: str | None = None


class Grouping(NamedTuple):
    """`groups` over the entries of an OperatorTimes, and the label of each group."""

    groups: Groups
    labels: list[Label]
    not_recorded: str | None


def group(trace: Trace, times: OperatorTimes, by: GroupBy) -> Grouping:
    """The rows that entries make."""
    kind = trace.events.kind[times.row]
    if by == "name":
        groups = group_by(kind, times.key)
        return Grouping(groups, named(trace, times, groups.first), None)
    if by == "shapes":
        shapes_id = trace.events.shapes_id[times.row]
        groups = group_by(kind, times.key, shapes_id)
        labels = [
            label._replace(input_shapes=trace.text(i) if i != NONE else None)
            for label, i in zip(named(trace, times, groups.first), shapes_id[groups.first].tolist(), strict=True)
        ]
        return Grouping(groups, labels, None if (shapes_id != NONE).any() else _NOT_RECORDED["shapes"])
    place, texts = _places(trace, times, by)
    groups = group_by(place)
    labels = [Label(texts[i], by) if i != NONE else Label(_NONE[by], "none") for i in place[groups.first].tolist()]
    return Grouping(groups, labels, None if texts else _NOT_RECORDED[by])


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


def _places(trace: Trace, times: OperatorTimes, by: GroupBy) -> tuple[Int64Array, tuple[str, ...]]:
    """(place in the texts of each entry, or NONE; the texts)."""
    if by == "call_site":
        sites = call_sites(trace)
        return sites.of_row[times.row].astype(np.int64), sites.texts
    if by == "module":
        paths = module_paths(trace)
        return paths.of_row[times.row].astype(np.int64), paths.texts
    kind = trace.events.kind[times.row]
    place = category_by_row(trace)[times.row].astype(np.int64)
    # A range has the category of what its name says ("gloo:all_reduce") or is just a range.
    other = next(i for i, info in enumerate(CATEGORIES) if info.id == "other")
    place[(kind == Kind.ANNOTATION) & (place == other)] = _RANGES
    place[(kind != Kind.ANNOTATION) & (kind != Kind.OPERATOR)] = _LAUNCHES
    return place, CATEGORY_TITLES
