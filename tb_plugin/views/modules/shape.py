"""Which paths of modules are one row.

instance     Net_0 · Net_0/Linear_0 · Net_0/Linear_1 · Net_0/Linear_1/ReLU_0        a row for each path, as they call each other
class        Linear (2 instances): Linear_0, Linear_1 · Net · ReLU                   a row for each class, and below it its paths
class_path   Net · Net/Linear (2 instances) · Net/Linear/ReLU                        siblings of a class are one row
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.modules.classes import Classes, classes_of, outermost
from tb_plugin.trace.modules.tree import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.modules.tree import ModuleTree

GroupBy = Literal["instance", "class", "class_path"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """What is one row. `parent` is a place with a smaller number, or NONE."""

    name: str
    class_name: str
    qualified: str
    path: str
    parent: int
    instances: int = 1


@dataclass(frozen=True, kw_only=True)
class Shape:
    """`layers`: by path the place that it belongs to, or NONE; by class a path is both in its class and a row of its own.

    `counts_in_total[layer][path]`: no path around it is in the same place, so that totals count each instant once.
    """

    group_by: GroupBy
    places: list[Place]
    parent_of_path: list[int]
    layers: list[Int64Array]
    counts_in_total: list[BoolArray]

    def in_order(self, value: list[int]) -> list[int]:
        """Places with parents before children and subtrees in one piece; classes by `value`, the largest first."""
        below: dict[int, list[int]] = {}
        for number, place in enumerate(self.places):
            below.setdefault(place.parent, []).append(number)
        roots = below.get(NONE, [])
        if self.group_by == "class":
            roots.sort(key=lambda number: -value[number])
        order: list[int] = []
        waiting = roots[::-1]
        while waiting:
            number = waiting.pop()
            order.append(number)
            waiting.extend(below.get(number, [])[::-1])
        return order

    def pairs(self, path: Int64Array) -> Iterator[tuple[Int64Array, Int64Array]]:
        """(which of these paths, the place each is in), layer by layer."""
        for of_path in self.layers:
            place = of_path[path]
            which = np.flatnonzero(place != NONE)
            yield which, place[which]

    def own(self, values: Int64Array) -> Int64Array:
        """Of each place: the sum over its paths of `values[path]`."""
        found = np.zeros((len(self.places), *values.shape[1:]), np.int64)
        for which, place in self.pairs(np.arange(len(values))):
            np.add.at(found, place, values[which])
        return found

    def total(self, values: Int64Array) -> Int64Array:
        """As `own`, with all that is below a path; what is in two paths of one place counts once."""
        whole: Int64Array = values.copy()
        for path in range(len(values) - 1, -1, -1):
            if self.parent_of_path[path] != NONE:
                whole[self.parent_of_path[path]] += whole[path]
        found = np.zeros((len(self.places), *values.shape[1:]), np.int64)
        for (which, place), counts in zip(self.pairs(np.arange(len(values))), self.counts_in_total, strict=True):
            counted = counts[which]
            np.add.at(found, place[counted], whole[which[counted]])
        return found


def shape_of(tree: ModuleTree, group_by: GroupBy | None) -> Shape:
    """None: by class where instances repeat, else each path."""
    classes = classes_of(tree.name, tree.class_name, tree.qualified, tree.parent)
    chosen = group_by or ("class" if classes.repeat else "instance")
    if chosen == "class":
        return _by_class(tree, classes)
    return _by_class_path(tree) if chosen == "class_path" else _by_instance(tree)


def _by_instance(tree: ModuleTree) -> Shape:
    places = [_place_of(tree, path, text, tree.parent[path]) for path, text in enumerate(tree.paths())]
    return _shape("instance", tree, places, np.arange(len(tree)))


def _place_of(tree: ModuleTree, path: int, text: str, parent: int) -> Place:
    return Place(name=tree.name[path], class_name=tree.class_name[path], qualified=tree.qualified[path], path=text, parent=parent)


def _by_class_path(tree: ModuleTree) -> Shape:
    places: list[Place] = []
    numbers: dict[tuple[int, str], int] = {}
    of_path: list[int] = []
    for class_name, above in zip(tree.class_name, tree.parent, strict=True):
        parent = NONE if above == NONE else of_path[above]
        number = numbers.setdefault((parent, class_name), len(places))
        if number == len(places):
            path = class_name if parent == NONE else f"{places[parent].path}{SEPARATOR}{class_name}"
            places.append(Place(name=class_name, class_name=class_name, qualified="", path=path, parent=parent))
        of_path.append(number)
    n_paths = np.bincount(of_path, minlength=len(places)).tolist()
    counted = [_counted(place, n) for place, n in zip(places, n_paths, strict=True)]
    return _shape("class_path", tree, counted, np.array(of_path, np.int64))


def _counted(place: Place, n: int) -> Place:
    return Place(name=place.name, class_name=place.class_name, qualified="", path=place.path, parent=place.parent, instances=n)


def _by_class(tree: ModuleTree, classes: Classes) -> Shape:
    heads = [
        Place(name=name, class_name=name, qualified="", path=name, parent=NONE, instances=n)
        for name, n in zip(classes.names, classes.n_instances, strict=True)
    ]
    of_path = classes.of_path.tolist()
    each = [_place_of(tree, path, text, of_path[path]) for path, text in enumerate(tree.paths())]
    return _shape("class", tree, heads + each, classes.of_path, len(heads) + np.arange(len(tree)))


def _shape(group_by: GroupBy, tree: ModuleTree, places: list[Place], *layers: Int64Array) -> Shape:
    return Shape(
        group_by=group_by,
        places=places,
        parent_of_path=tree.parent,
        layers=list(layers),
        counts_in_total=[outermost(layer, tree.parent) for layer in layers],
    )
