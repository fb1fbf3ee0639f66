"""nvprof's own database (`nvprof -o FILE`, `--export-profile`) to a Trace.

    CUPTI_ACTIVITY_KIND_MARKER               one row per start, end or instant of an NVTX range; a range's two share `id`
    CUPTI_ACTIVITY_KIND_RUNTIME, _DRIVER     calls, by `cbid`
    CUPTI_ACTIVITY_KIND_[CONCURRENT_]KERNEL  kernels; `name` is an id in StringTable, where names are mangled
    CUPTI_ACTIVITY_KIND_MEMCPY, MEMCPY2, MEMSET, SYNCHRONIZATION, DEVICE, NAME, StringTable

Times are ns since 1970. Unlike `torch.autograd.profiler.load_nvprof` this keeps them so, and names what was called.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError
from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.formats.nvidia import sqlite_tables
from tb_plugin.formats.nvidia.cupti_names import DRIVER_CALLS, MEMORY_KINDS, RUNTIME_CALLS
from tb_plugin.formats.nvidia.cupti_rows import OPEN, CuptiRows, Where
from tb_plugin.formats.nvidia.cupti_work import LAUNCH, PLACE
from tb_plugin.formats.nvidia.nvprof_demangle import demangled
from tb_plugin.formats.nvidia.sqlite_tables import TableColumns
from tb_plugin.trace.build import build
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Device, TraceInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.content import Content
    from tb_plugin.formats.nvidia.sqlite_tables import Tables
    from tb_plugin.trace.model import Trace

FORMAT: Final = "nvprof-sqlite"

_READ = 0.85  # of the time; building is the rest
_TABLE = "CUPTI_ACTIVITY_KIND_"
_INSTANT, _START, _END = 1, 2, 4  # CUpti_ActivityFlag of markers
_THREAD = 2  # CUpti_ActivityObjectKind
_THREAD_BITS = 0xFFFF_FFFF  # calls and markers extend the number of a thread differently


def is_ours(content: Content) -> bool:
    return "StringTable" in content.tables and any(name.startswith(_TABLE) for name in content.tables)


def read(path: Path, on_progress: OnProgress = progress.silent) -> Trace:
    """A complete Trace. FormatError when an id that must be unique comes twice, or the file is damaged."""
    with sqlite_tables.opened(path) as tables:
        reading = _Reading(path, tables)
        steps = (reading.calls, reading.markers, reading.kernels, reading.transfers, reading.syncs, reading.thread_names)
        bar = progress.part(on_progress, 0.0, _READ)
        for done, step in enumerate(steps):
            bar(done / len(steps), "reading")
            step()
        info = TraceInfo(source=path.name, format=FORMAT, devices=reading.devices)
        left_out = tables.left_out()
    rows = reading.rows
    if left_out:
        rows.issues.add("not shown", f"events of these tables are not shown: {', '.join(left_out)}", 0, len(left_out))
    raw = rows.finish(info)
    on_progress(_READ, "building")
    return build(raw)


class _Reading:
    """Tables of one file into rows."""

    def __init__(self, path: Path, tables: Tables) -> None:
        self._path = path
        self._tables = tables
        self.rows = CuptiRows()
        self._strings, unknown = demangled(tables.texts("StringTable", "_id_", "value"))
        if unknown:
            self.rows.issues.add("mangled name", "kernel names are shown as the linker knows them", 0, unknown)
        self.devices = self._devices()
        self._threads: set[tuple[int, int]] = set()

    def calls(self) -> None:
        for table, names, what in (("RUNTIME", RUNTIME_CALLS, "runtime"), ("DRIVER", DRIVER_CALLS, "driver")):
            columns = ("_id_", "cbid", "start", "end", "processId", "threadId", "correlationId")
            rows = self._tables.read(_TABLE + table, columns, needs=("start", "end", "correlationId"))
            self._expect_unique(rows["_id_"], _TABLE + table)
            thread = np.where(rows["threadId"] == NONE, NONE, rows["threadId"] & _THREAD_BITS)
            self._threads |= set(zip(rows["processId"].tolist(), thread.tolist(), strict=True))
            name_id = self.rows.name_ids(rows["cbid"], _call_name(names, what))
            where = self.rows.threads(rows["processId"], thread) if rows.n_rows else _nowhere()
            self.rows.add_calls(rows, name_id, _one_process(where), np.full(rows.n_rows, what == "driver"))

    def markers(self) -> None:
        columns = ("id", "timestamp", "name", "flags", "domain")
        rows = self._tables.read(_TABLE + "MARKER", columns, ("objectId",), needs=("id", "timestamp", "name"))
        if rows.n_rows == 0:
            return
        process, thread = self._object_ids(rows.others["objectId"])
        flags = np.where(rows["flags"] > 0, rows["flags"], np.where(rows["name"] > 0, _START, _END))
        is_instant = (flags & _INSTANT) > 0
        starts = np.flatnonzero(~is_instant & ((flags & _START) > 0))
        ends = np.flatnonzero(~is_instant & ((flags & _END) > 0))
        self._expect_unique(rows["id"][is_instant | ((flags & _START) > 0)], "CUPTI_ACTIVITY_KIND_MARKER")
        self._expect_unique(rows["id"][ends], "CUPTI_ACTIVITY_KIND_MARKER")
        if orphans := int((~np.isin(rows["id"][ends], rows["id"][starts])).sum()):
            self.rows.issues.add("no start", "ends of ranges that began before the recording are not shown", 0, orphans)
        at, by_id = rows["timestamp"], ends[np.argsort(rows["id"][ends])]
        for chosen, add in ((starts, self.rows.add_ranges), (np.flatnonzero(is_instant), self.rows.add_marks)):
            if len(chosen):
                end = _matched(rows["id"][chosen], rows["id"][by_id], at[by_id])
                part = TableColumns(n_rows=len(chosen), ints={"start": at[chosen], "end": end}, others={})
                texts, domains = (
                    [self._strings.get(number, "") for number in rows[name][chosen].tolist()] for name in ("name", "domain")
                )
                add(part, texts, _one_process(self.rows.threads(process[chosen], thread[chosen])), domains)

    def kernels(self) -> None:
        multiprocessors = {device.index: device.multiprocessors or 0 for device in self.devices}
        for table in ("CONCURRENT_KERNEL", "KERNEL"):
            rows = self._tables.read(_TABLE + table, (*PLACE, *LAUNCH, "name"), needs=("start", "end", "name"))
            name_id = self.rows.name_ids(rows["name"], lambda number: self._strings.get(number, "(kernel without a name)"))
            self.rows.add_kernels(rows, name_id, _zeros(rows), multiprocessors)

    def transfers(self) -> None:
        for table in ("MEMCPY", "MEMCPY2"):
            rows = self._tables.read(_TABLE + table, (*PLACE, "bytes", "copyKind", "srcKind", "dstKind"), needs=("start", "end"))
            self.rows.add_transfers(rows, Kind.COPY, self.rows.copy_name_ids(rows, MEMORY_KINDS), _zeros(rows))
        rows = self._tables.read(_TABLE + "MEMSET", (*PLACE, "bytes", "memoryKind"), needs=("start", "end"))
        name_id = self.rows.name_ids(rows["memoryKind"], lambda kind: f"Memset ({MEMORY_KINDS.get(kind, 'Unknown')})")
        self.rows.add_transfers(rows, Kind.SET, name_id, _zeros(rows))

    def syncs(self) -> None:
        rows = self._tables.read(_TABLE + "SYNCHRONIZATION", (*PLACE, "type", "contextId"), needs=("start", "end"))
        if rows.n_rows and not rows.has("deviceId"):
            contexts = self._tables.read(_TABLE + "CONTEXT", ("contextId", "deviceId"))
            of_context = dict(zip(contexts["contextId"].tolist(), contexts["deviceId"].tolist(), strict=True))
            device = np.array([of_context.get(context, NONE) for context in rows["contextId"].tolist()], np.int64)
            rows = replace(rows, ints={**rows.ints, "deviceId": device})
        self.rows.add_syncs(rows, rows["type"], _zeros(rows))

    def thread_names(self) -> None:
        rows = self._tables.read(_TABLE + "NAME", ("objectKind", "name"), ("objectId",))
        process, thread = self._object_ids(rows.others["objectId"])
        listed = (column.tolist() for column in (rows["objectKind"], rows["name"], process, thread))
        threads = [(name, str(pid), str(tid)) for kind, name, pid, tid in zip(*listed, strict=True) if kind == _THREAD]
        named = {(pid, tid): self._strings.get(name, "") for name, pid, tid in threads}
        for track in self.rows.host_tracks():
            track.thread_name = named.get((track.pid, track.tid), track.thread_name)

    def _object_ids(self, blobs: list[Any]) -> tuple[Int64Array, Int64Array]:
        """(process, thread) from the first 8 bytes of each objectId; without them the only thread that calls CUDA."""
        sound = [blob[:8] if isinstance(blob, bytes) and len(blob) >= 8 else b"" for blob in blobs]
        known = np.fromiter(map(bool, sound), np.bool_, len(sound))
        numbers = np.frombuffer(b"".join(blob or bytes(8) for blob in sound), "<u4").astype(np.int64).reshape(-1, 2)
        alone = next(iter(self._threads)) if len(self._threads) == 1 else (NONE, NONE)
        return np.where(known, numbers[:, 0], alone[0]), np.where(known, numbers[:, 1], alone[1])

    def _devices(self) -> tuple[Device, ...]:
        facts = ("id", "name", "globalMemorySize", "numMultiprocessors", "computeCapabilityMajor", "computeCapabilityMinor")
        rows = self._tables.read(_TABLE + "DEVICE", facts)
        listed = zip(*(rows[name].tolist() for name in facts), strict=True)
        return tuple(
            Device(
                index=index,
                name=self._strings.get(name, ""),
                memory_bytes=_known(memory),
                multiprocessors=_known(sms),
                compute_capability=f"{major}.{max(minor, 0)}" if major > 0 else None,
            )
            for index, name, memory, sms, major, minor in listed
            if index >= 0
        )

    def _expect_unique(self, ids: Int64Array, table: str) -> None:
        distinct, counts = np.unique(ids[ids != NONE], return_counts=True)
        if (counts > 1).any():
            raise FormatError(str(self._path), f"table {table} has the id {distinct[counts > 1][0]} more than once")


def _call_name(names: Mapping[int, str], what: str) -> Callable[[int], str]:
    return lambda number: names.get(number, f"cuda {what} call {number}")


def _matched(ids: Int64Array, sorted_ids: Int64Array, values: Int64Array) -> Int64Array:
    """The value with each id, OPEN where there is none."""
    if len(sorted_ids) == 0:
        return np.full(len(ids), OPEN, np.int64)
    place = np.minimum(np.searchsorted(sorted_ids, ids), len(sorted_ids) - 1)
    return np.where(sorted_ids[place] == ids, values[place], OPEN)


def _one_process(where: Where) -> Where:
    """Device work names no process: a file of nvprof has one."""
    return replace(where, process=np.zeros_like(where.process))


def _nowhere() -> Where:
    return Where(process=np.empty(0, np.int64), track=np.empty(0, np.int32))


def _zeros(rows: TableColumns) -> Int64Array:
    return np.zeros(rows.n_rows, np.int64)


def _known(number: int) -> int | None:
    return number if number >= 0 else None
