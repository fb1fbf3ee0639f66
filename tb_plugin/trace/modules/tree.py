"""Paths of modules, grown from scopes in the order of time.

    frames  Net_0 > Linear_0, Linear_0, ReLU_0        paths  0 Net_0 · 1 Net_0/Linear_0 (2 calls) · 2 Net_0/ReLU_0

A range of autograd belongs to the path of its forward operator. Frames inside one are modules called again to recompute
what was not kept (torch.utils.checkpoint): they belong to the paths of their first call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int32Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.model import MODULE_NAMES
from tb_plugin.trace.modules import script
from tb_plugin.trace.modules.scopes import AUTOGRAD, FRAME, FRAME_PREFIX, LABEL, LABEL_PREFIX, SCRIPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.modules.scopes import Scopes
    from tb_plugin.trace.modules.script import Hierarchies, Hierarchy

SEPARATOR: Final = "/"
"""Between the modules of a path: qualified names have dots."""

LONGEST_PATH: Final = 4_000
"""Characters of the names from the root: paths of deeper and deeper modules would grow as the square of their number."""

_SCRIPTED: Final = ("RecursiveScriptModule", "ScriptModule", "TopLevelTracedModule", "TracedModule")
"""Python's classes of scripted and traced modules: what runs in one as TOP is that module."""


@dataclass(kw_only=True)
class ModuleTree:
    """Nodes in the order of their first call; a parent comes before its children."""

    name: list[str] = field(default_factory=list)  # "Linear_0", or "layer1" where an instance has its own name
    class_name: list[str] = field(default_factory=list)
    qualified: list[str] = field(default_factory=list)  # "layer1.0"; empty where the profile does not say
    parent: list[int] = field(default_factory=list)
    first_row: list[int] = field(default_factory=list)  # event row of the first call
    _path_length: list[int] = field(default_factory=list)
    _node_at: dict[tuple[int, str], int] = field(default_factory=dict)
    _named: dict[str, int] = field(default_factory=dict)  # the first node of a name

    def __len__(self) -> int:
        return len(self.name)

    def child(self, above: int, name: str, class_name: str, row: int) -> int:
        """The node of this name under `above` (NONE: a root), made if it is new; `above` where the path would be too long."""
        path_length = len(name) + (self._path_length[above] if above != NONE else 0) + 1
        if path_length > LONGEST_PATH and above != NONE:
            return above
        node = self._node_at.setdefault((above, name), len(self.name))
        if node == len(self.name):
            self.name.append(name)
            self.class_name.append(class_name)
            self.qualified.append("")
            self.parent.append(above)
            self.first_row.append(row)
            self._path_length.append(path_length)
            self._named.setdefault(name, node)
        return node

    def called_again(self, below: int, name: str, class_name: str, row: int) -> int:
        """The node of a module recomputed for the backward pass of node `below`: around it, in it, or its only place."""
        above = below
        while above != NONE:
            if self.name[above] == name:
                return above
            above = self.parent[above]
        if (below, name) not in self._node_at and name in self._named:
            return self._named[name]
        return self.child(below, name, class_name, row)

    def paths(self) -> list[str]:
        """The text of each node: the names from its root to it. Each is there once."""
        texts: list[str] = []
        for name, parent in zip(self.name, self.parent, strict=True):
            texts.append(name if parent == NONE else f"{texts[parent]}{SEPARATOR}{name}")
        return texts

    def qualified_around(self, node: int) -> str:
        """The qualified name of the nearest module around that has one, itself included."""
        while node != NONE and not self.qualified[node]:
            node = self.parent[node]
        return self.qualified[node] if node != NONE else ""


class Call(NamedTuple):
    """What a scope's name says of the module. `qualified` is empty for frames."""

    name: str
    class_name: str
    qualified: str


def parse_call(text: str) -> Call:
    """`nn.Module: Linear_0` and `[pl][module]torch.nn.modules.linear.Linear: layer1.0`."""
    if text.startswith(FRAME_PREFIX):
        name = text.removeprefix(FRAME_PREFIX)
        return Call(name, name.rpartition("_")[0] or name, "")
    full_class, _, qualified = text.removeprefix(LABEL_PREFIX).partition(": ")
    class_name = full_class.rpartition(".")[2]
    return Call(qualified or class_name, class_name, qualified)


def grow(trace: Trace, scopes: Scopes, source: Int64Array, scripts: Hierarchies) -> tuple[ModuleTree, Int32Array]:
    """The tree, and the node of each scope (NONE: in no module).

    `source`: for each scope that of its forward operator, NONE where there is none. In the order of time, because the
    scope of a forward operator begins before any scope that needs it.
    """
    grower = _Grower(trace, scopes, source, scripts)
    for scope in np.argsort(trace.events.start_ns[scopes.row], kind="stable").tolist():
        grower.add(scope)
    return grower.tree, np.array(grower.nodes, np.int32)


class _Grower:
    def __init__(self, trace: Trace, scopes: Scopes, source: Int64Array, scripts: Hierarchies) -> None:
        self.tree = ModuleTree()
        self.nodes = [NONE] * len(scopes.row)
        self._base = [NONE] * len(scopes.row)  # SCRIPT scopes: the node that TOP is called from
        self._backward = [False] * len(scopes.row)
        self._rows, self._parents, self._kinds = scopes.row.tolist(), scopes.parent.tolist(), scopes.kind.tolist()
        self._source = source.tolist()
        self._name_ids = trace.events.name_id[scopes.row].tolist()
        self._calls = _parsed_calls(trace, scopes)
        self._script = scripts.of_row[scopes.row].tolist()
        self._model_names = _model_names(trace)
        self._hierarchies: Sequence[Hierarchy] = [script.parse(text) for text in scripts.texts]

    def add(self, scope: int) -> None:
        parent, kind = self._parents[scope], self._kinds[scope]
        above = self.nodes[parent] if parent != NONE else NONE
        in_backward = parent != NONE and self._backward[parent]
        if kind == AUTOGRAD:
            source = self._source[scope]
            self._backward[scope] = True
            self.nodes[scope] = self.nodes[source] if source != NONE else above
            return
        self._backward[scope] = in_backward
        if kind in (FRAME, LABEL):
            starts_recompute = in_backward and self._kinds[parent] == AUTOGRAD
            self.nodes[scope] = self._called(scope, parent, above, kind, starts_recompute)
        else:
            self.nodes[scope] = self._scripted(scope, parent, above)

    def _called(self, scope: int, parent: int, above: int, kind: int, starts_recompute: bool) -> int:
        tree, call = self.tree, self._calls[self._name_ids[scope]]
        if kind == LABEL and parent != NONE and self._kinds[parent] == FRAME and tree.class_name[above] == call.class_name:
            tree.qualified[above] = tree.qualified[above] or call.qualified  # Lightning's range in the frame of the same call
            return above
        name = call.name
        around = tree.qualified_around(above) if kind == LABEL else ""
        if around and name.startswith(f"{around}."):
            name = name[len(around) + 1 :]
        method = tree.called_again if starts_recompute else tree.child
        node = method(above, name, call.class_name, self._rows[scope])
        if not tree.qualified[node] and tree.name[node] == name:
            tree.qualified[node] = call.qualified or self._model_names.get(name, "")
        return node

    def _scripted(self, scope: int, parent: int, above: int) -> int:
        """The modules of the operator's hierarchy, under what called the outermost one."""
        tree, hierarchy = self.tree, self._hierarchies[self._script[scope]]
        is_same_run = parent != NONE and self._kinds[parent] == SCRIPT
        is_same_run = is_same_run and self._hierarchies[self._script[parent]].top == hierarchy.top
        base = self._base[parent] if is_same_run else above
        self._base[scope] = base
        node = base
        for module in hierarchy.modules:
            if not module.instance:
                if node != NONE and tree.class_name[node] in (*_SCRIPTED, module.class_name):
                    tree.class_name[node] = module.class_name
                    continue
                node = tree.child(node, module.class_name, module.class_name, self._rows[scope])
                continue
            around = tree.qualified_around(node)
            is_rooted = tree.parent[node] == NONE if node != NONE else True
            node = tree.child(node, module.instance, module.class_name, self._rows[scope])
            if (around or is_rooted) and tree.name[node] == module.instance:
                tree.qualified[node] = f"{around}.{module.instance}" if around else module.instance
        return node


def _model_names(trace: Trace) -> dict[str, str]:
    """Names of frames in the model, where our trace handler was given it. A file is a stranger's: what fits is taken."""
    stored = trace.info.metadata.get(MODULE_NAMES)
    return {key: text for key, text in stored.items() if isinstance(text, str)} if isinstance(stored, dict) else {}


def _parsed_calls(trace: Trace, scopes: Scopes) -> dict[int, Call]:
    named = distinct(trace.events.name_id[scopes.row[(scopes.kind == FRAME) | (scopes.kind == LABEL)]])
    return {name_id: parse_call(trace.text(name_id)) for name_id in named.tolist()}
