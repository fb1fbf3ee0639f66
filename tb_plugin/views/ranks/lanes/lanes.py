"""Several ranks side by side in one step, on the job's clock: what each computed, waited for and moved, and the critical path.

From the summaries alone: no profile is opened, however many ranks there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import Merged, clip, union
from tb_plugin.question.outline import TextTable
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.trace.collectives.kinds import KINDS
from tb_plugin.trace.rank.order import CHUNK
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tb_plugin.views.ranks.basis.of_job import OfJob, analysed_of
from tb_plugin.views.ranks.basis.on_job import in_profile, on_job, window
from tb_plugin.views.ranks.lanes.lane_choice import chosen
from tb_plugin.views.ranks.missing.not_replayed import not_drawn, why_no_path
from tb_plugin.views.ranks.missing.off_host import on_unfit
from tb_plugin.views.ranks.rows.instance_rows import MOST_LAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.job import Job
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST_PIECES: Final = 20_000


class LanesParams(OfJob, frozen=True, kw_only=True):
    """Which ranks, in which step."""

    ranks: Annotated[
        str | None, msgspec.Meta(description="which ranks, as 4-7,12; by default those that are waited for, and who waits")
    ] = None
    step: Annotated[int | None, msgspec.Meta(description="which step; by default one in which somebody is late")] = None
    whole: Annotated[bool, msgspec.Meta(description="the whole recording, in steps and outside of them")] = False


class RankLane(msgspec.Struct, frozen=True, kw_only=True):
    """One rank. `zero_ns`: where in its own profile the window begins; `clock_ns`: what its clock is ahead of the job's there.

    `from_ns`, `to_ns`: its recording, since the window's start. `computing` of CPUs is recorded, not drawn: nothing launches it.
    """

    rank: int
    worker: str
    span: str
    host: str | None
    is_tied: bool
    zero_ns: int
    clock_ns: int
    from_ns: int
    to_ns: int
    computing: Literal["drawn", "not drawn", "not recorded"]


class ComputingPieces(msgspec.Struct, frozen=True, kw_only=True):
    """One value a piece of computation; times since the window's start."""

    lane: list[int]
    start_ns: list[int]
    end_ns: list[int]


class MemberPieces(msgspec.Struct, frozen=True, kw_only=True):
    """One value a collective of a rank: it waits until `arrived_ns`, then moves data. Not told apart: its start."""

    lane: list[int]
    dimension: list[int]
    kind: list[int]
    instance: list[int]  # equal on all members; -1: not matched
    row: list[int]  # of the rank's own profile
    step: list[int]  # in which its rank issued it: also of others than the one shown, where ranks are not in it at once
    start_ns: list[int]
    arrived_ns: list[int]
    end_ns: list[int]
    transfer_ns: list[int]  # as all else tells it: up to its end also lies what clocks drift while it waits; 0: not told apart
    is_known: list[bool]
    is_last: list[bool]  # alone, or together with others as far as clocks can tell
    last: list[int]  # whom it waits for, a place in `lasts`; -1: not known


class PathPieces(msgspec.Struct, frozen=True, kw_only=True):
    """The critical path in the order of time. `lane` -1: a rank that is not shown."""

    lane: list[int]
    rank: list[int]
    what: list[str]
    start_ns: list[int]
    end_ns: list[int]


class RankLanes(msgspec.Struct, frozen=True, kw_only=True):
    """`step` None: all of the recording is shown. `steps`: the complete ones, and that which is shown."""

    run: str | None
    step: int | None
    steps: list[int]
    length_ns: int
    lanes: list[RankLane]
    n_ranks: int
    dimensions: list[str]
    kinds: list[str]
    computing: ComputingPieces
    members: MemberPieces
    lasts: list[list[int]]  # ranks that came last to a collective, of very many the first
    path: PathPieces
    n_left_out: int  # collectives, the shortest
    notes: list[str]


def lanes(members: Sequence[Member[RankSummary]], params: LanesParams) -> RankLanes:
    """Errors as `jobs_of`, UsageError for ranks not there, and for a step together with the whole recording."""
    if params.whole and params.step is not None:
        raise UsageError("step and whole: name one of them")
    run, of = analysed_of(members, params)
    if of is None:
        return _nothing(run)
    step = None if params.whole else _step(of, params.step)
    places, on_choice = chosen(of, params.ranks, step)
    start, end = window([of.stretches[place] for place in places], step)
    kept, lasts, n_left_out = _members(of, places, start, end)
    path = _path(of, step, places, start)
    return RankLanes(
        run=run,
        step=step,
        steps=sorted({*of.own.number.tolist(), *([] if step is None else [step])}),
        length_ns=end - start,
        lanes=[_lane(of, place, places[0], start) for place in places],
        n_ranks=len(of.job.of.ranks),
        dimensions=["unnamed group" if name == NOT_RECORDED else name for name in of.dimensions.names],
        kinds=[kind.replace("_", "-") for kind in KINDS],
        computing=_computing(of.job, places, start, end),
        members=kept,
        lasts=lasts,
        path=path,
        n_left_out=n_left_out,
        notes=[*on_choice, *_on_hidden_path(path), *_notes(of, places)],
    )


def text(reply: RankLanes) -> str:
    """Who is shown, and the path; the pieces are for a picture or `--format csv`."""
    where = "the whole recording" if reply.step is None else f"step {reply.step}"
    said = [f"{where} of {len(reply.lanes)} of {reply.n_ranks} ranks: {format_ns(reply.length_ns)} on one clock"]
    path = reply.path
    said += [
        f"{format_ns(start):>10}  rank {rank:<5} {what:10} {format_ns(end - start)}"
        for rank, what, start, end in zip(path.rank, path.what, path.start_ns, path.end_ns, strict=True)
    ]
    return "\n".join(said + [f"note: {note}" for note in reply.notes])


def table(reply: RankLanes) -> TextTable:
    """A row a collective of a rank."""
    found = reply.members
    columns = ("rank", "dimension", "kind", "instance", "step", "start_ns", "wait_ns", "transfer_ns", "came_last", "last_ranks")
    rows = [
        (
            reply.lanes[lane].rank,
            reply.dimensions[dimension],
            reply.kinds[kind],
            instance,
            step if step != NONE else None,
            start,
            arrived - start if known else None,
            transfer if known else None,
            str(last).lower(),
            " ".join(map(str, reply.lasts[of_last])) if of_last != NONE else None,
        )
        for lane, dimension, kind, instance, step, start, arrived, transfer, known, last, of_last in zip(
            *(
                found.lane,
                found.dimension,
                found.kind,
                found.instance,
                found.step,
                found.start_ns,
                found.arrived_ns,
                found.transfer_ns,
            ),
            *(found.is_known, found.is_last, found.last),
            strict=True,
        )
    ]
    return TextTable(columns=columns, rows=rows)


def _step(of: Analysed, wanted: int | None) -> int | None:
    """That in which the one that is waited for most is late, else the longest. A wanted one need not be complete."""
    numbers = of.own.number.tolist()
    if wanted is not None:
        if not any(wanted in rank.steps["number"] for rank in of.job.of.ranks):
            raise UsageError(f"step {wanted}: there is {', '.join(map(str, numbers[:20])) or 'no complete step'}")
        return wanted
    if not numbers:
        return None
    if of.stragglers:
        return of.stragglers[0][0].late_steps[0]
    known = np.where(np.isfinite(of.own.step), of.own.step, 0.0)
    return int(numbers[int(known.max(axis=0).argmax())])


def _lane(of: Analysed, place: int, first: int, start: int) -> RankLane:
    job = of.job
    rank = job.of.ranks[place]
    begun, ended = of.stretches[place][None]
    component = job.clocks.component[job.places.of_rank]
    return RankLane(
        rank=rank.number,
        worker=rank.of.worker,
        span=rank.of.span,
        host=job.of.hosts[rank.host] if job.of.are_hosts_known else None,
        is_tied=bool(component[place] == component[first]),
        zero_ns=in_profile(job, place, start),
        clock_ns=int(job.shift(place, np.array([start]))[0]),
        from_ns=begun - start,
        to_ns=ended - start,
        computing="drawn" if len(rank.order["kind"]) else "not drawn" if rank.summary.computation_ns else "not recorded",
    )


def _computing(job: Job, places: list[int], start: int, end: int) -> ComputingPieces:
    """Runs of kernels; where they are very many, those that are nearly one are one."""
    found = ComputingPieces(lane=[], start_ns=[], end_ns=[])
    for lane, place in enumerate(places):
        order = job.of.ranks[place].order
        chunk = order["kind"] == CHUNK
        busy = union(on_job(job, place, order["start"][chunk]), on_job(job, place, order["end"][chunk]))
        busy = clip(busy, start, end)
        most = max(_MOST_PIECES // len(places), 1)
        if len(busy.start) > most:
            gap = np.sort(busy.start[1:] - busy.end[:-1])[-most]
            apart = np.flatnonzero(busy.start[1:] - busy.end[:-1] >= max(gap, 1))
            busy = Merged(busy.start[np.append(0, apart + 1)], busy.end[np.append(apart, -1)])
        found.lane.extend([lane] * len(busy.start))
        found.start_ns.extend((busy.start - start).tolist())
        found.end_ns.extend((busy.end - start).tolist())
    return found


def _members(of: Analysed, places: list[int], start: int, end: int) -> tuple[MemberPieces, list[list[int]], int]:
    job = of.job
    rows, measured, found = job.rows, job.waits, job.matched
    use = np.concatenate([job.rows_of(place) for place in places])
    lane = np.repeat(np.arange(len(places)), [len(job.rows_of(place)) for place in places])
    here = rows.is_there[use] & (measured.end[use] > start) & (measured.start[use] < end)
    use, lane = use[here], lane[here]
    n_left_out = max(len(use) - _MOST_PIECES, 0)
    if n_left_out:
        kept = np.sort(np.argsort(-(measured.end - measured.start)[use], kind="stable")[:_MOST_PIECES])
        use, lane = use[kept], lane[kept]
    known, instance = measured.untold[use] == 0, found.of[use]
    arrived = measured.start[use] + np.where(known, measured.wait[use], 0)
    last, lasts = np.full(len(use), NONE), list[list[int]]()
    told = np.flatnonzero(known & measured.is_known[use])
    if len(told):
        met, its = np.unique(instance[told], return_inverse=True)
        lasts = [sorted(job.of.numbers[place] for place in each)[:MOST_LAST] for each in last_ranks(job, met)]
        last[told] = its
    pieces = MemberPieces(
        lane=lane.tolist(),
        dimension=of.dimensions.of_rows(rows.group[use]).tolist(),
        kind=rows.kind[use].tolist(),
        instance=instance.tolist(),
        row=rows.row[use].tolist(),
        step=rows.step[use].tolist(),
        start_ns=(measured.start[use] - start).tolist(),
        arrived_ns=(arrived - start).tolist(),
        end_ns=(measured.end[use] - start).tolist(),
        transfer_ns=measured.transfer[use].tolist(),
        is_known=known.tolist(),
        is_last=(known & measured.is_last[use]).tolist(),
        last=last.tolist(),
    )
    return pieces, lasts, n_left_out


def _path(of: Analysed, step: int | None, places: list[int], start: int) -> PathPieces:
    lane = {place: number for number, place in enumerate(places)}
    pieces = [piece for path in of.paths if step in (None, path.step) for piece in path.pieces]
    return PathPieces(
        lane=[lane.get(piece.rank, NONE) for piece in pieces],
        rank=[of.job.of.ranks[piece.rank].number for piece in pieces],
        what=[piece.what for piece in pieces],
        start_ns=[round(piece.start) - start for piece in pieces],
        end_ns=[round(piece.end) - start for piece in pieces],
    )


def _on_hidden_path(path: PathPieces) -> list[str]:
    lasts = np.array(path.end_ns, np.int64) - np.array(path.start_ns, np.int64)
    hidden = int(lasts[np.array(path.lane, np.int64) == NONE].sum())
    return [f"{percent(hidden / int(lasts.sum()))} of the critical path is on ranks that are not shown."] if hidden else []


def _notes(of: Analysed, places: list[int]) -> list[str]:
    job, said = of.job, []
    if job.clock_refused is not None:
        own = "clocks of their own" if job.places.off else "the clocks of their own hosts"
        said.append(f"Hatched: {job.clock_refused}. These ranks stand on {own}.")
    else:
        on = distinct(job.places.of_rank[places]).tolist()
        if not job.unfit.keys().isdisjoint(on):
            said.append(f"Hatched: {on_unfit(job)}.")
        if len({int(job.clocks.component[clock]) for clock in on if clock not in job.unfit}) > 1:
            said.append("Hatched: no collective ties the clocks of these ranks to the first one's; they stand on their own.")
    said += not_drawn(of, places)
    if not of.paths:
        said.append(f"Critical path: not known; {why_no_path(of)}.")
    return said


def _nothing(run: str | None) -> RankLanes:
    """Nobody has answered yet."""
    return RankLanes(
        run=run,
        step=None,
        steps=[],
        length_ns=0,
        lanes=[],
        n_ranks=0,
        dimensions=[],
        kinds=[],
        computing=ComputingPieces(lane=[], start_ns=[], end_ns=[]),
        members=MemberPieces(
            lane=[],
            dimension=[],
            kind=[],
            instance=[],
            row=[],
            step=[],
            start_ns=[],
            arrived_ns=[],
            end_ns=[],
            transfer_ns=[],
            is_known=[],
            is_last=[],
            last=[],
        ),
        lasts=[],
        path=PathPieces(lane=[], rank=[], what=[], start_ns=[], end_ns=[]),
        n_left_out=0,
        notes=["No rank has answered yet."],
    )
