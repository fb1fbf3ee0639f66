"""Collects the rows of CUPTI's records, as nvprof and Nsight Systems store them, into a RawTrace. Knows no table of either.

Rows come with the columns `start`, `end` and `correlationId`, and with the number of their process (0 when there is one).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.formats.interning import Strings
from tb_plugin.formats.issue_log import IssueLog
from tb_plugin.formats.nvidia import nvtx_text
from tb_plugin.formats.nvidia.cupti_names import SYNC_KINDS, copy_name
from tb_plugin.formats.nvidia.cupti_work import WorkParts, launch_columns, shown, streams
from tb_plugin.trace.args import ArgsWriter
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.raw import RawEvents, RawTrace, RawTrack
from tb_plugin.trace.scope.recording import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tb_plugin.formats.nvidia.sqlite_tables import TableColumns
    from tb_plugin.trace.model import TraceInfo

OPEN = -2
"""An end that was not recorded: the range was still running."""

_LATEST = 1 << 61  # ns; times beyond are no times, and what is computed with them would overflow
_LONGEST_ARGS = 1 << 14
_ARGS_AT_ONCE = 1 << 14
_INTS = ("sequence", "external_id", "shapes_id")
_LABELS = ("name_id", "category_id", "kind", "track")


@dataclass(frozen=True, kw_only=True)
class Where:
    """The thread of each row: number of its process and its track."""

    process: Int64Array
    track: Int32Array


class CuptiRows:
    """Grows by `add_...`; `finish` once at the end."""

    def __init__(self) -> None:
        self.strings = Strings()
        self.issues = IssueLog()
        self.tracks: list[RawTrack] = []
        self._track_of: dict[tuple[object, ...], int] = {}
        self._args = ArgsWriter()
        self._n_rows = 0
        self._parts: list[dict[str, npt.NDArray[Any]]] = []
        self._work = WorkParts()

    def name_ids(self, numbers: Int64Array, name_of: Callable[[int], str]) -> Int32Array:
        """String ids for a column of numbers; each number is named once."""
        distinct, of_row = np.unique(numbers, return_inverse=True)
        return np.array([self.strings[name_of(n)] for n in distinct.tolist()], np.int32)[of_row.reshape(-1)]

    def copy_name_ids(self, copies: TableColumns, memory: Mapping[int, str]) -> Int32Array:
        """`Memcpy HtoD (Pinned -> Device)` for each row; `memory` names the file's numbers of memory kinds."""
        keys = np.stack([copies[name] for name in ("copyKind", "srcKind", "dstKind")], axis=1)
        distinct, of_row = np.unique(keys, axis=0, return_inverse=True)
        names = [copy_name(kind, memory.get(a, "Unknown"), memory.get(b, "Unknown")) for kind, a, b in distinct.tolist()]
        return np.array([self.strings[name] for name in names], np.int32)[of_row.reshape(-1)]

    def threads(self, process: Int64Array, thread: Int64Array) -> Where:
        """A track per thread that is seen."""

        def new(pid: int, tid: int) -> RawTrack:
            return RawTrack(pid=_id_text(pid), tid=_id_text(tid))

        return Where(process=process, track=self._tracks("thread", new, process, thread))

    def beside_threads(self, process: Int64Array, name: str) -> Where:
        """A track per process for what belongs to no thread."""

        def new(pid: int) -> RawTrack:
            return RawTrack(pid=_id_text(pid), tid=name, thread_name=name)

        return Where(process=process, track=self._tracks(name, new, process))

    def host_tracks(self) -> list[RawTrack]:
        """Threads and what stands beside them, so far."""
        return [self.tracks[place] for (what, *_), place in self._track_of.items() if what != "stream"]

    def add_calls(self, rows: TableColumns, name_id: Int32Array, where: Where, is_driver: BoolArray) -> None:
        """Calls of the CUDA runtime or driver."""
        category = np.where(is_driver, self.strings["cuda_driver"], self.strings["cuda_runtime"])
        args = shown({"correlation": rows["correlationId"]}) if rows.n_rows else None
        self._add(rows, np.where(is_driver, Kind.DRIVER, Kind.RUNTIME), category, name_id, where, args)

    def add_ranges(self, rows: TableColumns, texts: Sequence[str], where: Where, domains: Sequence[str] | None = None) -> None:
        """NVTX ranges: operators where torch wrote them, annotations else. An end of OPEN becomes the recording's end."""
        n = rows.n_rows
        parsed = {text: nvtx_text.parse(text) for text in set(texts)}
        ranges = [parsed[text] for text in texts]
        is_operator = np.fromiter((r.is_operator for r in ranges), np.bool_, n)
        args = (_with_domain(r.args, domain) for r, domain in zip(ranges, domains or [""] * n, strict=True))
        self._add(
            rows,
            np.where(is_operator, Kind.OPERATOR, Kind.ANNOTATION),
            np.where(is_operator, self.strings["cpu_op"], self.strings["user_annotation"]),
            np.fromiter((self.strings[r.name] for r in ranges), np.int32, n),
            where,
            args,
            sequence=np.fromiter((r.sequence for r in ranges), np.int64, n),
            external_id=np.fromiter((r.op_id for r in ranges), np.int64, n),
            shapes_id=np.fromiter((self.strings[r.shapes] if r.shapes else NONE for r in ranges), np.int64, n),
        )

    def add_marks(self, rows: TableColumns, texts: Sequence[str], where: Where, domains: Sequence[str] | None = None) -> None:
        """Instants."""
        n = rows.n_rows
        args = None if domains is None else (_with_domain(b"null", domain) for domain in domains)
        name_id = np.fromiter((self.strings[text] for text in texts), np.int32, n)
        instants = replace(rows, ints={**rows.ints, "end": rows["start"]})
        self._add(instants, np.full(n, Kind.INSTANT), np.full(n, self.strings["nvtx_mark"]), name_id, where, args)

    def add_kernels(
        self, rows: TableColumns, name_id: Int32Array, process: Int64Array, multiprocessors: Mapping[int, int]
    ) -> None:
        columns = launch_columns(rows, multiprocessors)
        more = {"grid": "grid", "block": "block", "registers per thread": "registers", "shared memory": "shared_bytes"}
        args = {shown_as: columns[name] for shown_as, name in more.items()}
        self._add_work(rows, Kind.KERNEL, "kernel", name_id, process, columns, args)

    def add_transfers(self, rows: TableColumns, kind: Kind, name_id: Int32Array, process: Int64Array) -> None:
        """Copies and sets."""
        columns = {"bytes": np.maximum(rows["bytes"], NONE)}
        self._add_work(rows, kind, "gpu_memcpy" if kind is Kind.COPY else "gpu_memset", name_id, process, columns, columns)

    def add_syncs(self, rows: TableColumns, types: Int64Array, process: Int64Array) -> None:
        """Waits for a stream, an event or a context."""
        name_id = self.name_ids(types, lambda number: SYNC_KINDS.get(number, f"Sync {number}"))
        self._add_work(rows, Kind.SYNC, "cuda_sync", name_id, process, None, {})

    def finish(self, info: TraceInfo) -> RawTrace:
        none = np.empty(0, np.int64)

        def given(name: str) -> npt.NDArray[Any]:
            return columns.get(name, none)

        columns = {name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]} if self._parts else {}
        start, end = given("start_ns"), given("end_ns")
        timed = (start != NONE) & (start > -_LATEST) & (start < _LATEST) & (end > -_LATEST) & (end < _LATEST)
        is_open = end == OPEN
        self._note_times(start, end, timed, is_open)
        end = np.where(is_open, np.maximum(start, end)[timed].max(initial=0), np.maximum(start, end))
        rows = np.flatnonzero(timed)
        told = (*_LABELS, "sequence", "external_id", "shapes_id")
        return RawTrace(
            n_orders=self._n_rows,
            strings=self.strings.texts,
            tracks=self.tracks,
            events=RawEvents.from_columns(
                {
                    "start_ns": start[rows],
                    "end_ns": end[rows],
                    "correlation": self._correlation(given("correlation"), given("process"))[rows],
                    "order": rows,
                    **{name: given(name)[rows] for name in told},
                }
            ),
            work=self._work.finish(),
            unfinished_order=np.flatnonzero(is_open & timed).astype(np.int32),
            args=self._args.finish(),
            info=info,
            issues=self.issues.as_list(),
        )

    def _note_times(self, start: Int64Array, end: Int64Array, timed: BoolArray, is_open: BoolArray) -> None:
        noted = (
            (NO_TIME, ~timed, "events without a time have no place on the timeline"),
            ("negative duration", timed & (end < start) & ~is_open, "events that end before they start are shown without length"),
            ("no end", timed & is_open, "ranges that were still running when the recording ended are shown up to there"),
        )
        for kind, rows, text in noted:
            if rows.any():
                self.issues.add(kind, text, 0, int(rows.sum()))

    def _add(
        self,
        rows: TableColumns,
        kind: npt.NDArray[np.integer],
        category_id: npt.NDArray[np.integer],
        name_id: Int32Array,
        where: Where,
        args: Iterator[bytes] | None,
        **ints: Int64Array,
    ) -> None:
        n = rows.n_rows
        if n == 0:
            return
        missing = np.full(n, NONE, np.int64)
        part: dict[str, npt.NDArray[Any]] = {name: ints.get(name, missing) for name in _INTS}
        part |= {"start_ns": rows["start"], "end_ns": rows["end"], "correlation": rows.ints.get("correlationId", missing)}
        part |= {"kind": kind, "category_id": category_id, "name_id": name_id, "track": where.track, "process": where.process}
        self._parts.append(part)
        texts = [b"null"] * n if args is None else list(args)
        # One text of a megabyte may be every row's.
        if n_long := sum(len(text) > _LONGEST_ARGS for text in texts):
            texts = [text if len(text) <= _LONGEST_ARGS else b"null" for text in texts]
            self.issues.add("long arguments", f"arguments of more than {_LONGEST_ARGS:,} bytes are left out", 0, n_long)
        for first in range(0, n, _ARGS_AT_ONCE):
            block = texts[first : first + _ARGS_AT_ONCE]
            self._args.add(b"[" + b",".join(block) + b"]", len(block))
        self._n_rows += n

    def _add_work(
        self,
        rows: TableColumns,
        kind: Kind,
        category: str,
        name_id: Int32Array,
        process: Int64Array,
        columns: dict[str, npt.NDArray[Any]] | None,
        args: Mapping[str, npt.NDArray[Any]],
    ) -> None:
        n = rows.n_rows
        if n == 0:
            return
        device, stream = streams(rows)
        self._work.add(np.arange(self._n_rows, self._n_rows + n), device, stream, columns)

        def new(_process: int, device: int, stream: int) -> RawTrack:
            return RawTrack(pid=str(device), tid=str(stream))

        where = Where(process=process, track=self._tracks("stream", new, process, device, stream))
        said = {"device": device, "stream": stream, "correlation": rows["correlationId"], **args}
        self._add(rows, np.full(n, kind), np.full(n, self.strings[category]), name_id, where, shown(said))

    def _tracks(self, what: str, new: Callable[..., RawTrack], *keys: Int64Array) -> Int32Array:
        distinct, of_row = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
        ids = []
        for key in distinct.tolist():
            place = self._track_of.setdefault((what, *key), len(self.tracks))
            if place == len(self.tracks):
                self.tracks.append(new(*key))
            ids.append(place)
        return np.array(ids, np.int32)[of_row.reshape(-1)]

    def _correlation(self, correlation: Int64Array, process: Int64Array) -> Int64Array:
        """Correlation ids count from 1 in every process: where a file holds several, each gets a range of its own."""
        said = correlation > 0
        processes = np.unique(process[said])
        if len(processes) < 2:
            return correlation
        own = correlation + (np.searchsorted(processes, process) << 32)
        return np.where(said & (correlation < 1 << 32), own, NONE)


def _id_text(number: int) -> str:
    return str(number) if number >= 0 else ""


def _with_domain(args: bytes, domain: str) -> bytes:
    if not domain:
        return args
    named = b'{"NVTX domain":' + msgspec.json.encode(domain)
    return named + b"}" if args == b"null" else named + b"," + args[1:]
