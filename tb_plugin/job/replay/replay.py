"""The job replayed: what a step would be if a rank, host or link were like the others.

Nodes are host times, chunks of kernels, arrivals and ends of collectives; edges say what waits for what (`trace/rank/order.py`),
and across ranks an instance's last arrival. A step ends when its device is done with it: long after its host, where that waits
for nothing. Waiting is never a duration: it follows. What the recorded times hold beyond the edges stays as it was, so that the
replay of no edit gives the recorded times back; where it does not, within 3 %, nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.distinct import all_but, distinct, is_among
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.max_plus import Layer, layers, values
from tb_plugin.compute.side_by_side import in_lanes
from tb_plugin.job.own.own_time import told_steps
from tb_plugin.job.ranks.rows import shift_of
from tb_plugin.job.ranks.steps import StepEnds, after_gaps, step_ends
from tb_plugin.job.replay.chunk_parts import parted
from tb_plugin.job.replay.direct import direct
from tb_plugin.job.replay.launch_edges import launch_edges
from tb_plugin.job.replay.launched import LAUNCH_NS, begun_by_launch, least_delay, to_next
from tb_plugin.job.replay.orders import orders_of
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE, STEP, SYNC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.job.job import Job

NotReplayed = Literal["no waits", "untied", "not whole", "no order", "circle", "unlike"]
"""Why: in the order in which it is looked for. No step that every rank recorded whole; no order of launches of a rank; unlike
what was recorded."""

_MOST_ERROR: Final = 0.03
_CROWDED_NS: Final = 500_000
"""A collective begins only once the device has room beside what it computes: 0.3 ms on an H200 whose kernels take all of it."""


class Between(NamedTuple):
    """The chunks of a rank and step, and between which two of its collectives each lies."""

    chunks: Int64Array  # rows of the order
    place: Int64Array  # of each: how many collectives were started before it
    time: Float64Array  # of all chunks at each place, ns
    kinds: Int64Array  # of each collective


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Three nodes a row of a rank's order: host time, start, end; one an instance, its last arrival; and one a batch of sends and
    receives, the last of its instances. `host_edge`: from the row before it.
    """

    source: Int64Array
    target: Int64Array
    lag: Float64Array
    own: Float64Array  # what a node's time holds beyond its edges
    groups: list[Layer]
    rank: Int64Array  # of each order row
    kind: Int64Array
    what: Int64Array  # of each order row: the job's row of a collective, or the number of a step
    collective_kind: Int64Array  # of each of the job's rows of collectives; of two ranks also whether the other is a later one
    step: Int64Array  # number of the step that the row lies in
    loader: Int64Array
    called: Int64Array  # of each order row, since the row before: in events of the host but the loader
    copied: Int64Array  # waiting for a copy
    host_edge: Int64Array  # of each order row
    is_first: BoolArray  # of each order row: on its stream
    launch_edge: Int64Array  # of each order row: from its launch to its start
    least_launch: float  # of that, ns, where nothing else held it up
    length_edge: Int64Array  # start to end of a chunk, last arrival to end of a member
    recorded: Float64Array  # of each node
    told_steps: Int64Array  # numbers of those that each of `ranks` recorded whole; of all where none recorded one whole
    ranks: Int64Array  # places of those that are in it: who is left out is as if missing

    @property
    def is_chunk(self) -> BoolArray:
        found: BoolArray = self.kind == CHUNK
        return found

    @property
    def is_collective(self) -> BoolArray:
        found: BoolArray = self.kind == COLLECTIVE
        return found

    @cached_property
    def held_up(self) -> Float64Array:
        """Of each node how late it is for a reason that no event gives, ns. Up to 20 us a device takes by itself, up to 0.5 ms
        until it has room for a collective; and what began or was launched before any work of its rank was over, or is the first
        of its stream, may be held up by what came before the recording, and would be still.
        """
        waits = np.zeros(len(self.own), np.bool_)
        waits[self.target] = True
        usual = np.full(len(self.own), LAUNCH_NS)
        usual[3 * np.flatnonzero(self.is_collective) + 1] = _CROWDED_NS
        late: Float64Array = np.where(waits & (self.own > usual), self.own, 0.0)
        device = np.flatnonzero(self.is_chunk | self.is_collective)
        first = np.full(int(self.rank.max(initial=0)) + 1, np.inf)
        np.minimum.at(first, self.rank[device], self.recorded[3 * device + 2])
        late[3 * device[self.recorded[3 * device + 1] < first[self.rank[device]]] + 1] = 0.0
        late[3 * np.flatnonzero(self.is_first) + 1] = 0.0
        late[0 : 3 * len(self.rank) : 3][self.recorded[0 : 3 * len(self.rank) : 3] < first[self.rank]] = 0.0
        late[3 * np.flatnonzero(self.kind == STEP) + 2] = 0.0  # by the rule of step windows, not held up
        return late

    @cached_property
    def _between(self) -> dict[tuple[int, int], Between]:
        return {}

    def between(self, rank: int, number: int) -> Between:
        """Of a step of this rank, as it was recorded."""
        if (rank, number) not in self._between:
            first, after = np.searchsorted(self.rank, (rank, rank + 1))
            rows = first + np.flatnonzero(self.step[first:after] == number)
            is_chunk, is_collective = self.kind[rows] == CHUNK, self.kind[rows] == COLLECTIVE
            place = np.cumsum(is_collective)[is_chunk]
            time = np.zeros(int(is_collective.sum()) + 1)
            np.add.at(time, place, self.lag[self.length_edge[rows[is_chunk]]])
            kinds = self.collective_kind[self.what[rows[is_collective]]]
            self._between[rank, number] = Between(rows[is_chunk], place, time, kinds)
        return self._between[rank, number]

    def steps(self, lag: Float64Array, own: Float64Array) -> dict[int, float]:
        """Length of each step that every rank recorded whole, ns: who waited for a rank after its file was cut off is held up by
        nobody in a replay, and stays where it was. Before the first of them no edit holds: who began to record later would come
        as late as ever, and the others have a start over it.
        """
        lag = np.where(self._is_before_all, self.lag, lag)
        lengths = self.step_lengths(values(self.groups, self.source, lag, own))
        return {number: length for number, length in lengths.items() if number in self.told_steps}

    @cached_property
    def _is_before_all(self) -> BoolArray:
        """Of each edge: it ends at a row of a step before the first that every rank recorded."""
        before = np.append(self.step < self.told_steps[0], np.False_)
        found: BoolArray = before[np.minimum(self.target // 3, len(self.step))]
        return found

    @cached_property
    def as_it_was(self) -> dict[int, float]:
        """`steps` without an edit."""
        return self.steps(self.lag, self.own)

    def step_lengths(self, time: Float64Array) -> dict[int, float]:
        """By number."""
        return {number: end - begin for number, (begin, end) in self.step_bounds(time).items()}

    def step_bounds(self, time: Float64Array) -> dict[int, tuple[float, float]]:
        """By number: from where the last rank began the step, so ended the one before, to where the last rank ends it."""
        ends, found = self.step_ends, {}
        for number in distinct(ends.number[ends.is_begun]).tolist():
            of_step = ends.number == number
            begun = time[3 * ends.before[of_step & ends.is_begun] + 2]
            found[number] = float(begun.max()), float(time[3 * ends.closing[of_step] + 2].max())
        return found

    @cached_property
    def step_ends(self) -> StepEnds:
        return step_ends(self.kind, self.what, self.rank)


def replay_of(job: Job) -> Replay | NotReplayed:
    """Of the ranks whose clocks are tied: a step ends where the last rank ends it."""
    if not job.has_waits:
        return "no waits"
    if len(job.tied) == 0:
        return "untied"
    if len(told_steps(job)) == 0:
        return "not whole"
    if any(len(job.of.ranks[place].order["kind"]) == 0 for place in job.tied.tolist()):
        return "no order"
    built = _built(job)
    if built is None:
        return "circle"
    was = built.step_lengths(built.recorded)
    again = built.step_lengths(values(built.groups, built.source, built.lag, built.own))
    error = max((abs(again[number] / max(length, 1.0) - 1) for number, length in was.items()), default=1.0)
    return built if error <= _MOST_ERROR else "unlike"


def _built(job: Job) -> Replay | None:
    holding, launched = direct(job), orders_of(job, job.tied)
    of = parted(launched.order, holding.waits(job, launched), holding.produced(launched))
    order = {**of.order, "end": _ends(job, of.order)}
    whole, between = _on_clock(job, order), launch_edges(order, of)
    rank, n = order["rank"], len(order["rank"])
    n_instances = len(job.matched)
    edges: list[tuple[Int64Array, Int64Array, Float64Array]] = []
    host_edge, launch_edge, length_edge = np.full(n, NONE), np.full(n, NONE), np.full(n, NONE)
    recorded = np.zeros(3 * n + n_instances)
    recorded[0 : 3 * n : 3], recorded[1 : 3 * n : 3], recorded[2 : 3 * n : 3] = whole["host"], whole["start"], whole["end"]
    recorded[3 * n :] = job.instances.last_arrival
    count = 0

    def add(source: Int64Array, target: Int64Array, lag: Float64Array | Int64Array) -> Int64Array:
        nonlocal count
        edges.append((source, target, np.asarray(lag, np.float64)))
        count += len(source)
        return np.arange(count - len(source), count)

    later = np.flatnonzero(np.diff(rank, prepend=NONE) == 0)
    before = later - 1
    row, ended = after_gaps(step_ends(whole["kind"], whole["what"], rank), whole["host"])
    before[np.searchsorted(later, row)] = ended
    was_sync = whole["kind"][before] == SYNC
    from_host, to = before[~was_sync], later[~was_sync]
    takes = whole["host"][to] - whole["host"][from_host] - whole["blocked"][to]
    host_edge[to] = add(3 * from_host, 3 * to, np.where(whole["blocked"][to] > 0, np.maximum(takes, 0), takes))
    from_sync, to = before[was_sync], later[was_sync]
    takes = whole["host"][to] - whole["end"][from_sync] - whole["blocked"][to]
    host_edge[to] = add(3 * from_sync + 2, 3 * to, np.maximum(takes, 0))
    device = np.flatnonzero((whole["kind"] == CHUNK) | (whole["kind"] == COLLECTIVE))
    delay = whole["start"][device] - whole["host"][device]
    least = least_delay(delay)
    launch_edge[device] = add(3 * device, 3 * device + 1, np.minimum(delay, least))
    source, target = between.room_by
    add(3 * source + 1, 3 * target, whole["host"][target] - whole["start"][source])
    source, target = between.edges
    sort = 2 * (whole["kind"][source] == COLLECTIVE) + (whole["kind"][target] == COLLECTIVE)
    add(3 * source + 2, 3 * target + 1, to_next(whole["start"][target] - whole["end"][source], sort))
    source, target = between.joins
    add(3 * source + 2, 3 * target + 2, np.zeros(len(source)))
    chunk = np.flatnonzero(whole["kind"] == CHUNK)
    length_edge[chunk] = add(3 * chunk + 1, 3 * chunk + 2, whole["end"][chunk] - whole["start"][chunk])
    sync = np.flatnonzero((whole["kind"] == SYNC) | (whole["kind"] == STEP))
    add(3 * sync, 3 * sync + 1, np.zeros(len(sync)))
    is_step = whole["kind"][sync] == STEP
    returns = np.minimum(whole["end"][sync] - whole["start"][sync], 5000)
    add(3 * sync + 1, 3 * sync + 2, np.where(is_step, 0, returns))
    collective = np.flatnonzero(whole["kind"] == COLLECTIVE)
    known = collective[job.waits.is_known[whole["what"][collective]]]
    row, of_parts = whole["what"][known], job.waits.parts
    instance = 3 * n + job.matched.of[row]
    add(3 * known + 1, instance, np.zeros(len(known)))
    node, takes = instance.copy(), whole["end"][known] - recorded[instance]
    if of_parts is not None:  # a kernel is over when the last of its parts is
        several = np.flatnonzero(of_parts.is_several[row])
        recorded[3 * known[several] + 2] = of_parts.end[row[several]]
        kernel = group_by(rank[known[several]], job.rows.row[row[several]])
        batch = len(recorded) + kernel.of
        last = np.full(len(kernel), -np.inf)
        np.maximum.at(last, kernel.of, recorded[instance[several]])
        recorded = np.concatenate((recorded, last))
        add(instance[several], batch, np.zeros(len(several)))
        node[several] = np.where(of_parts.is_told[row[several]], instance[several], batch)
        takes[several] = np.maximum(of_parts.end[row[several]] - recorded[node[several]], 0)
    length_edge[known] = add(node, 3 * known + 2, takes)
    unknown = all_but(collective, known)
    length_edge[unknown] = add(3 * unknown + 1, 3 * unknown + 2, whole["end"][unknown] - whole["start"][unknown])
    source, target, lag = (np.concatenate(columns) for columns in zip(*edges, strict=True))
    groups = layers(len(recorded), source, target)
    if groups is None:
        return None
    allowed = np.full(len(recorded), -np.inf)
    np.maximum.at(allowed, target, recorded[source] + lag)
    latest = np.full(len(recorded), -np.inf)
    np.maximum.at(latest, target, recorded[source])
    start = 3 * device + 1
    after, late = latest[start] - recorded[start - 1], recorded[start] - allowed[start]
    by_launch = begun_by_launch(job, rank[device], whole["kind"][device], delay, after, late)
    # Once such a kernel no longer waits for its launch, it does not wait for what that took beyond the least either.
    lag[launch_edge[device[by_launch]]] = delay[by_launch]
    allowed[start[by_launch]] = recorded[start[by_launch]]
    own = np.where(np.isfinite(allowed), np.maximum(recorded - allowed, 0.0), recorded)
    own[3 * n :] = np.where(np.isfinite(allowed[3 * n :]), 0.0, recorded[3 * n :])
    return Replay(
        source=source,
        target=target,
        lag=lag,
        own=own,
        groups=groups,
        rank=rank,
        kind=whole["kind"],
        what=whole["what"],
        collective_kind=2 * job.rows.kind + (job.rows.is_between_two & (job.rows.peer > np.array(job.of.numbers)[job.rows.rank])),
        step=_steps(whole, rank),
        loader=whole["loader"],
        called=whole["called"],
        copied=whole["copied"],
        is_first=between.is_first,
        host_edge=host_edge.astype(np.int64),
        launch_edge=launch_edge.astype(np.int64),
        least_launch=least,
        length_edge=length_edge.astype(np.int64),
        recorded=recorded,
        told_steps=told_steps(job),
        ranks=job.tied,
    )


def _on_clock(job: Job, order: Mapping[str, Int64Array]) -> dict[str, Any]:
    """The columns of all orders, on the job's clock."""
    rank = order["rank"]
    whole: dict[str, Any] = {name: order[name] for name in ("kind", "what", "loader", "called", "copied", "blocked")}
    by = np.array([shift_of(one, job.table.base_ns) for one in job.of.ranks], np.int64)[rank]
    for name in ("host", "start", "end"):
        local = order[name] + by
        whole[name] = (local - job.shift(rank, local)).astype(np.float64)
    return whole


def _ends(job: Job, order: Mapping[str, Int64Array]) -> Int64Array:
    """Of each row; of a step when its device is done with it (`times/step_windows.py`), which may be after the host's end."""
    end: Int64Array = order["end"].copy()
    rows = np.flatnonzero(order["kind"] == STEP)
    places = distinct(order["rank"][rows])
    tables = [job.of.ranks[place].steps for place in places.tolist()]
    if not tables:
        return end
    number, begun, ended = (np.concatenate([table[name] for table in tables]) for name in ("number", "start", "end"))
    ranks = (np.repeat(places, [len(table["number"]) for table in tables]), order["rank"][rows])
    of_table, of_row = in_lanes(ranks, (number, order["what"][rows]))
    place, is_later = np.searchsorted(of_table, of_row), np.diff(ranks[1], prepend=NONE) == 0
    is_there = is_among(of_row, of_table) & is_later
    second = np.flatnonzero(is_there & ~np.append(False, is_later[:-1]))  # the row before it is where it begins
    end[rows[second - 1]] = np.maximum(end[rows[second - 1]], begun[place[second]])
    closing = rows[is_there]
    end[closing] = np.maximum(end[closing], ended[place[is_there]])
    return end


def _steps(whole: dict[str, Float64Array], rank: Int64Array) -> Int64Array:
    """The number of the step whose end comes next on the rank's host."""
    number = np.full(len(rank), NONE, np.int64)
    ends = np.flatnonzero(whole["kind"] == STEP)
    place = np.searchsorted(ends, np.arange(len(rank)))
    inside = place < len(ends)
    found = ends[np.minimum(place, max(len(ends) - 1, 0))] if len(ends) else number
    same = inside & (rank[found] == rank)
    number[same] = whole["what"][found[same]]
    return number
