"""What a file's events say while the rest is still read. Each look adds up what was read since the last one, and no more."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.compute import intervals
from tb_plugin.compute.distinct import distinct
from tb_plugin.formats.kineto import head
from tb_plugin.trace.json_text import NOT_JSON
from tb_plugin.trace.kinds import DEVICE_KINDS, STEP_NAME, Kind, is_kind
from tb_plugin.trace.so_far import DeviceSoFar, NameSoFar, SoFar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray
    from tb_plugin.formats.kineto.chunk import ChunkColumns
    from tb_plugin.trace.model import TraceInfo

EVERY_S: Final = 0.5
_MOST_OF_THE_TIME: Final = 0.05
_MOST_NAMES: Final = 8
_MOST_LETTERS: Final = 300
_MOST_DEVICES: Final = 16


class Telling:
    """Tells at most twice a second, and spends at most a twentieth of the time on it."""

    def __init__(self, columns: ChunkColumns, tell: Callable[[SoFar], None]) -> None:
        self._columns = columns
        self._tell = tell
        self._begun = time.monotonic()
        self._due = self._begun + EVERY_S
        self._info: TraceInfo | None = None
        self._n_parts = 0
        self._count: npt.NDArray[np.float64] = np.zeros(0)  # by label
        self._total_ns: npt.NDArray[np.float64] = np.zeros(0)
        self._work: dict[str, tuple[int, intervals.Merged]] = {}  # by process, which is the device: events, busy time

    def look(self, part: float, text_before: bytes) -> None:
        """`part` of the file is read; `text_before` stands before its events."""
        now = time.monotonic()
        if now < self._due:
            return
        self._add_up()
        self._tell(self._so_far(part, now - self._begun, text_before))
        took_s = time.monotonic() - now
        self._due = now + max(EVERY_S, took_s / _MOST_OF_THE_TIME)

    def _add_up(self) -> None:
        label, track, start, duration = self._columns.since(self._n_parts)
        self._n_parts = self._columns.n_parts
        kinds = np.array(self._columns.labels.kinds, np.uint8)
        self._count = _sum(self._count, np.bincount(label, minlength=len(kinds)))
        self._total_ns = _sum(self._total_ns, np.bincount(label, duration, len(kinds)))
        rows = np.flatnonzero(is_kind(kinds, DEVICE_KINDS)[label])
        for number in distinct(track[rows]).tolist():
            mine = rows[track[rows] == number]
            device = self._columns.tracks_so_far[number].pid
            n_events, busy = self._work.get(device, (0, intervals.EMPTY))
            more = intervals.union(start[mine], start[mine] + duration[mine])
            self._work[device] = (n_events + len(mine), intervals.join(busy, more))

    def _so_far(self, part: float, seconds: float, text_before: bytes) -> SoFar:
        if self._info is None:
            self._info = head.trace_info(_before(text_before), source="", base_ns=0, resolution_ns=1)
        labels = self._columns.labels
        names = [self._columns.strings.texts[name] for name in labels.name_ids]
        kinds = np.array(labels.kinds, np.uint8)
        steps = [place for place in np.flatnonzero(kinds == Kind.ANNOTATION).tolist() if STEP_NAME.match(names[place])]
        n_steps = int(self._count[steps].sum())
        return SoFar(
            part=min(part, 1.0),
            n_events=self._columns.n_events,
            seconds=seconds,
            rank=self._info.rank,
            n_tracks=len(self._columns.tracks_so_far),
            device_names=[device.name for device in self._info.devices][:_MOST_DEVICES],
            n_steps=n_steps,
            mean_step_ns=int(self._total_ns[steps].sum() / n_steps) if n_steps else None,
            operators=self._most(names, kinds == Kind.OPERATOR),
            kernels=self._most(names, kinds == Kind.KERNEL),
            devices=[
                DeviceSoFar(name=device, n_events=n_events, busy_ns=intervals.length(busy), span_ns=_span_ns(busy))
                for device, (n_events, busy) in sorted(self._work.items())[:_MOST_DEVICES]
            ],
        )

    def _most(self, names: list[str], chosen: BoolArray) -> list[NameSoFar]:
        labels = np.flatnonzero(chosen)
        most = labels[np.argsort(-self._total_ns[labels], kind="stable")][:_MOST_NAMES].tolist()
        return [
            NameSoFar(name=names[label][:_MOST_LETTERS], count=int(self._count[label]), total_ns=int(self._total_ns[label]))
            for label in most
        ]


def _sum(known: npt.NDArray[np.float64], more: npt.NDArray[np.number]) -> npt.NDArray[np.float64]:
    """By label; there are more labels than before."""
    found = more.astype(np.float64)
    found[: len(known)] += known
    return found


def _span_ns(busy: intervals.Merged) -> int:
    return int(busy.end[-1] - busy.start[0]) if len(busy.start) else 0


def _before(text: bytes) -> dict[str, Any]:
    """The keys before the list of events; {} where they cannot be read yet, or there are none."""
    with contextlib.suppress(*NOT_JSON):
        found = msgspec.json.decode(text + b"]}")
        if isinstance(found, dict):
            return found
    return {}
