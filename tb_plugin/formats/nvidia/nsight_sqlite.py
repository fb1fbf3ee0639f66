"""Nsight Systems' export (`nsys export --type sqlite`, or `nsys profile --export sqlite`) to a Trace.

    NVTX_EVENTS                                  ranges (59 push/pop, 60 start/end), marks (34), names of threads and domains
    CUPTI_ACTIVITY_KIND_RUNTIME                  calls of the runtime and the driver; 67 in `eventClass` repeats one for its stack
    CUPTI_ACTIVITY_KIND_KERNEL, MEMCPY, MEMSET, SYNCHRONIZATION, GRAPH_TRACE    device work
    StringIds, ThreadNames, PROCESSES, TARGET_INFO_*, META_DATA_EXPORT          names, devices, clock, version

Times are ns since the session's start, whose Unix time TARGET_INFO_SESSION_START_TIME gives. A globalTid holds the process
in bits 24 to 47 and the thread below; a globalPid is one with thread 0. Tables are there only when they have rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base import progress
from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.formats.nvidia import sqlite_tables
from tb_plugin.formats.nvidia.cupti_names import MEMORY_KINDS, call_name
from tb_plugin.formats.nvidia.cupti_rows import OPEN, CuptiRows, Where
from tb_plugin.formats.nvidia.cupti_work import LAUNCH, PLACE
from tb_plugin.formats.nvidia.nsight_target import TargetMachine
from tb_plugin.trace.build import build
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TraceInfo

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.content import Content
    from tb_plugin.formats.nvidia.sqlite_tables import TableColumns, Tables
    from tb_plugin.trace.model import Trace

FORMAT: Final = "nsight-sqlite"

_READ = 0.85  # of the time; building is the rest
_TABLE = "CUPTI_ACTIVITY_KIND_"
_CALL_STACK = 67  # eventClass
_MARK, _THREAD_NAME, _DOMAIN = 34, 39, 75  # eventType; the second of each pair below is of imported NVTX
_PUSH_POP, _START_END = (59, 70), (60, 71)
_NAMELESS = (33, 76)  # names of categories, ends of domains: nothing to show
_THREAD_BITS, _PROCESS_BITS = 0xFF_FFFF, 24
_MEMORY = {number - 1: name for number, name in MEMORY_KINDS.items() if number} | {7: "Unknown"}


def is_ours(content: Content) -> bool:
    events = {"NVTX_EVENTS", *(_TABLE + what for what in ("KERNEL", "RUNTIME", "MEMCPY"))}
    return "StringIds" in content.tables and bool(content.tables & events)


def read(path: Path, on_progress: OnProgress = progress.silent) -> Trace:
    """A complete Trace. FormatError when the file is damaged."""
    with sqlite_tables.opened(path) as tables:
        reading = _Reading(tables)
        steps = (reading.calls, reading.ranges, reading.kernels, reading.graphs, reading.transfers, reading.syncs, reading.names)
        bar = progress.part(on_progress, 0.0, _READ)
        for done, step in enumerate(steps):
            bar(done / len(steps), "reading")
            step()
        target = reading.target
        info = TraceInfo(
            source=path.name,
            format=FORMAT,
            base_ns=target.start_ns(),
            host=target.host(),
            devices=reading.devices,
            metadata=target.version(),
        )
        left_out = tables.left_out()
    rows = reading.rows
    if left_out:
        rows.issues.add("not shown", f"events of these tables are not shown: {', '.join(left_out)}", 0, len(left_out))
    raw = rows.finish(info)
    on_progress(_READ, "building")
    return build(raw)


class _Reading:
    """Tables of one file into rows."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._strings = tables.texts("StringIds", "id", "value")
        self._thread_names: dict[tuple[int, int], str] = {}
        self.rows = CuptiRows()
        self.target = TargetMachine(tables)
        work = [tables.read(_TABLE + what, ("globalPid",)) for what in ("KERNEL", "MEMCPY", "MEMSET")]
        self._several = len(np.unique(np.concatenate([_process(rows["globalPid"]) for rows in work]))) > 1
        self.devices = self.target.devices(physical=self._several)

    def calls(self) -> None:
        columns = ("start", "end", "globalTid", "correlationId", "nameId", "eventClass")
        rows = self._tables.read(_TABLE + "RUNTIME", columns, needs=("start", "end"))
        rows = _chosen(rows, rows["eventClass"] != _CALL_STACK)
        if rows.n_rows == 0:
            return
        name_id = self.rows.name_ids(rows["nameId"], lambda number: call_name(self._strings.get(number, "(call without a name)")))
        is_driver = np.array([text.startswith("cu") and not text.startswith("cuda") for text in self.rows.strings.texts])
        self.rows.add_calls(rows, name_id, self._threads(rows), is_driver[name_id])

    def ranges(self) -> None:
        ints = ("start", "end", "eventType", "globalTid", "textId", "domainId")
        rows = self._tables.read("NVTX_EVENTS", ints, ("text",), needs=("start",))
        kind = rows["eventType"] if rows.has("eventType") else np.full(rows.n_rows, _PUSH_POP[0])
        # Older exports write 0 for an end that is not there.
        end = np.where((rows["end"] > 0) | (rows["end"] >= rows["start"]), rows["end"], OPEN)
        rows = replace(rows, ints={**rows.ints, "end": end})
        named = _chosen(rows, kind == _DOMAIN)
        keys = zip(_process(named["globalTid"]).tolist(), named["domainId"].tolist(), strict=True)
        domains = dict(zip(keys, self._texts(named), strict=True))
        threads = _chosen(rows, kind == _THREAD_NAME)
        self._thread_names = dict(zip(_keys(threads["globalTid"]), self._texts(threads), strict=True))
        for wanted, add in (
            (_PUSH_POP, self.rows.add_ranges),
            (_START_END, self.rows.add_ranges),
            ((_MARK,), self.rows.add_marks),
        ):
            chosen = _chosen(rows, np.isin(kind, wanted))
            if chosen.n_rows:
                process = _process(chosen["globalTid"])
                # Start/end ranges may end on another thread: they nest in nothing.
                where = self.rows.beside_threads(process, "NVTX start/end") if wanted is _START_END else self._threads(chosen)
                of_row = zip(process.tolist(), chosen["domainId"].tolist(), strict=True)
                add(chosen, self._texts(chosen), where, [domains.get(key, "") for key in of_row])
        if other := int((~np.isin(kind, (*_PUSH_POP, *_START_END, *_NAMELESS, _MARK, _THREAD_NAME, _DOMAIN))).sum()):
            self.rows.issues.add("NVTX record", "NVTX records that are neither a range nor a mark are not shown", 0, other)

    def kernels(self) -> None:
        names = ("demangledName", "shortName", "mangledName")
        rows = self._work("KERNEL", (*LAUNCH, *names))
        name = np.select([rows[column] > 0 for column in names], [rows[column] for column in names], NONE)
        name_id = self.rows.name_ids(name, lambda number: self._strings.get(number, "(kernel without a name)"))
        multiprocessors = {device.index: device.multiprocessors or 0 for device in self.devices}
        self.rows.add_kernels(rows, name_id, _process(rows["globalPid"]), multiprocessors)

    def graphs(self) -> None:
        """CUDA graphs that were traced as one piece each: their kernels are not in the file."""
        rows = self._work("GRAPH_TRACE", (*LAUNCH, "graphId"))
        name_id = self.rows.name_ids(rows["graphId"], lambda number: f"CUDA graph {number}" if number >= 0 else "CUDA graph")
        self.rows.add_kernels(rows, name_id, _process(rows["globalPid"]), {})

    def transfers(self) -> None:
        memory = self.target.memory_kinds() or _MEMORY
        rows = self._work("MEMCPY", ("bytes", "copyKind", "srcKind", "dstKind"))
        self.rows.add_transfers(rows, Kind.COPY, self.rows.copy_name_ids(rows, memory), _process(rows["globalPid"]))
        rows = self._work("MEMSET", ("bytes", "memKind"))
        name_id = self.rows.name_ids(rows["memKind"], lambda kind: f"Memset ({memory.get(kind, 'Unknown')})")
        self.rows.add_transfers(rows, Kind.SET, name_id, _process(rows["globalPid"]))

    def syncs(self) -> None:
        rows = self._work("SYNCHRONIZATION", ("syncType",))
        self.rows.add_syncs(rows, rows["syncType"], _process(rows["globalPid"]))

    def names(self) -> None:
        """Names of the threads and processes that have events."""
        rows = self._tables.read("ThreadNames", ("nameId", "globalTid"))
        texts = [self._strings.get(number, "") for number in rows["nameId"].tolist()]
        # A name that the program gave itself, by NVTX, is the better one.
        named = dict(zip(_keys(rows["globalTid"]), texts, strict=True)) | self._thread_names
        by_text = {(str(process), str(thread)): name for (process, thread), name in named.items()}
        processes = self.target.process_names()
        for track in self.rows.host_tracks():
            track.thread_name = by_text.get((track.pid, track.tid), track.thread_name)
            track.process_name = processes.get(track.pid, "")

    def _work(self, what: str, columns: tuple[str, ...]) -> TableColumns:
        rows = self._tables.read(_TABLE + what, (*PLACE, *columns, "globalPid"), needs=("start", "end"))
        if self._several and rows.n_rows:
            # Every process counts its devices from 0: with several, only the machine's own numbers tell devices apart.
            device = self.target.physical(_process(rows["globalPid"]), rows["deviceId"])
            rows = replace(rows, ints={**rows.ints, "deviceId": device})
        return rows

    def _threads(self, rows: TableColumns) -> Where:
        return self.rows.threads(_process(rows["globalTid"]), _thread(rows["globalTid"]))

    def _texts(self, rows: TableColumns) -> list[str]:
        pairs = zip(rows.others["text"], rows["textId"].tolist(), strict=True)
        return [text if isinstance(text, str) and text else self._strings.get(number, "") for text, number in pairs]


def _process(serial: Int64Array) -> Int64Array:
    return np.where(serial == NONE, NONE, (serial >> _PROCESS_BITS) & _THREAD_BITS)


def _thread(serial: Int64Array) -> Int64Array:
    return np.where(serial == NONE, NONE, serial & _THREAD_BITS)


def _keys(serial: Int64Array) -> list[tuple[int, int]]:
    return list(zip(_process(serial).tolist(), _thread(serial).tolist(), strict=True))


def _chosen(rows: TableColumns, which: Any) -> TableColumns:
    places = np.flatnonzero(which)
    return replace(
        rows,
        n_rows=len(places),
        ints={name: values[places] for name, values in rows.ints.items()},
        others={name: [values[place] for place in places.tolist()] for name, values in rows.others.items()},
    )
