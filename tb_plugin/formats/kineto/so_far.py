"""What a file's events say while the rest is still read. Each look adds up what was read since the last one, and no more."""

from __future__ import annotations

import contextlib
import itertools
import re
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.compute import intervals
from tb_plugin.compute.distinct import distinct
from tb_plugin.formats.interning import Labels, Strings
from tb_plugin.formats.kineto import head
from tb_plugin.trace.json_text import NOT_JSON
from tb_plugin.trace.kinds import DEVICE_KINDS, STEP_NAME, Kind, is_kind
from tb_plugin.trace.so_far import DeviceSoFar, LaneSoFar, NameSoFar, SoFar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray
    from tb_plugin.formats.kineto.chunk import ChunkColumns
    from tb_plugin.formats.kineto.stretches import ReadAlone
    from tb_plugin.trace.model import TraceInfo

EVERY_S: Final = 0.5
MOST_WAIT_S: Final = 1.2
_MOST_OF_THE_TIME: Final = 0.05
_MOST_NAMES: Final = 50
_MOST_LETTERS: Final = 300
_MOST_DEVICES: Final = 16
_MOST_THREADS: Final = 8
_LANE_PARTS: Final = 160
_MOST_ENDS: Final = 16
_LAST_EVENT_END = re.compile(rb"\}\s*\]")


class Telling:
    """Tells twice a second, less often where that takes over a twentieth of the time. Where it told, once more at the end."""

    def __init__(self, columns: ChunkColumns, tell: Callable[[SoFar], None]) -> None:
        self._columns = columns
        self._tell = tell
        self._begun = time.monotonic()
        self._due = self._begun + EVERY_S
        self._has_told = False
        self._info: TraceInfo | None = None
        self._text_behind: bytes | None = None
        self._n_parts = 0
        self._labels = Labels(Strings())
        self._read = _Sums(self._labels, is_first=True)
        self._elsewhere: dict[int, _Sums] = {}  # by part, until it is put behind what is read here

    def look(self, part: float, text_before: bytes) -> None:
        """`part` of the file is read; `text_before` stands before its events."""
        now = time.monotonic()
        if now < self._due:
            return
        worked = time.thread_time()  # by the clock a look takes long where others want the processor too
        self._read.add(self._columns, self._n_parts)
        self._n_parts = self._columns.n_parts
        self._tell(self._so_far(part, now - self._begun, text_before))
        self._has_told = True
        self._due = now + min(max(EVERY_S, (time.thread_time() - worked) / _MOST_OF_THE_TIME), MOST_WAIT_S)

    def all_read(self, text_before: bytes) -> None:
        if self._has_told and self._columns.n_parts > self._n_parts:
            self._due = 0.0
            self.look(1.0, text_before)

    def hear(self, part: ReadAlone) -> None:
        """What somebody else read counts too."""
        sums = self._elsewhere[id(part)] = _Sums(self._labels, is_last=part.is_last)
        sums.add(part.columns, 0)
        if part.is_last:
            self._text_behind = part.stream.seam.carry
            self._info = None

    def forget(self, part: ReadAlone) -> None:
        """It is read here too, or joined, from now on."""
        self._elsewhere.pop(id(part), None)

    def _so_far(self, part: float, seconds: float, text_before: bytes) -> SoFar:
        if self._info is None:
            self._info = head.trace_info(_around(text_before, self._text_behind), source="", base_ns=0, resolution_ns=1)
        sums = self._read
        if self._elsewhere:
            sums = _Sums(self._labels)
            for each in (self._read, *self._elsewhere.values()):
                sums.join(each)
        names = [self._labels.strings.texts[name] for name in self._labels.name_ids]
        kinds = np.array(self._labels.kinds, np.uint8)
        steps = [place for place in np.flatnonzero(kinds == Kind.ANNOTATION).tolist() if STEP_NAME.match(names[place])]
        n_steps = int(sums.count[steps].sum())
        devices, threads = sums.devices(), sums.threads()
        span_ns, lanes = _lanes(devices, threads, is_all=part >= 1.0)
        return SoFar(
            part=min(part, 1.0),
            n_events=sums.n_events,
            seconds=seconds,
            rank=self._info.rank,
            n_tracks=len(sums.tracks),
            device_names=[device.name for device in self._info.devices][:_MOST_DEVICES],
            n_steps=n_steps,
            mean_step_ns=int(sums.total_ns[steps].sum() / n_steps) if n_steps else None,
            operators=sums.most(names, kinds == Kind.OPERATOR),
            kernels=sums.most(names, kinds == Kind.KERNEL),
            devices=[
                DeviceSoFar(
                    name=device,
                    n_events=work.n_events,
                    busy_ns=intervals.length(work.busy),
                    span_ns=intervals.length(work.within),
                )
                for device, work in devices
            ],
            span_ns=span_ns,
            lanes=lanes,
        )


class _Work(NamedTuple):
    """What ran on a device, or operators of a thread.

    `within`: from first begin to last end of each part of the file that is read in one piece. Nothing of it comes before what is
    read of the file's beginning, nor after what is read of its end.
    """

    n_events: int
    busy: intervals.Merged
    within: intervals.Merged
    has_begin: bool = False
    has_end: bool = False

    def and_also(self, other: _Work) -> _Work:
        return _Work(
            self.n_events + other.n_events,
            intervals.join(self.busy, other.busy),
            intervals.join(self.within, other.within),
            self.has_begin or other.has_begin,
            self.has_end or other.has_end,
        )

    def known_of(self, whole: intervals.Merged) -> intervals.Merged:
        """Where of the whole time nothing more of it can come."""
        start, end = self.within
        if len(start) == 0:
            return intervals.EMPTY
        before = intervals.union(whole.start if self.has_begin else start[:1], end[:1])
        behind = intervals.union(start[-1:], whole.end if self.has_end else end[-1:])
        return intervals.join(before, self.within, behind)


_NO_WORK: Final = _Work(0, intervals.EMPTY, intervals.EMPTY)


class _Sums:
    """Of some of the events: how many and how long by label, and what ran on devices."""

    def __init__(self, labels: Labels, *, is_first: bool = False, is_last: bool = False) -> None:
        self._labels = labels
        self._is_first = is_first
        self._is_last = is_last
        self.n_events = 0
        self._count: npt.NDArray[np.float64] = np.zeros(0)  # of the labels known when these were counted
        self._total_ns: npt.NDArray[np.float64] = np.zeros(0)
        self.tracks: set[tuple[str, str]] = set()
        self._work: dict[
            tuple[str, str | None], _Work
        ] = {}  # by process, which is the device; of operators by process and thread

    @property
    def count(self) -> npt.NDArray[np.float64]:
        return _padded(self._count, len(self._labels.kinds))

    @property
    def total_ns(self) -> npt.NDArray[np.float64]:
        return _padded(self._total_ns, len(self._labels.kinds))

    def add(self, columns: ChunkColumns, n_parts: int) -> None:
        """All but the first `n_parts` chunks of it: what follows those in the file."""
        label, track, start, duration = columns.since(n_parts)
        label = np.fromiter(map(self._labels.__getitem__, columns.labels), np.int32, len(columns.labels))[label]
        kinds = np.array(self._labels.kinds, np.uint8)
        self.n_events += len(label)
        self._count = self.count + np.bincount(label, minlength=len(kinds))
        self._total_ns = self.total_ns + np.bincount(label, duration, len(kinds))
        self.tracks.update((each.pid, each.tid) for each in columns.tracks_so_far)
        for kind, is_device in ((is_kind(kinds, DEVICE_KINDS), True), (kinds == Kind.OPERATOR, False)):
            rows = np.flatnonzero(kind[label])
            for number in distinct(track[rows]).tolist():
                mine = rows[track[rows] == number]
                busy = intervals.union(start[mine], start[mine] + duration[mine])
                where = columns.tracks_so_far[number]
                self._put((where.pid, None if is_device else where.tid), _Work(len(mine), busy, intervals.EMPTY))
        self._work = {
            key: work._replace(within=_hull(work.busy), has_begin=self._is_first, has_end=self._is_last)
            for key, work in self._work.items()
        }

    def _put(self, key: tuple[str, str | None], work: _Work) -> None:
        self._work[key] = self._work.get(key, _NO_WORK).and_also(work)

    def devices(self) -> list[tuple[str, _Work]]:
        return sorted((pid, work) for (pid, tid), work in self._work.items() if tid is None)[:_MOST_DEVICES]

    def threads(self) -> list[tuple[str, _Work]]:
        """Those with most time in operators; with their process, where there are several."""
        threads = {key: work for key, work in self._work.items() if key[1] is not None}
        is_one = len({pid for pid, _ in threads}) == 1
        found = [(str(tid) if is_one else f"{tid} of process {pid}", work) for (pid, tid), work in threads.items()]
        return sorted(found, key=lambda one: -intervals.length(one[1].busy))[:_MOST_THREADS]

    def join(self, other: _Sums) -> None:
        self.n_events += other.n_events
        self._count = self.count + other.count
        self._total_ns = self.total_ns + other.total_ns
        self.tracks |= other.tracks
        for key, work in other._work.items():
            self._put(key, work)

    def most(self, names: list[str], chosen: BoolArray) -> list[NameSoFar]:
        """Labels of the most time among the chosen ones."""
        count, total_ns = self.count, self.total_ns
        labels = np.flatnonzero(chosen & (count > 0))
        found = labels[np.argsort(-total_ns[labels], kind="stable")][:_MOST_NAMES].tolist()
        return [
            NameSoFar(name=names[label][:_MOST_LETTERS], count=int(count[label]), total_ns=int(total_ns[label]))
            for label in found
        ]


def _padded(sums: npt.NDArray[np.float64], n: int) -> npt.NDArray[np.float64]:
    """By label, of which there are more than before."""
    return np.concatenate((sums, np.zeros(n - len(sums))))


def _hull(busy: intervals.Merged) -> intervals.Merged:
    return intervals.union(busy.start[:1], busy.end[-1:])


def _lanes(devices: list[tuple[str, _Work]], threads: list[tuple[str, _Work]], *, is_all: bool) -> tuple[int, list[LaneSoFar]]:
    """(span, lanes) over all that they hold."""
    hull = _hull(intervals.join(*(work.within for _, work in (*devices, *threads)), intervals.EMPTY))
    if len(hull.start) == 0:
        return 0, []
    edges = np.linspace(hull.start[0], hull.end[0], _LANE_PARTS + 1).astype(np.int64)

    def shares(work: _Work) -> list[float | None]:
        known = hull if is_all else work.known_of(hull)
        busy, read = (intervals.length_within(of, edges[:-1], edges[1:]).tolist() for of in (work.busy, known))
        return [round(part / whole, 3) if whole else None for part, whole in zip(busy, read, strict=True)]

    both = ((True, devices), (False, threads))
    lanes = [LaneSoFar(name=name, is_device=is_device, shares=shares(work)) for is_device, some in both for name, work in some]
    return int(hull.end[0] - hull.start[0]), lanes


def _around(before: bytes, behind: bytes | None) -> dict[str, Any]:
    """The keys around the list of events; those before it where the others cannot be read, {} where none can.

    `behind` has the last events too: the list may end wherever brackets close as at its end.
    """
    ends = itertools.islice(_LAST_EVENT_END.finditer(behind or b""), _MOST_ENDS)
    for text in (*(b"]" + behind[end.end() :] for end in ends if behind), b"]}"):
        with contextlib.suppress(*NOT_JSON):
            found = msgspec.json.decode(before + text)
            if isinstance(found, dict):
                return found
    return {}
