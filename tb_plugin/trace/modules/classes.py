"""Modules of one class, wherever they are: how many there are, and which of them lie in another of the same class.

    path                  class       is_outermost   instance
    Net_0                 Net         yes            Net_0
    Net_0/Block_0         Block       yes            Block_0
    Net_0/Block_0/Block_1 Block       no             Block_1     its total is within that of Block_0: counted there
    Net_0/Block_1         Block       yes            Block_1     the same module, called at a second place

The total of a class is that of its outermost paths, so that no instant counts twice; its self time is that of all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array

if TYPE_CHECKING:
    from collections.abc import Sequence


class Classes(NamedTuple):
    """`of_path[p]` is the number of the path's class, in the order of their first calls; `n_instances` is by class."""

    names: list[str]
    of_path: Int64Array
    is_outermost: BoolArray  # by path: no module around it is of its class
    n_instances: list[int]

    @property
    def repeat(self) -> bool:
        """Whether any class has several instances: then a class is what to ask about first."""
        return any(n > 1 for n in self.n_instances)


def classes_of(names: Sequence[str], class_names: Sequence[str], qualified: Sequence[str], parent: Sequence[int]) -> Classes:
    """Of paths, each column by path; `parent` NONE at a root."""
    numbers: dict[str, int] = {}
    of_path = np.array([numbers.setdefault(name, len(numbers)) for name in class_names], np.int64)
    instances: list[set[str]] = [set() for _ in numbers]
    for path, number in enumerate(of_path.tolist()):
        instances[number].add(_identity(path, names[path], class_names[path], qualified[path]))
    return Classes(list(numbers), of_path, outermost(of_path, parent), [len(found) for found in instances])


def outermost(group: Int64Array, parent: Sequence[int]) -> BoolArray:
    """For each path: is none of those around it in the same group?"""
    above = np.array(parent, np.int64)
    is_outermost = np.ones(len(above), np.bool_)
    around = above.copy()
    while (around != NONE).any():  # as often as the tree is deep
        is_outermost &= (around == NONE) | (group[around] != group)
        around = np.where(around == NONE, NONE, above[around])
    return is_outermost


def _identity(path: int, name: str, class_name: str, qualified: str) -> str:
    """What tells two modules of a class apart: the name in the model, else torch's number, else where it is called."""
    number = name.removeprefix(f"{class_name}_")
    return qualified or (name if number.isdecimal() else f"path {path}")
