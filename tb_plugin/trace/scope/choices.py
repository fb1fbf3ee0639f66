"""What the filters of a profile can choose from (`trace.selection`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, is_kind
from tb_plugin.trace.scope.recorded import STEPS
from tb_plugin.trace.track_names import main_tracks, natural, track_name

if TYPE_CHECKING:
    from tb_plugin.base.units import Int32Array
    from tb_plugin.trace.model import Trace


class StepChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A `ProfilerStep#N`. Incomplete: cut by the recording's end."""

    number: int
    complete: bool


class DeviceChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A device that worked, with its streams that did."""

    index: int
    name: str
    streams: list[int]


class ThreadChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A host thread with ranges on it. `id` is the file's thread id; threads of several processes may share one."""

    id: str
    name: str


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """In numeric order, the main thread first."""

    steps: list[StepChoice]
    no_steps: str | None  # why there are none
    devices: list[DeviceChoice]
    threads: list[ThreadChoice]


def choices(trace: Trace) -> Choices:
    """Steps, devices and streams with work, and threads with ranges."""
    steps, names = trace.steps, {device.index: device.name for device in trace.info.devices}
    working, running = (_tracks_with(trace, kinds) for kinds in (DEVICE_KINDS, HOST_KINDS))
    device, stream = trace.tracks.device[working], trace.tracks.stream[working]
    main = main_tracks(trace)
    by_id = {trace.text(int(trace.tracks.tid_id[t])): int(t) for t in running[::-1]}
    threads = sorted(by_id.items(), key=lambda entry: (entry[1] not in main, natural(entry[0])))
    by_number: dict[int, bool] = {}  # one choice for all that have it, complete where one of them is
    for number, complete in zip(steps.number.tolist(), steps.complete.tolist(), strict=True):
        by_number[number] = by_number.get(number, False) or complete
    return Choices(
        steps=[StepChoice(number=n, complete=c) for n, c in by_number.items()],
        no_steps=STEPS.lack(trace),
        devices=[
            DeviceChoice(index=i, name=names.get(i, ""), streams=sorted(set(stream[device == i].tolist())))
            for i in distinct(device).tolist()
        ],
        threads=[ThreadChoice(id=i, name=track_name(trace, t) + (" main" if t in main else "")) for i, t in threads],
    )


def _tracks_with(trace: Trace, kinds: tuple[int, ...]) -> Int32Array:
    """Tracks that hold an event of these kinds, in the file's order."""
    tracks: Int32Array = distinct(trace.events.track[is_kind(trace.events.kind, kinds)])
    return tracks
