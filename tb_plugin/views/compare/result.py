"""What compare is asked and answers; the wire format of `view/compare`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.question.joint import State
from tb_plugin.question.question import Lines

By = Literal["module", "operator", "category", "kernel"]

Verdict = Literal["finding", "noise", "unknown", "not_comparable"]
"""`unknown`: too few steps to tell. `not_comparable`: recorded so differently that a difference says nothing of the program."""

Matched = Literal[
    "module, shapes",
    "module",
    "shapes",
    "operator",
    "kernel",
    "category",
    "line",
    "replaced",
    "compiled",
    "added",
    "removed",
    "sum",
]
"""By what a row's two sides are taken for the same, the strictest first; of a row the loosest of what it
holds. `sum`: a row that is only a sum of others."""

RowKind = Literal[
    "step", "busy", "idle", "module", "operator", "shapes", "category", "kernel", "cause", "line", "not_attributed", "other"
]

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class CompareParams(msgspec.Struct, frozen=True, kw_only=True):
    """`items`: what is compared, the first is the baseline: `run`, `worker` and perhaps `span` with tabs between, one a line;
    behind a span perhaps steps, `9`, of that item alone and of whatever kind.

    A line that begins with a tab is one more recording of the item above.
    """

    items: Lines = ""
    per: str = ""  # a range whose occurrences are compared, instead of steps
    by: By = "module"
    steps: str = ""  # `3-9`: of each item
    kind: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0  # of steps: 0 the most frequent
    noise: Share = 0.01  # of the longer step: what is less is no finding
    fold: Share = 0.001  # of the longer step: rows that are less on both sides are one


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One side: a recording, or several of the same program. `members` have the names of links; empty in the shell."""

    label: str
    members: list[Origin]
    n_recordings: int
    n_steps: int
    steps: list[StepDot]
    median_ns: int
    mean_ns: int
    device: str | None


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """A profile by the three names that links hold."""

    run: str
    worker: str
    span: str
    label: str
    state: State
    reason: str | None


class StepDot(msgspec.Struct, frozen=True, kw_only=True):
    """One step that is compared. `outlier`: longer than the median by more than 5 MAD and 10 %."""

    number: int
    start_ns: int
    lasted_ns: int
    recording: int  # which of the item's
    outlier: bool


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """How the recordings differ, beside the program. `spoils`: which figures therefore say nothing about it."""

    what: str
    a: str
    b: str
    spoils: Literal["nothing", "host", "rows", "everything"]


class StepChange(msgspec.Struct, frozen=True, kw_only=True):
    """How much longer B's steps take. Of one recording a side it is of these recordings, not of the change."""

    a_median_ns: int
    b_median_ns: int
    a_mean_ns: int
    b_mean_ns: int
    delta_ns: int  # of the means: what parts and rows sum to
    shift_ns: float  # Hodges-Lehmann
    low_ns: float
    high_ns: float
    confidence: float  # of the interval, 0 to 1
    p: float | None  # None: one step each
    verdict: Verdict


class PartChange(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the step, as on the overview. All parts sum to the step's difference."""

    part: Annotated[str, Figure("Part", "text")]
    a_ns: Annotated[int, Figure("A", "ns", sums=True)]
    b_ns: Annotated[int, Figure("B", "ns", sums=True)]
    delta_ns: Annotated[int, Figure("Δ", "ns", sums=True)]
    shift_ns: Annotated[float, NO_COLUMN]
    low_ns: Annotated[float, NO_COLUMN]
    high_ns: Annotated[float, NO_COLUMN]
    p: Annotated[float | None, Figure("p", "number", absent="–")]
    p_holm: Annotated[float | None, NO_COLUMN]
    verdict: Annotated[Verdict, Figure("Verdict", "text")]


class LongestAt(msgspec.Struct, frozen=True, kw_only=True):
    """The longest event of a row: where the timeline shows it."""

    recording: int  # which of the item's
    start_ns: int
    lasted_ns: int


class ChangeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the tree, means per step. Rows below a row sum to it, in every column of times."""

    id: Annotated[int, NO_COLUMN]
    parent: Annotated[int, NO_COLUMN]  # -1: the step
    depth: Annotated[int, NO_COLUMN]
    kind: Annotated[RowKind, NO_COLUMN]
    name: Annotated[str, Figure("Name", "text")]
    a_ns: Annotated[int, Figure("A", "ns")]
    b_ns: Annotated[int, Figure("B", "ns")]
    delta_ns: Annotated[int, Figure("Δ", "ns")]
    a_calls: Annotated[float | None, Figure("Calls A", "number", absent="–")]
    b_calls: Annotated[float | None, Figure("Calls B", "number", absent="–")]
    count_ns: Annotated[int | None, Figure("By count", "ns", absent="–")]  # because there are more or fewer calls
    duration_ns: Annotated[int | None, Figure("By duration", "ns", absent="–")]  # because each takes longer or shorter
    size_ns: Annotated[int | None, Figure("Of it by size", "ns", absent="–")]  # of the duration: calls have more or less to do
    matched: Annotated[Matched, Figure("Matched by", "text")]
    p: Annotated[float | None, Figure("p", "number", absent="–")]  # None: not tested
    verdict: Annotated[Verdict, Figure("Verdict", "text")]
    n_rows: Annotated[int, NO_COLUMN]  # that it stands for: more than 1 in "other"
    a_at: Annotated[LongestAt | None, NO_COLUMN]
    b_at: Annotated[LongestAt | None, NO_COLUMN]


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """An item against the baseline."""

    b: Item
    headline: str
    ranks: list[int] | None  # of A and B where they are two ranks of one job in the same steps
    doubts: list[str]  # sentences that have to be read before any figure
    differences: list[Difference]
    alike: list[str]  # what both were recorded with
    step: StepChange
    parts: list[PartChange]
    others: list[PartChange]  # busy, its opposites, exposed communication: no parts of one sum
    rows: list[ChangeRow]
    n_matched: int  # rows of operators, or of kernels, that both have
    n_added: int
    n_removed: int


class MatrixRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of more than two items side by side, means per step. Rows sum to the mean step of each item."""

    kind: RowKind
    name: str
    values_ns: list[int]  # of each item, the baseline first; 0 where it has none
    verdicts: list[Verdict]  # of each item but the first, against it
    spread_ns: int  # largest - smallest
    n_rows: int  # that it stands for: more than 1 in "other"


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """All items side by side; what varies most stands first."""

    rows: list[MatrixRow]
    geomeans: list[
        float
    ]  # of each item: of its ratios to the baseline over the busy rows that all have; empty where there are none
    n_geomean: int  # rows


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The baseline, and each other item against it. Items that could not be asked are in `lacking`, with the reason."""

    by: By
    noise: float
    a: Item | None
    pairs: list[Pair]
    matrix: Matrix | None  # None: there are not more than two items
    lacking: list[Origin]
