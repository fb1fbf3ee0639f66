"""One profile in a few figures, and those that are followed over time: their names in limits, TensorBoard and Prometheus."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import msgspec

from tb_plugin.trace.scope.recorded_as import RecordedAs

FigureId = Literal[
    "step_time", "busy", "waiting_for_host", "exposed_communication", "data_loader", "peak_memory", "reserved_memory",
    "kernels", "launches", "mfu",
]  # fmt: skip


class SpanFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One profile as a point of a trend: at most 4 kB. Per step are means over the complete steps. None is "not recorded"."""

    recorded: RecordedAs
    began_ns: int | None  # Unix time of the profile's time 0; None where its clock is another
    last_step: int | None  # the profiler's number
    n_steps: int  # that count: complete, if any is
    n_incomplete: int
    steps_ns: list[int]  # durations, evenly chosen of more than 32
    step_ns: int | None  # median
    p5_ns: int | None
    p95_ns: int | None
    mean_ns: int | None
    parts_ns: list[int]  # PARTS of the overview; sum to the mean
    busy_share: float | None
    waiting_for_host_ns: int | None
    exposed_communication_ns: int | None
    data_loader_ns: int | None
    peak_bytes: int | None
    reserved_bytes: int | None
    kernels: float | None
    launches: float | None
    mfu: float | None


class Followed(NamedTuple):
    """`field` of `SpanFigures`. `name` for people, `scale` times the field; `metric` in base units, times `base`."""

    id: FigureId
    title: str
    field: str
    name: str
    scale: float
    metric: str
    base: float
    more_is_worse: bool = True

    @property
    def tag(self) -> str:
        """Of TensorBoard's scalars, W&B and MLflow."""
        return f"profile/{self.name}"


_MS, _S, _MIB = 1e-6, 1e-9, 2**-20  # of ns, of ns, of bytes

FIGURES: Final = (
    Followed("step_time", "step time", "step_ns", "step_time_ms", _MS, "step_seconds", _S),
    Followed("busy", "device busy", "busy_share", "busy_percent", 100, "device_busy_ratio", 1, more_is_worse=False),
    Followed(
        "waiting_for_host",
        "waiting for the host",
        "waiting_for_host_ns",
        "waiting_for_host_ms",
        _MS,
        "waiting_for_host_seconds",
        _S,
    ),
    Followed(
        "exposed_communication",
        "exposed communication",
        "exposed_communication_ns",
        "exposed_communication_ms",
        _MS,
        "exposed_communication_seconds",
        _S,
    ),
    Followed("data_loader", "data loader", "data_loader_ns", "data_loader_ms", _MS, "data_loader_seconds", _S),
    Followed("peak_memory", "peak memory", "peak_bytes", "peak_memory_mib", _MIB, "peak_memory_bytes", 1),
    Followed("reserved_memory", "reserved memory", "reserved_bytes", "reserved_memory_mib", _MIB, "reserved_memory_bytes", 1),
    Followed("kernels", "kernels a step", "kernels", "kernels_per_step", 1, "kernels_per_step", 1),
    Followed("launches", "launch calls a step", "launches", "launch_calls_per_step", 1, "launch_calls_per_step", 1),
    Followed("mfu", "MFU", "mfu", "mfu_percent", 100, "mfu_ratio", 1, more_is_worse=False),
)

BY_ID: Final = {figure.id: figure for figure in FIGURES}


def scalars(figures: msgspec.Struct) -> dict[str, float]:
    """Of `SpanFigures`, or what has its fields, by tag, in units for people; without what was not recorded."""
    found = {followed.tag: (getattr(figures, followed.field), followed.scale) for followed in FIGURES}
    return {tag: float(value * scale) for tag, (value, scale) in found.items() if value is not None}
