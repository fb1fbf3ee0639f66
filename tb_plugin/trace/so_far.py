"""What is known of a profile while it is still read: shown to who waits, marked as partial. It is no answer and never kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec


class NameSoFar(msgspec.Struct, frozen=True, kw_only=True):
    """Events of one name: how many were read, and their durations together, with what they call."""

    name: str
    count: int
    total_ns: int


class DeviceSoFar(msgspec.Struct, frozen=True, kw_only=True):
    """Of the work read: the time in which any of it ran, and from first begin to last end of each part of the file that is read.

    So what lies between two parts, and is not read, is no idle time.
    """

    name: str
    n_events: int
    busy_ns: int
    span_ns: int


class LaneSoFar(msgspec.Struct, frozen=True, kw_only=True):
    """A device or a thread in equal parts of the time that is read: the share of each in which work, or an operator, ran.

    None: nothing of it is read of that part. Where the file is read, and nothing ran, it is 0.
    """

    name: str
    is_device: bool
    shares: list[float | None]


class SoFar(msgspec.Struct, frozen=True, kw_only=True):
    """Counts and sums of the events read. A large file is read from both its ends, so they are no beginning of the recording.

    Writers put operators of the whole recording before the work of devices: where there is no such work yet, none was read.
    """

    part: float  # of the file's bytes, 0 to 1
    n_events: int
    seconds: float  # since reading began
    rank: int | None
    n_tracks: int
    device_names: list[str]  # as the file's first bytes list them; [] where it does not, or at its end
    n_steps: int
    mean_step_ns: int | None
    operators: list[NameSoFar]  # those of the most time, most first
    kernels: list[NameSoFar]
    devices: list[DeviceSoFar]
    span_ns: int  # from first begin to last end of what the lanes show
    lanes: list[LaneSoFar]  # devices, then the threads with most time in operators


OnSoFar: TypeAlias = Callable[[SoFar], None]
