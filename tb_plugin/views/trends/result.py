"""What trends are asked and answer; the wire format of `view/trends` and `view/trends/span`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.question.joint import State
from tb_plugin.trace.span.figures import FigureId

LineOf = Literal["auto", "run", "worker", "directory"]

Quality = Literal["complete", "few", "trouble", "pending"]
"""`few`: fewer than 4 complete steps. `trouble`: cannot be read, cut off, or without steps: no line goes through it."""

GateState = Literal["within", "suspect", "worse", "too_few", "cannot_tell"]


class TrendsParams(msgspec.Struct, frozen=True, kw_only=True):
    """`line`: the points of one line are the spans of a run's first worker, of each worker, or of all runs of the directory.

    `auto`: of the directory where no run has more than one span, else of each run.
    """

    line: LineOf = "auto"
    only: Annotated[str, msgspec.Meta(max_length=400, description="only runs whose name this regular expression finds")] = ""
    figure: Annotated[FigureId, msgspec.Meta(description="what --fail-if-slower is about; default step_time")] = "step_time"
    fail_if_slower: Annotated[
        str,
        msgspec.Meta(max_length=20, description="exit with 3 or 4 where the newest of a line is worse by so much, as 5%"),
    ] = ""

    against: Annotated[
        Literal["before", "baseline"],
        msgspec.Meta(description="what the newest is held against: the profiles before it, or LOGDIR/@baseline; default before"),
    ] = "before"


class TrendPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A profile in a line."""

    run: Annotated[str, Figure("Run", "text")]
    worker: Annotated[str, NO_COLUMN]
    span: Annotated[str, Figure("Span", "text")]
    label: Annotated[str, Figure("Worker", "text")]
    recorded_ns: Annotated[int, Figure("Recorded", "time")]
    state: Annotated[State, NO_COLUMN]
    quality: Annotated[Quality, Figure("Quality", "text")]
    note: Annotated[str | None, Figure("Note", "text", absent="–")]
    changed: Annotated[str | None, Figure("Changed", "text", absent="–")]  # which figures have another level from here on
    last_step: Annotated[int | None, Figure("Last step", "count")]
    n_steps: Annotated[int | None, Figure("Steps", "count")]
    step_ns: Annotated[int | None, Figure("Step time", "ns")]
    before_share: Annotated[float | None, Figure("To the one before", "share", absent="–")]
    p5_ns: Annotated[int | None, NO_COLUMN]
    p95_ns: Annotated[int | None, NO_COLUMN]
    busy_share: Annotated[float | None, Figure("Busy", "share")]
    waiting_for_host_ns: Annotated[int | None, Figure("Waiting for host", "ns")]
    exposed_communication_ns: Annotated[int | None, Figure("Exposed communication", "ns")]
    data_loader_ns: Annotated[int | None, Figure("Data loader", "ns")]
    peak_bytes: Annotated[int | None, Figure("Peak memory", "bytes")]
    reserved_bytes: Annotated[int | None, Figure("Reserved", "bytes")]
    kernels: Annotated[float | None, Figure("Kernels a step", "number")]
    launches: Annotated[float | None, Figure("Launch calls a step", "number")]
    mfu: Annotated[float | None, Figure("MFU", "share", absent="unknown")]


class LevelChange(msgspec.Struct, frozen=True, kw_only=True):
    """From the point at `at` on a figure has another level. `reset`: something beside the program changed; `why` says what.

    `new_normal`: somebody says so, and why.
    """

    kind: Literal["change", "reset", "new_normal"]
    figure: FigureId | None  # None: all of them
    at: int
    before: float | None  # medians of the levels
    after: float | None
    share: float | None  # of before
    why: str | None


class TrendGate(msgspec.Struct, frozen=True, kw_only=True):
    """Is the newest point worse than those before it? `worse`: so are the newest two. `said`: in a sentence."""

    figure: FigureId
    state: GateState
    at: int | None
    value: float | None
    median: float | None  # of the baseline
    spread: float | None
    n_baseline: int
    said: str


class TrendLine(msgspec.Struct, frozen=True, kw_only=True):
    """Points in the order in which they were recorded."""

    name: str
    points: list[TrendPoint]
    changes: list[LevelChange]
    gate: TrendGate | None


class Trends(msgspec.Struct, frozen=True, kw_only=True):
    """The line with the newest profile first."""

    line: LineOf
    lines: list[TrendLine]
    baseline: list[TrendPoint]  # the profiles of LOGDIR/@baseline, if it has one
    is_gated: bool  # a limit was asked for, also where there is no line
    is_cut: bool  # there are older profiles, which are not asked
