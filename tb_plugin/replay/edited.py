"""What an edit does to a graph: whose time it takes, which work is gone, who no longer waits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.nesting import marked_around
from tb_plugin.replay.edges import Why
from tb_plugin.replay.edits import Edit
from tb_plugin.replay.fused import fuse_attention, fuse_chains
from tb_plugin.replay.host_time import ByTrack, HostTime, times_of
from tb_plugin.replay.less import Less
from tb_plugin.replay.lines import between_operators, line_times
from tb_plugin.replay.rates import half_precision, larger_batch
from tb_plugin.replay.version import Version
from tb_plugin.trace.kinds import DATA_LOADER_NAME, HOST_KINDS, Kind, is_kind
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.work.taxonomy import CATEGORIES, category_by_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tb_plugin.replay.graph import Graph
    from tb_plugin.replay.replay import Durations

_PINNED_NS: Final = 10_000
"""What starting a copy from pinned memory takes the host; one from pageable memory is a copy of the host's first."""

_GRAPH_LAUNCH_NS: Final = 10_000
"""What starting a graph takes the host."""

Change = Edit | Less


def edited(graph: Graph, changes: Sequence[Change]) -> Durations:
    """All changes at once. Raises NotFoundError for what the profile does not have."""
    version = Version(graph)
    for change in changes:
        if isinstance(change, Less):
            change.apply(version)
        elif change.factor != 1:
            _Asked(version).take(change)
        elif change.subject not in ("launch", "sync", "copy") and not (change.subject == "host" and not change.name):
            _Asked(Version(graph)).take(replace(change, factor=0.0))  # what it names is there
    return version.durations()


class _Asked:
    """Takes edits into a version."""

    def __init__(self, version: Version) -> None:
        self.version, self.graph, self.trace = version, version.graph, version.trace

    def take(self, edit: Edit) -> None:
        version = self.version
        match edit.subject:
            case "host" if not edit.name:
                version.all_host *= edit.factor
            case "host":
                version.host.scale(times_of(self.trace, self._named(edit, HOST_KINDS)), edit.factor)
            case "line":
                version.host.scale(line_times(self.trace, edit.name), edit.factor)
            case "python":
                version.host.scale(between_operators(self.graph), edit.factor)
            case "loader":
                version.host.scale(times_of(self.trace, self._loader()), edit.factor)
            case "launch":
                version.launches *= edit.factor
            case "sync":
                self._cut(edit)
            case "copy":
                self._hide(self._work_of(edit) if edit.name else self.trace.events.kind[self.graph.work.row] == Kind.COPY)
            case "operator":
                rows = self._named(edit, (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON))
                self._scale(edit, self._below(rows), times_of(self.trace, rows))
            case "module":
                rows, work = self._module(edit)
                self._scale(edit, work, times_of(self.trace, rows))
            case "kernel":
                self._scale(edit, self._work_of(edit), None)
            case "category":
                self._scale(edit, self._of_category(edit), None)
            case "graph":
                self._make_graph(*self._module(edit))
            case "fuse" | "attention":
                work = self._module(edit)[1] if edit.name else np.ones(len(self.graph.work.row), np.bool_)
                (fuse_chains if edit.subject == "fuse" else fuse_attention)(version, work)
            case "precision":
                version.work *= half_precision(self.graph)
            case "batch":
                version.work *= larger_batch(self.graph, edit.factor)
            case "finding":
                raise NotFoundError(f"edit={str(edit)!r}: there is no such finding, or it has no estimate")

    def _scale(self, edit: Edit, work: BoolArray, host: ByTrack | None) -> None:
        """Device work takes `factor` as long."""
        if edit.factor:
            self.version.work[work] *= edit.factor
        else:
            self.version.remove(work, host)

    def _hide(self, copies: BoolArray) -> None:
        """As if they took no time of their stream, and the calls that started them returned at once.

        Calls that wait for the stream still wait for what is before the copies on it.
        """
        self.version.is_gone |= copies
        call = self.graph.work.call[copies]
        self.version.most_call_ns[call[call != NONE]] = _PINNED_NS
        self.version.cut_waits[call[call != NONE]] = True

    def _cut(self, edit: Edit) -> None:
        if not edit.name:
            self.version.cut_waits |= self.graph.waits
            return
        inside = HostTime()
        inside.scale(times_of(self.trace, self._named(edit, HOST_KINDS)), 0.0)
        calls = self.graph.calls
        self.version.cut_waits |= self.graph.waits & inside.is_gone(calls.track, calls.start_ns)

    def _make_graph(self, rows: Int64Array, work: BoolArray) -> None:
        """Each time that the module is called, forward or backward, the host does nothing but to start it."""
        times = times_of(self.trace, rows)
        self.version.host.scale(times, 0.0)
        calls = self.graph.calls
        for track, merged in times.items():
            mine = np.flatnonzero(calls.track == track)
            first = np.searchsorted(calls.start_ns[mine], merged.start)
            launching = mine[distinct(first[first < len(mine)])]
            self.version.more_ns[launching] = _GRAPH_LAUNCH_NS
        edges = self.graph.edges
        inside = np.append(work, False)
        self.version.within_graph |= (edges.why == Why.STREAM) & inside[edges.from_work] & inside[edges.to_work]

    def _module(self, edit: Edit) -> tuple[Int64Array, BoolArray]:
        """(its rows on the host, its device work)."""
        paths = module_paths(self.trace)
        if not paths.is_there(edit.name):
            raise _not_found(edit, paths.texts)
        inside = paths.rows_in(edit.name)
        return np.flatnonzero(inside & is_kind(self.trace.events.kind, HOST_KINDS)), inside[self.graph.work.row]

    def _named(self, edit: Edit, kinds: Iterable[Kind]) -> Int64Array:
        rows = np.flatnonzero(is_kind(self.trace.events.kind, kinds))
        found = rows[rows_named(self.trace, rows, edit.name.__eq__)]
        if len(found) == 0:
            raise _not_found(edit, ())
        return found

    def _loader(self) -> Int64Array:
        rows = np.flatnonzero(is_kind(self.trace.events.kind, (Kind.ANNOTATION, Kind.OPERATOR)))
        found = rows[rows_named(self.trace, rows, DATA_LOADER_NAME.match)]
        if len(found) == 0:
            raise NotFoundError("edit='loader': there is no data loader in this profile")
        return found

    def _below(self, rows: Int64Array) -> BoolArray:
        """Work that these or what they called launched."""
        events, work = self.trace.events, self.graph.work.row
        is_named = np.zeros(len(events), np.bool_)
        is_named[rows] = True
        launched_by = np.where(events.launch[work] != NONE, events.launch[work], events.owner[work])
        below: BoolArray = marked_around(events.nest_parent, is_named, launched_by) != NONE
        return below

    def _work_of(self, edit: Edit) -> BoolArray:
        found = rows_named(self.trace, self.graph.work.row, edit.name.__eq__)
        if not found.any():
            raise _not_found(edit, ())
        return found

    def _of_category(self, edit: Edit) -> BoolArray:
        ids = [info.id for info in CATEGORIES]
        if edit.name not in ids:
            raise _not_found(edit, ids)
        found: BoolArray = category_by_row(self.trace)[self.graph.work.row] == ids.index(edit.name)
        return found


def _not_found(edit: Edit, known: Iterable[str]) -> NotFoundError:
    there = ", ".join([*known][:12])
    says = f"; there is {there}" if there else " in this profile"
    return NotFoundError(
        f"edit={str(edit)!r}: there is no such {'event' if edit.subject in ('host', 'sync') else edit.subject}{says}"
    )
