"""`profile.tree()`: torch's `kineto_results.experimental_event_tree()` of a stored profile.

for root in profile.tree():
    print(root.name, root.tag.name, root.duration_time_ns, [child.name for child in root.children])

A node is a row and a look at columns; it is made when asked for. Times are ns since 1970.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, overload

from tb_plugin.base.units import NONE
from tb_plugin.torch_api.tree.columns import tree_columns
from tb_plugin.torch_api.tree.facts import TreeFacts, tag_of
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import OVERLOAD, without_overload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.torch_api.tree.fields import EventType, Fields
    from tb_plugin.trace.model import Trace

_RANGES = (Kind.OPERATOR, Kind.ANNOTATION)


class EventTree(Sequence["TreeNode"]):
    """The roots, by start. `nodes()` are all of them."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.columns = tree_columns(trace)

    def __len__(self) -> int:
        return len(self.columns.roots)

    @overload
    def __getitem__(self, place: int) -> TreeNode: ...
    @overload
    def __getitem__(self, place: slice) -> list[TreeNode]: ...
    def __getitem__(self, place: int | slice) -> TreeNode | list[TreeNode]:
        if isinstance(place, slice):
            return [TreeNode(self, row) for row in self.columns.roots[place].tolist()]
        return TreeNode(self, int(self.columns.roots[place]))

    def nodes(self) -> Iterator[TreeNode]:
        """Every node, by start, as torch sorts them."""
        return (TreeNode(self, row) for row in self.columns.rows.tolist())

    @property
    def n_nodes(self) -> int:
        return len(self.columns.rows)

    def node(self, row: int) -> TreeNode:
        """The node of an event row of the trace."""
        return TreeNode(self, row)

    @cached_property
    def facts(self) -> TreeFacts:
        """What nodes are asked for beyond name, time and place."""
        return TreeFacts(self.trace, self.columns.live)

    def __repr__(self) -> str:
        return f"<EventTree of {self.trace.info.source or 'a profile'}: {len(self)} roots, {self.n_nodes} nodes>"


class TreeNode:
    """One event of the tree; torch's `_ProfilerEvent`. Made anew each time, so compare with `==`."""

    __slots__ = ("_row", "_tree")

    def __init__(self, tree: EventTree, row: int) -> None:
        self._tree = tree
        self._row = row

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeNode) and other._tree is self._tree and other._row == self._row

    def __hash__(self) -> int:
        return hash((id(self._tree), self._row))

    def __repr__(self) -> str:
        return f"<{self.tag.name} {self.name!r}, {self.duration_time_ns} ns>"

    @property
    def id(self) -> int:
        """The event's row in `profile.trace.events` (torch has an address here)."""
        return self._row

    @property
    def name(self) -> str:
        text = self._tree.trace.text(int(self._tree.trace.events.name_id[self._row]))
        return without_overload(text) if self._kind in _RANGES else text

    @property
    def overload_name(self) -> str:
        """`Tensor` of `aten::add.Tensor`, recorded with `capture_overload_names`."""
        split = OVERLOAD.match(self._tree.trace.text(int(self._tree.trace.events.name_id[self._row])))
        return split[2] if split and self._kind in _RANGES else ""

    @property
    def tag(self) -> EventType:
        return tag_of(self._tree.trace, self._row, self._tree.facts)

    @property
    def start_time_ns(self) -> int:
        return int(self._tree.trace.events.start_ns[self._row]) + self._tree.trace.info.base_ns

    @property
    def end_time_ns(self) -> int:
        """A range that was never closed ends with its parent."""
        return int(self._tree.columns.end_ns[self._row]) + self._tree.trace.info.base_ns

    @property
    def duration_time_ns(self) -> int:
        return self.end_time_ns - self.start_time_ns

    @property
    def start_tid(self) -> int:
        """The profiler's number of the thread where the profile has it, else the system's."""
        track = int(self._tree.trace.events.track[self._row])
        number = int(self._tree.columns.thread[track])
        text = self._tree.trace.text(int(self._tree.trace.tracks.tid_id[track]))
        return number if number != NONE else int(text) if text.isdecimal() else 0

    @property
    def correlation_id(self) -> int:
        """An operator's or range's own id; of launches and device work theirs, else that of what holds them; 0 for others."""
        events = self._tree.trace.events
        if self._kind in _RANGES:
            return max(int(events.external_id[self._row]), 0)
        if self._kind in (Kind.PYTHON, Kind.MEMORY, Kind.OUT_OF_MEMORY):
            return 0
        own = int(events.correlation[self._row])
        return own if own > 0 else self.parent.correlation_id if self.parent else 0

    @property
    def parent(self) -> TreeNode | None:
        row = int(self._tree.columns.parent[self._row])
        return None if row == NONE else TreeNode(self._tree, row)

    @property
    def children(self) -> list[TreeNode]:
        columns = self._tree.columns
        low, high = columns.first_child[self._row], columns.first_child[self._row + 1]
        return [TreeNode(self._tree, row) for row in columns.children_of[low:high].tolist()]

    @property
    def extra_fields(self) -> Fields:
        """What is known of this kind of event only, under torch's names."""
        return self._tree.facts.fields(self._row, self.tag, self.name)

    @property
    def typed(self) -> tuple[EventType, Fields]:
        return self.tag, self.extra_fields

    @property
    def _kind(self) -> int:
        return int(self._tree.trace.events.kind[self._row])
