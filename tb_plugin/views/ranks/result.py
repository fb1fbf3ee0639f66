"""What the ranks view is asked and answers; the wire format of `view/ranks`. None is "not recorded": `notes` says why."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from tb_plugin.job.late.units import Level
from tb_plugin.job.own.pipeline import ScheduleName
from tb_plugin.job.why.cause import CauseId, Confidence
from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.question.joint import State
from tb_plugin.views.ranks.basis.instance_row import InstanceRow
from tb_plugin.views.ranks.basis.of_job import OfJob

By = Literal["rank", "step", "dimension", "collective", "link", "host", "node", "stage", "path"]
"""`node` is `host` by the name that it has in clusters."""

Behind = Literal["collective", "link", "stage", "path"]


class RanksParams(OfJob, frozen=True, kw_only=True):
    """Which job, and which of its tables a terminal and CSV show."""

    by: Annotated[By, msgspec.Meta(description="which table: default rank")] = "rank"
    ranks: Annotated[str | None, msgspec.Meta(description="rows of these ranks alone, as 0-63,100; sentences are of all")] = None
    steps: Annotated[str | None, msgspec.Meta(description="rows of these steps alone, as 10-12; means are of all")] = None


class StepParts(msgspec.Struct, frozen=True, kw_only=True):
    """Mean over ranks and steps; they add up to the mean step."""

    computation_ns: int
    wait_ns: int | None  # exposed; None where nothing of it is told apart
    transfer_ns: int | None  # the same
    bubble_wait_ns: int | None  # of the wait what is a pipeline's bubble; None: no pipeline, or not told of each rank and step
    untold_ns: int  # exposed: wait or transfer, not told apart
    communication_ns: int  # exposed: wait, transfer, and what is not told apart
    copy_ns: int
    idle_ns: int
    step_ns: int


class Blamed(msgspec.Struct, frozen=True, kw_only=True):
    """A rank, stage, host or replica that the others wait for, in the steps of one cause. The largest total excess first."""

    level: Level
    name: str  # "rank 5", "stage 3", "host node3"
    ranks: list[int]
    steps: list[int]  # in which it was late
    is_persistent: bool
    excess_ns: int  # of own work over the peers', mean over these steps
    cause: CauseId
    cause_ns: int
    confidence: Confidence
    factor: float | None  # how many times as long kernels or launches take
    kernels: list[str]  # those that take most longer; of more work those that cost most of it
    n_more: float | None  # kernels or launches a step that it has more than its peers; None: that does not make it late
    event: str | None  # what the host is in as it stands still
    also: CauseId | None  # the second cause in the same steps, where it counts
    also_ns: int | None
    sentence: str
    step_was_ns: int | None  # mean of its late steps, of the job
    step_without_ns: int | None  # the same without it, by replay, at the most; None: that cannot be told
    step_without_least_ns: int | None  # the same, were what is not told apart all waiting


class StepInFile(msgspec.Struct, frozen=True, kw_only=True):
    """A step in the profile of a rank, which may number it otherwise, or the gap or call in it that makes it late.

    `called`: which step, and on a line of its own why the rank is late in it, if it is.
    """

    rank: int
    step: int
    start_ns: int
    lasts_ns: int
    called: str


class CountedIn(msgspec.Struct, frozen=True, kw_only=True):
    """The collectives that a part of a sentence, `text`, counts: the others ask for them one by one (`view/ranks/instances`)."""

    text: str
    dimension: str | None
    kind: str | None
    ranks: str  # of which each has one and another rank
    steps: str | None
    begun: str | None  # when these ranks begin them, ns on the job's clock; None: at any time


class Lead(msgspec.Struct, frozen=True, kw_only=True):
    """Where a sentence leads: to whom and to the step that it tells of, and to the table that has its figures.

    `places`: the step in the profiles of the first few ranks, as far as they have it. `counted`: collectives that it counts.
    """

    ranks: list[int] = []
    step: int | None = None
    table: Behind | None = None
    places: list[StepInFile] = []
    counted: CountedIn | None = None


class Together(msgspec.Struct, frozen=True, kw_only=True):
    """Those of the blamed without whom at once a step is shorter than without any of them alone, the first one first.

    Means over its late steps.
    """

    names: list[str]
    ranks: list[int]
    steps: list[int]
    step_was_ns: int
    step_without_ns: int
    step_without_least_ns: int


class MovingData(msgspec.Struct, frozen=True, kw_only=True):
    """Where more is lost by moving data than by waiting or idling, and no link is blamed for it. Times are of a rank and step."""

    dimension: str | None  # that has half of it
    exposed_ns: int  # of all dimensions
    of_dimension_ns: int
    hidden_share: float  # of its transfers
    bus_bytes_per_s: float | None  # of the hosts and kind that it moves between longest
    of_usual_share: float | None  # None: nothing to compare with
    sentence: str
    step_was_ns: int | None  # mean, of the job
    step_without_ns: int | None  # the same were these transfers nothing, by replay, at the most
    step_without_least_ns: int | None


class DimensionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Collectives by what their group is for. Times are means over ranks and steps; shares of exposed time add up."""

    name: Annotated[str, Figure("Dimension", "text")]
    short: Annotated[str | None, NO_COLUMN]  # as people call it: "tp"
    is_inferred: Annotated[bool, NO_COLUMN]  # by how it was used, where it was not described
    n_groups: Annotated[int, Figure("Groups", "count")]
    n_instances: Annotated[int, Figure("Collectives", "count", sums=True)]
    n_incomplete: Annotated[int, Figure("Lack a member", "count", sums=True)]
    exposed_wait_ns: Annotated[int | None, Figure("Exposed wait", "ns", sums=True)]
    exposed_transfer_ns: Annotated[int | None, Figure("Exposed transfer", "ns", sums=True)]
    exposed_untold_ns: Annotated[int, Figure("Not told apart", "ns", sums=True)]
    exposed_ns: Annotated[int, Figure("Exposed", "ns", sums=True)]
    hidden_transfer_share: Annotated[float | None, Figure("Transfer hidden", "share")]
    wait_ns: Annotated[int | None, Figure("Wait, summed", "ns")]  # over all members and instances
    transfer_ns: Annotated[int | None, Figure("Transfer, summed", "ns")]
    untold_ns: Annotated[int, Figure("Not told apart, summed", "ns")]
    inside_bytes_per_s: Annotated[float | None, Figure("Bus rate in host", "bytes_per_s")]
    between_bytes_per_s: Annotated[float | None, Figure("Bus rate between", "bytes_per_s")]
    longest_took_ns: Annotated[int | None, Figure("Longest", "ns")]
    longest: Annotated[InstanceRow | None, NO_COLUMN]


class RankRow(msgspec.Struct, frozen=True, kw_only=True):
    """One rank. Times are means over its complete steps."""

    rank: Annotated[int, Figure("Rank", "count")]
    worker: Annotated[str, NO_COLUMN]  # in links
    span: Annotated[str, NO_COLUMN]
    host: Annotated[str | None, Figure("Host", "text")]
    stage: Annotated[int | None, Figure("Stage", "count", absent="none")]
    replica: Annotated[int | None, Figure("Replica", "count", absent="none")]
    n_steps: Annotated[int, Figure("Steps", "count")]
    step_ns: Annotated[int | None, Figure("Step", "ns")]
    own_ns: Annotated[int | None, Figure("Own time", "ns")]
    excess_ns: Annotated[int | None, Figure("More than peers", "ns")]  # of own work, mean over steps
    computation_ns: Annotated[int | None, Figure("Computation", "ns")]
    wait_ns: Annotated[int | None, Figure("Exposed wait", "ns")]
    transfer_ns: Annotated[int | None, Figure("Exposed transfer", "ns")]
    untold_ns: Annotated[int | None, Figure("Not told apart", "ns")]
    copy_ns: Annotated[int | None, Figure("Copy", "ns")]
    idle_ns: Annotated[int | None, Figure("Idle", "ns")]
    loader_ns: Annotated[int | None, Figure("Loader", "ns")]
    bubble_ns: Annotated[int | None, Figure("Bubble", "ns", absent="none")]
    received: Annotated[int | None, Figure("Received rows", "count", absent="none")]  # by all-to-alls, a step
    peak_bytes: Annotated[int | None, Figure("Memory peak", "bytes")]  # the most of its steps
    n_last: Annotated[int | None, Figure("Came last", "count", sums=True)]
    caused_least_ns: Annotated[int | None, Figure("Caused wait, least", "ns", sums=True)]
    caused_most_ns: Annotated[int | None, Figure("Caused wait, most", "ns", sums=True)]
    all_computation_ns: Annotated[int | None, Figure("Computation of the file", "ns", sums=True)]
    all_communication_ns: Annotated[int | None, Figure("Communication of the file", "ns", sums=True)]
    all_overlap_ns: Annotated[int | None, Figure("Both at once", "ns", sums=True)]
    is_cut_off: Annotated[bool, NO_COLUMN]

    DERIVED: ClassVar[dict[str, Figure]] = {"why_absent": Figure("Why no figures", "text", absent="–")}  # of an `AbsentRank`


class AbsentRank(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of ranks for who has no figures: one rank, or many of one reason."""

    ranks: list[int]
    reason: str
    n_more: int = 0  # of so many the first are listed: how many there are is a number in a file, which may be any


class JobStepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One step over all ranks. `own`, `wait` and `excess` have one value a rank, in the order of `ranks`; None: no such step."""

    number: Annotated[int, Figure("Step", "count")]
    shortest_ns: Annotated[int | None, Figure("Shortest", "ns")]
    longest_ns: Annotated[int | None, Figure("Longest", "ns")]
    path_ns: Annotated[int | None, Figure("Path", "ns", absent="not known")]  # the step of the job, so the critical path
    last_rank: Annotated[int | None, Figure("Ends last", "count")]  # on the job's clock
    is_slow: Annotated[bool, NO_COLUMN]  # longer than the median by 4 x the median distance
    late: Annotated[list[str], NO_COLUMN]  # names of who was late in it
    own_ns: Annotated[list[int | None], NO_COLUMN]
    wait_ns: Annotated[list[int | None], NO_COLUMN]
    excess_ns: Annotated[list[int | None], NO_COLUMN]


class CollectiveRow(msgspec.Struct, frozen=True, kw_only=True):
    """Collectives of one dimension, kind, number of ranks and size."""

    dimension: Annotated[str, Figure("Dimension", "text")]
    kind: Annotated[str, Figure("Kind", "text")]
    n_ranks: Annotated[int | None, Figure("Ranks", "count")]
    bytes: Annotated[int | None, Figure("Size", "bytes")]  # of the message, median; of its decade
    n_instances: Annotated[int, Figure("Count", "count", sums=True)]
    wait_ns: Annotated[int | None, Figure("Wait, summed", "ns", sums=True)]  # over all members
    transfer_ns: Annotated[int | None, Figure("Transfer, summed", "ns", sums=True)]
    untold_ns: Annotated[int, Figure("Not told apart, summed", "ns", sums=True)]
    exposed_wait_ns: Annotated[int | None, Figure("Exposed wait, summed", "ns", sums=True)]  # open at once: each counts
    exposed_transfer_ns: Annotated[int | None, Figure("Exposed transfer, summed", "ns", sums=True)]
    exposed_untold_ns: Annotated[int, Figure("Exposed, not told apart, summed", "ns", sums=True)]
    median_transfer_ns: Annotated[int | None, Figure("Transfer, median", "ns")]
    bus_bytes_per_s: Annotated[float | None, Figure("Bus rate", "bytes_per_s")]
    low_bus_bytes_per_s: Annotated[float | None, Figure("Bus rate, 5 %", "bytes_per_s")]
    least_bus_bytes_per_s: Annotated[float | None, Figure("Bus rate at least", "bytes_per_s")]  # where no transfer is
    last_rank: Annotated[int | None, Figure("Most often last", "count")]
    last_share: Annotated[float | None, Figure("Of those late", "share")]  # of `n_late`
    n_late: Annotated[int, Figure("Somebody late", "count", sums=True)]  # a rank came 20 us after the others
    n_mismatches: Annotated[int, Figure("Mismatches", "count", sums=True)]
    longest_took_ns: Annotated[int | None, Figure("Longest", "ns")]
    longest: Annotated[InstanceRow | None, NO_COLUMN]


RateIs = Literal["median", "at least"]
"""At least: most messages share their kernels with others that may have taken as long."""


class LinkRow(msgspec.Struct, frozen=True, kw_only=True):
    """Instances of one dimension and kind between the same hosts."""

    hosts: Annotated[str, Figure("Hosts", "text")]
    dimension: Annotated[str, Figure("Dimension", "text")]
    kind: Annotated[str, Figure("Kind", "text")]
    pair: Annotated[str | None, Figure("Of ranks", "text", absent="all")]  # that are slow where their hosts are not
    steps: Annotated[str | None, Figure("In steps", "text", absent="all")]  # where some are told apart, as they are slow
    n_ranks: Annotated[int, Figure("Ranks", "count")]
    n_instances: Annotated[int, Figure("Count", "count", sums=True)]
    bus_bytes_per_s: Annotated[float, Figure("Bus rate", "bytes_per_s")]
    rate_is: Annotated[RateIs, Figure("Rate is", "text")]
    of_usual_share: Annotated[float | None, Figure("Of usual", "share", absent="nothing to compare")]
    is_slow: Annotated[bool, NO_COLUMN]
    longest_took_ns: Annotated[int | None, Figure("Longest transfer", "ns")]
    longest: Annotated[InstanceRow | None, NO_COLUMN]


class HostRow(msgspec.Struct, frozen=True, kw_only=True):
    """The clock of a host against the first one of its component: what was taken off its times."""

    host: Annotated[str, Figure("Host", "text")]
    n_ranks: Annotated[int, Figure("Ranks", "count", sums=True)]
    first_rank: Annotated[int, NO_COLUMN]  # the lowest there
    component: Annotated[int, Figure("Tied to", "count")]  # hosts of different components cannot be compared
    offset_ns: Annotated[int | None, Figure("Clock offset", "ns")]
    drift_ppm: Annotated[float | None, Figure("Drift, ppm", "number")]
    drift_error_ppm: Annotated[float | None, Figure("Drift error, ppm", "number")]  # one sigma
    error_ns: Annotated[int | None, Figure("Error", "ns")]  # one sigma, at the middle of the recording


class StageRow(msgspec.Struct, frozen=True, kw_only=True):
    """One stage of the pipeline, mean over its ranks and steps. Busy, warm-up, steady and drain add up to the window."""

    stage: Annotated[int, Figure("Stage", "count")]
    n_ranks: Annotated[int, Figure("Ranks", "count", sums=True)]
    computation_ns: Annotated[int, Figure("Computation", "ns")]  # of forward and backward
    imbalance_share: Annotated[float, Figure("Over the mean", "share")]
    busy_ns: Annotated[int, Figure("Busy", "ns")]
    warm_up_ns: Annotated[int, Figure("Warm-up", "ns")]
    steady_ns: Annotated[int, Figure("Steady", "ns")]
    drain_ns: Annotated[int, Figure("Drain", "ns")]
    bubble_ns: Annotated[int, Figure("Bubble", "ns")]
    bubble_share: Annotated[float, Figure("Of the window", "share")]
    most_bubble_ns: Annotated[int, Figure("Longest bubble", "ns")]
    most_bubble_rank: Annotated[int, NO_COLUMN]
    most_bubble_step: Annotated[int, NO_COLUMN]
    most_bubble_replica: Annotated[list[int], NO_COLUMN]  # its ranks


class PipelineFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Of the job's pipeline, mean over its ranks and steps."""

    n_stages: int
    n_micro_batches: int | None  # None: the sends do not tell
    n_chunks: int | None  # of layers that a stage has, where it is interleaved more than one
    schedule: ScheduleName | None
    window_ns: int
    bubble_ns: int
    bubble_share: float
    ideal_share: float | None


class PathRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one rank does on the critical path, the longest chain of a step, mean over steps. The rows add up to the step."""

    what: Annotated[str, Figure("What", "text")]
    # None: it ends on several at once, or who came last may not be here.
    rank: Annotated[int | None, Figure("Rank", "count", absent="several ranks")]
    path_ns: Annotated[int, Figure("A step", "ns", sums=True)]
    path_share: Annotated[float, Figure("Of the path", "share", sums=True)]
    longest_piece_ns: Annotated[int | None, Figure("Longest at once", "ns", absent="on several")]
    piece_at_ns: Annotated[int | None, NO_COLUMN]  # in the rank's own profile


class RankMember(msgspec.Struct, frozen=True, kw_only=True):
    """A profile of the run that has no place in the figures, and why."""

    worker: str
    span: str
    label: str
    state: State
    reason: str | None


class JobOfRun(msgspec.Struct, frozen=True, kw_only=True):
    """One of the jobs, or recordings of one, that the run's profiles are of; `worker` and `span` name its first profile."""

    worker: str
    span: str
    title: str
    is_shown: bool


class RanksTable(msgspec.Struct, frozen=True, kw_only=True):
    """The first screen, and the tables behind it."""

    by: By
    run: str | None
    n_ranks: int
    world_size: int | None
    n_steps: int  # 0: none was recorded, and each recording counts as step 0
    missing_ranks: str | None  # "2-127"; None: none is missing, or nobody knows how many there were
    layout: dict[str, int]  # size of each dimension, where it was recorded
    sentences: list[str]  # how long a step is, who is waited for, why, what it would be without
    leads: list[Lead]  # of each sentence
    notes: list[str]  # what is missing or refused
    clock_notes: list[str]  # of these why no wait is given between hosts, and what stays
    doubts: list[str]  # what is in the figures and may mislead
    other_spans: list[str]  # other recordings of its first rank's worker, where none was named
    longest_step_ns: int | None  # median over steps of the longest rank's
    parts: StepParts | None
    job_step_ns: int | None  # mean step of the job: from where the last rank begins it to where the last one ends it
    n_matched: int
    n_complete: int
    n_incomplete: int
    n_mismatches: int
    sigma_ns: int | None  # how far apart ends of one collective lie; None: one clock
    clock_error_ns: int | None  # the largest of the hosts
    blamed: list[Blamed]
    together: Together | None  # None: nobody else holds a step up as long as the first
    slow_link: str | None
    slow_link_was_ns: int | None
    slow_link_without_ns: int | None  # the step with links as fast as the others, by replay, at the most
    slow_link_without_least_ns: int | None
    moving: MovingData | None
    ideal_was_ns: int | None  # the mean step of the job, of the steps that the ideal is told of
    ideal_ns: int | None  # the step were all ranks and stages alike, by replay, at the most; None: it cannot be told
    ideal_least_ns: int | None
    slowdown: float | None  # S: the step as it was, of the ideal
    is_slowdown_least: bool  # S is at least that: part of what is not told apart may be waiting
    ideal_steps: str | None  # which steps S is of, where these are not all: `steps 10, 12`
    pipeline: PipelineFigures | None  # None: there is none, or its ranks are on clocks that are not tied
    dimensions: list[DimensionRow]
    ranks: list[RankRow]
    absent: list[AbsentRank]  # ranks without figures, which the table of ranks has as rows
    steps: list[JobStepRow]
    collectives: list[CollectiveRow]
    links: list[LinkRow]
    hosts: list[HostRow]
    stages: list[StageRow]
    path: list[PathRow]  # the longest chain of a step; none where the order of launches is not known
    path_ahead_ns: int | None  # of what it leads back to, before the step began; in no row
    jobs: list[JobOfRun]  # of the profiles that have answered, in the order of their names
    others: list[RankMember]
