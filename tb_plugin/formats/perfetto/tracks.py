"""Descriptors of a Perfetto trace's tracks, each written before its first event."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tb_plugin.base.units import NONE
from tb_plugin.formats import slices
from tb_plugin.formats.perfetto import messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tb_plugin.trace.model import Trace

_LARGEST_PID = (1 << 31) - 1
_NUMBER = re.compile(r"[0-9]{1,10}")


class TrackDescriptors:
    """Numbers ("uuid") of tracks, from `after` on. `put` writes a packet.

    `below`: the name of a track that all others are put under, without threads: two profiles may have the same process.
    """

    def __init__(self, trace: Trace, pb: Any, put: Callable[[Any], None], *, below: str | None = None, after: int = 0) -> None:
        self._trace, self._pb, self._put = trace, pb, put
        self._numbers: dict[tuple[object, ...], int] = {}
        self._n_described = after
        self._below = below
        self._root: dict[str, int] = {}

    def describe(self, tracks: Iterable[int] | None) -> None:
        """The first lane of each of these, by default of all, so that they come in the order of the Trace."""
        if self._below is not None:
            self._root["parent_uuid"] = self._describe(name=_clean(self._below), child_ordering=messages.BY_RANK)
        for track in range(len(self._trace.tracks)) if tracks is None else tracks:
            self.lane(track, 0)

    def lane(self, track: int, number: int) -> int:
        """A lane of a thread or stream; the first lane is the thread itself."""
        key = ("lane", track, number)
        if key not in self._numbers:
            self._numbers[key] = self._thread(track, number) if self._is_thread(track) else self._plain(track)
        return self._numbers[key]

    def counter(self, name: str, track: int | None = None, *, unit: int = 0, unit_name: str = "") -> int:
        """A counter of the file, on `track`, or (None) a curve that we add."""
        key = ("counter", name, track, unit_name)
        if key not in self._numbers:
            counter = self._pb.CounterDescriptor(unit=unit, unit_name=_clean(unit_name))
            description = messages.ADDED if track is None else self._described_place(track)
            self._numbers[key] = self._describe(name=_clean(name), counter=counter, description=description, **self._root)
        return self._numbers[key]

    def _thread(self, track: int, number: int) -> int:
        trace, pb = self._trace, self._pb
        pid, tid = self._place(track)
        if number > 0:
            return self._describe(parent_uuid=self.lane(track, 0), **self._merged(track))
        if ("process", pid) not in self._numbers:
            name = _clean(trace.text(int(trace.tracks.process_name_id[track])))
            process = pb.ProcessDescriptor(pid=int(pid), process_name=name, legacy_sort_index=self._sort_index(track))
            self._numbers[("process", pid)] = self._describe(process=process)
        name = _clean(trace.text(int(trace.tracks.thread_name_id[track])))
        thread = pb.ThreadDescriptor(pid=int(pid), tid=int(tid), thread_name=name)
        return self._describe(
            parent_uuid=self._numbers[("process", pid)], thread=thread, description=self._described_place(track)
        )

    def _plain(self, track: int) -> int:
        """A track without a thread, in a group per process; all its lanes share a name and a key."""
        pid, _ = self._place(track)
        group = ("group", pid)
        if group not in self._numbers:
            named = self._trace.text(int(self._trace.tracks.process_name_id[track]))
            self._numbers[group] = self._describe(
                name=_clean(named or slices.process_title(self._trace, track)),
                description="" if named else messages.UNNAMED,
                child_ordering=messages.BY_RANK,
                sibling_order_rank=self._sort_index(track),
                **self._root,
            )
        return self._describe(parent_uuid=self._numbers[group], sibling_order_rank=track, **self._merged(track))

    def _merged(self, track: int) -> dict[str, Any]:
        named = self._trace.text(int(self._trace.tracks.thread_name_id[track]))
        return {
            "name": _clean(named or slices.track_title(self._trace, track)),
            "description": self._described_place(track) + ("" if named else f", {messages.UNNAMED}"),
            "sibling_merge_behavior": messages.BY_KEY,
            "sibling_merge_key": f"track {track}",
        }

    def _is_thread(self, track: int) -> bool:
        if self._trace.tracks.device[track] >= 0 or self._below is not None:
            return False
        # Threads of process 0 would be the idle tasks of the machine's cores.
        return all(_NUMBER.fullmatch(text) and 0 < int(text) <= _LARGEST_PID for text in self._place(track))

    def _place(self, track: int) -> tuple[str, str]:
        tracks = self._trace.tracks
        return self._trace.text(int(tracks.pid_id[track])), self._trace.text(int(tracks.tid_id[track]))

    def _sort_index(self, track: int) -> int | None:
        index = int(self._trace.tracks.sort_index[track])
        return index if index != NONE and abs(index) <= _LARGEST_PID else None

    def _described_place(self, track: int) -> str:
        pid, tid = self._place(track)
        return _clean(f"pid {pid}, tid {tid}")

    def _describe(self, **fields: Any) -> int:
        self._n_described += 1
        descriptor = self._pb.TrackDescriptor(uuid=self._n_described, **fields)
        self._put(self._pb.TracePacket(track_descriptor=descriptor))
        return self._n_described


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
