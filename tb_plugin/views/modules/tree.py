"""Paths of modules: which row of the view a scope belongs to.

    frames  Net_0 > Linear_0, Linear_0, ReLU_0        rows  0 Net_0 · 1 Net_0/Linear_0 (2 calls) · 2 Net_0/ReLU_0

A range of autograd belongs to the row of its forward operator. Frames inside one are modules called again to recompute
what was not kept (torch.utils.checkpoint): they belong to the rows of their first call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.views.modules.scopes import Scopes, innermost

if TYPE_CHECKING:
    from tb_plugin.base.units import Int32Array
    from tb_plugin.trace.model import Trace


@dataclass(kw_only=True)
class ModuleTree:
    """Nodes in the order of their first call; a parent comes before its children."""

    name_id: list[int] = field(default_factory=list)  # of the frame, "nn.Module: Linear_0"
    parent: list[int] = field(default_factory=list)
    first_row: list[int] = field(default_factory=list)  # event row of the first call
    _node_at: dict[tuple[int, int], int] = field(default_factory=dict)
    _named: dict[int, list[int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.name_id)

    def child(self, above: int, name_id: int, row: int) -> int:
        """The node of this name under `above` (NONE: a root), made if it is new."""
        node = self._node_at.setdefault((above, name_id), len(self))
        if node == len(self):
            self.name_id.append(name_id)
            self.parent.append(above)
            self.first_row.append(row)
            self._named.setdefault(name_id, []).append(node)
        return node

    def called_again(self, below: int, name_id: int, row: int) -> int:
        """The node of a module recomputed for the backward pass of node `below`: around it, in it, or its only place."""
        above = below
        while above != NONE:
            if self.name_id[above] == name_id:
                return above
            above = self.parent[above]
        if (below, name_id) not in self._node_at and name_id in self._named:
            return self._named[name_id][0]
        return self.child(below, name_id, row)

    def in_order(self) -> list[int]:
        """Nodes with parents before children and subtrees in one piece."""
        below: dict[int, list[int]] = {}
        for node, above in enumerate(self.parent):
            below.setdefault(above, []).append(node)
        order: list[int] = []
        waiting = below.get(NONE, [])[::-1]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting.extend(below.get(node, [])[::-1])
        return order


def grow(trace: Trace, scopes: Scopes, forward: Int32Array) -> tuple[ModuleTree, Int64Array, BoolArray]:
    """The tree, and for each scope its node (NONE: in no module) and whether it is of the backward pass.

    In the order of time: the scope of a forward operator begins before any scope that needs it.
    """
    tree = ModuleTree()
    nodes, backward = [NONE] * len(scopes.row), [False] * len(scopes.row)
    order = np.argsort(trace.events.start_ns[scopes.row], kind="stable").tolist()
    rows, parents, is_frame = scopes.row.tolist(), scopes.parent.tolist(), scopes.is_frame.tolist()
    name_ids = trace.events.name_id[scopes.row].tolist()
    forward_rows = forward[scopes.row]
    made_in = innermost(trace, scopes, np.maximum(forward_rows, 0)).tolist()
    has_forward = (forward_rows != NONE).tolist()
    for scope in order:
        parent, name_id, row = parents[scope], name_ids[scope], rows[scope]
        above = nodes[parent] if parent != NONE else NONE
        if not is_frame[scope]:
            backward[scope] = True
            source = made_in[scope]
            nodes[scope] = (nodes[source] if source != NONE else NONE) if has_forward[scope] else above
            continue
        backward[scope] = parent != NONE and backward[parent]
        starts_recompute = backward[scope] and not is_frame[parent]
        nodes[scope] = (tree.called_again if starts_recompute else tree.child)(above, name_id, row)
    return tree, np.array(nodes, np.int64), np.array(backward, np.bool_)
