"""What the runs view is asked and answers; the wire format of `view/runs`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.question.figure import NO_COLUMN, Figure, FigurePart
from tb_plugin.question.joint import State

Each = Literal["run", "worker", "span"]


class RunsParams(msgspec.Struct, frozen=True, kw_only=True):
    """What is one row."""

    each: Each = "run"


class SpanSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One profile in a few figures. None is "not recorded"."""

    device: Annotated[str | None, Figure("Device", "text")]  # "NVIDIA A100", of the devices that worked
    n_devices: Annotated[int, Figure("Devices", "count")]
    rank: Annotated[int | None, Figure("Rank", "count")]
    world_size: Annotated[int | None, Figure("Job size", "count")]
    n_steps: Annotated[int, Figure("Steps", "count")]
    step_ns: Annotated[int | None, Figure("Step time", "ns")]  # median of the complete steps
    busy_share: Annotated[float | None, Figure("Busy", "share")]  # of the steps, or of the recording; mean over devices
    memory: Annotated[str | None, NO_COLUMN]  # the device that the peak is of
    peak_bytes: Annotated[int | None, Figure("Peak memory", "bytes")]
    capacity_bytes: Annotated[int | None, Figure("Capacity", "bytes")]
    finding: Annotated[str | None, Figure("First finding", "text", absent="nothing found")]  # the one with the largest gain
    gain_share: Annotated[float | None, Figure("Gain", "share", absent="unknown")]  # of the steps, or of the recording
    n_findings: Annotated[int, Figure("Findings", "count")]
    began_ns: Annotated[int | None, NO_COLUMN]  # Unix time of the profile's time 0; None where its clock is another
    is_cut_off: Annotated[bool, NO_COLUMN]  # the file ends before the profile does


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A profile and its figures. None is "not recorded", or not known yet where the state is not `ready`."""

    run: Annotated[str, Figure("Run", "text")]
    worker: Annotated[str, Figure("Worker", "text")]  # in links; people read its label
    span: Annotated[str, Figure("Span", "text")]
    label: Annotated[str, NO_COLUMN]
    recorded_ns: Annotated[int, Figure("Recorded", "time")]
    file: Annotated[str, Figure("File", "text")]  # the one that is read; "" for none
    size_bytes: Annotated[int, Figure("Size", "bytes")]
    state: Annotated[State, Figure("State", "text")]
    progress: Annotated[float, NO_COLUMN]  # 0 to 1
    reason: Annotated[str | None, NO_COLUMN]  # why there are no figures
    n_ranks: Annotated[int, Figure("Rank files", "count")]  # ranks of the job that have one
    n_recordings: Annotated[int, Figure("Recordings", "count")]  # of the job, where a row is a run
    n_others: Annotated[int, NO_COLUMN]  # files of the folder that are no ranks of one job with it
    summary: Annotated[SpanSummary | None, FigurePart("", "")]


class RunsTable(msgspec.Struct, frozen=True, kw_only=True):
    """The run with the newest profile first. Of a run with several jobs each has a row."""

    each: Each
    rows: list[RunRow]
