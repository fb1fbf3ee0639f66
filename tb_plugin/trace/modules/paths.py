"""Which module does an event belong to? One path a row, for every view and filter.

    thread 1 | nn.Module: Net_0 0-90 | nn.Module: Linear_0 10-50 | aten::linear 20-40
    paths    Net_0                     Net_0/Linear_0              Net_0/Linear_0

Eager frames, TorchScript's hierarchies and Lightning's ranges become the same paths (`module_scopes`, `module_tree`). Device
work has the path of its launch, a backward operator and all it calls that of its forward operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int32Array, IntArray
from tb_plugin.trace.compact import compact, nothing
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.modules import scopes as module_scopes
from tb_plugin.trace.modules import script
from tb_plugin.trace.modules import tree as module_tree
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.modules.scopes import AUTOGRAD, SCRIPT, Scopes
from tb_plugin.trace.modules.tree import SEPARATOR

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.modules.tree import ModuleTree


@dataclass(frozen=True, kw_only=True)
class ModulePaths:
    """Paths, a parent before its children, in the order of their first calls; and the path of each event row.

    path  texts           names     class_names  qualified  parent        row   of_row
       0  Net_0           Net_0     Net                         -1          0       -1   ProfilerStep#1
       1  Net_0/Linear_0  Linear_0  Linear       layer1          0          1        0   nn.Module: Net_0
    """

    scope_of_row: IntArray  # of each event row the scope that it lies in, or NONE
    path_of_scope: Int32Array  # and of NONE, at the end
    texts: tuple[str, ...]
    names: tuple[str, ...]  # last part of the text
    class_names: tuple[str, ...]
    qualified: tuple[str, ...]  # as in `named_modules()`; empty where the profile does not say
    parent: Int32Array

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def of_row(self) -> Int32Array:
        """The path of each event row; NONE is "in no module". Made when asked for."""
        return self.path_of_scope[self.scope_of_row]

    def of_rows(self, rows: Int64Array) -> Int32Array:
        """The path of each of these event rows."""
        return self.path_of_scope[self.scope_of_row[rows]]

    def of(self, row: int) -> int:
        """The path of one event row, or NONE."""
        return int(self.path_of_scope[self.scope_of_row[row]])

    def rows_in(self, text: str) -> BoolArray:
        """For each event row: does it run in this module, or in one below it?

        `text` is a path, a path of classes (`Net/Sequential/Linear`: all of them), a class (all of it), or a qualified
        name. Unknown: no row.
        """
        inside: BoolArray = np.array([*self._below(text), False], np.bool_)[self.of_row]  # NONE falls on the last
        return inside

    def is_there(self, text: str) -> bool:
        """Whether `text` names one of these, as `rows_in` takes it."""
        return any(self._below(text))

    def _below(self, text: str) -> list[bool]:
        parts = text.split(SEPARATOR)
        n_parts: list[int] = []  # how many parts a path has matched, from its root without a gap
        for path, parent in enumerate(self.parent.tolist()):
            above = n_parts[parent] if parent != NONE else 0
            if above == len(parts) or (text and text in (self.qualified[path], self.class_names[path])):
                n_parts.append(len(parts))
            else:
                fits = above >= 0 and parts[above] in (self.names[path], self.class_names[path])
                n_parts.append(above + 1 if fits else NONE)
        return [matched == len(parts) for matched in n_parts]

    def texts_of(self, rows: Int64Array) -> list[str]:
        """The path of each of these rows; empty for "in no module"."""
        texts = (*self.texts, "")
        return [texts[path] for path in self.of_row[rows].tolist()]


@dataclass(frozen=True, kw_only=True)
class ModuleWalk:
    """What `module_paths` is made from, for the modules view."""

    scopes: Scopes
    tree: ModuleTree
    node: Int32Array  # path of each scope
    around: IntArray  # scope of each event row


@once_per_trace
def module_paths(trace: Trace) -> ModulePaths:
    """The paths of a profile; none, at no cost, where no module was recorded."""
    if not has_modules(trace):
        return ModulePaths(
            scope_of_row=nothing((len(trace.events),), np.dtype(np.int32), NONE),
            path_of_scope=np.array([NONE], np.int32),
            texts=(),
            names=(),
            class_names=(),
            qualified=(),
            parent=np.empty(0, np.int32),
        )
    walk = module_walk(trace)
    tree = walk.tree
    return ModulePaths(
        scope_of_row=walk.around,
        path_of_scope=np.append(walk.node, np.int32(NONE)),
        texts=tuple(tree.paths()),
        names=tuple(tree.name),
        class_names=tuple(tree.class_name),
        qualified=tuple(tree.qualified),
        parent=np.array(tree.parent, np.int32),
    )


@once_per_trace
def has_modules(trace: Trace) -> bool:
    """Whether any module was recorded."""
    return module_scopes.has_calls(trace) or bool(script.hierarchies(trace).texts)


@once_per_trace
def module_walk(trace: Trace) -> ModuleWalk:
    """Scopes and tree of a profile. Without modules the scopes are those of autograd alone."""
    marks = module_scopes.calls(trace)
    scripts = script.hierarchies(trace)
    forward = forward_backward(trace).forward
    marks[_script_scopes(trace, scripts.of_row)] = SCRIPT
    marks[module_scopes.autograd_ranges(trace, forward)] = AUTOGRAD
    scopes = module_scopes.nested(trace, marks)
    around = module_scopes.innermost(trace, scopes)
    made_by = forward[scopes.row]
    source = np.where(made_by == NONE, NONE, around[made_by])
    tree, node = module_tree.grow(trace, scopes, source, scripts)
    narrow = compact(around.astype(np.int32), NONE, np.dtype(np.int16))  # kept as long as the trace
    return ModuleWalk(scopes=scopes, tree=tree, node=node, around=narrow)


def _script_scopes(trace: Trace, of_row: Int32Array) -> Int64Array:
    """Operators whose hierarchy is not that of the operator around them."""
    rows = np.flatnonzero(of_row != NONE)
    above = trace.events.nest_parent[rows]
    changes: Int64Array = rows[(above == NONE) | (of_row[above] != of_row[rows])]
    return changes
