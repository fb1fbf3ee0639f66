"""Which paths of modules are one row: each its own, or all siblings of a class together.

instance   Net_0 · Net_0/Linear_0 · Net_0/Linear_1 · Net_0/Linear_1/ReLU_0
class      Net   · Net/Linear (2 instances)        · Net/Linear/ReLU
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.module_tree import SEPARATOR

if TYPE_CHECKING:
    from tb_plugin.trace.module_tree import ModuleTree

GroupBy = Literal["instance", "class"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """What is one row. `parent` is a place with a smaller number, or NONE."""

    name: str
    class_name: str
    qualified: str
    path: str
    parent: int


@dataclass(frozen=True, kw_only=True)
class Shape:
    """`of_node[node]` is the place of a path in `places`."""

    places: list[Place]
    of_node: Int64Array

    def in_order(self) -> list[int]:
        """Places with parents before children and subtrees in one piece."""
        below: dict[int, list[int]] = {}
        for number, place in enumerate(self.places):
            below.setdefault(place.parent, []).append(number)
        order: list[int] = []
        waiting = below.get(NONE, [])[::-1]
        while waiting:
            number = waiting.pop()
            order.append(number)
            waiting.extend(below.get(number, [])[::-1])
        return order

    def with_descendants(self, values: Int64Array) -> Int64Array:
        """Each place's row of values and those of all places below it."""
        total: Int64Array = values.copy()
        for number in range(len(self.places) - 1, -1, -1):
            if self.places[number].parent != NONE:
                total[self.places[number].parent] += total[number]
        return total


def shape_of(tree: ModuleTree, group_by: GroupBy) -> Shape:
    return _by_class(tree) if group_by == "class" else _by_instance(tree)


def _by_instance(tree: ModuleTree) -> Shape:
    columns = zip(tree.name, tree.class_name, tree.qualified, tree.paths(), tree.parent, strict=True)
    places = [
        Place(name=name, class_name=class_name, qualified=qualified, path=path, parent=parent)
        for name, class_name, qualified, path, parent in columns
    ]
    return Shape(places=places, of_node=np.arange(len(tree)))


def _by_class(tree: ModuleTree) -> Shape:
    places: list[Place] = []
    numbers: dict[tuple[int, str], int] = {}
    of_node: list[int] = []
    for class_name, above in zip(tree.class_name, tree.parent, strict=True):
        parent = NONE if above == NONE else of_node[above]
        number = numbers.setdefault((parent, class_name), len(places))
        if number == len(places):
            path = class_name if parent == NONE else f"{places[parent].path}{SEPARATOR}{class_name}"
            places.append(Place(name=class_name, class_name=class_name, qualified="", path=path, parent=parent))
        of_node.append(number)
    return Shape(places=places, of_node=np.array(of_node, np.int64))
