"""One rank against its peers: what it needs for itself, whom it waits for and who waits for it. `view/ranks/rank`.

Peers are the other ranks of its stage, without a pipeline all others; of a member of a blamed stage, host or replica the ranks
outside of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.job.own.own_time import ALSO, PARTS
from tb_plugin.job.why.alone import HIDDEN
from tb_plugin.question.figure import NO_COLUMN, Figure, columns_of, value_of
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.basis.by_dimension import exposed_of
from tb_plugin.views.ranks.basis.names import per_step, ranges, short_waits
from tb_plugin.views.ranks.basis.of_job import OfJob, jobs_of
from tb_plugin.views.ranks.basis.whole import mean_of, mean_told, whole, whole_told
from tb_plugin.views.ranks.compute import others_of
from tb_plugin.views.ranks.missing.absent import why_absent
from tb_plugin.views.ranks.missing.lacking import why_no_waits
from tb_plugin.views.ranks.missing.no_device import on_no_device
from tb_plugin.views.ranks.one_rank.rank_kernels import MoreKernelRow, kernels_that_cost_more
from tb_plugin.views.ranks.one_rank.rank_waits import WaitedForRow, on_its_waits, on_waits_for_it, waits_of
from tb_plugin.views.ranks.result import CountedIn
from tb_plugin.views.ranks.told.blame import blamed, not_told_from_chance
from tb_plugin.views.ranks.told.doubts import on_causes
from tb_plugin.views.ranks.told.evidence import counted_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.ranks.ranks import Rank
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

_NOT_COUNTED: Final = "What is more than the peers does not count what moves data."
_WORTH: Final = 0.02  # of the step
_SHAPES: Final = ("shape", "peers_shape")
_TEXTS_OF_KERNELS: Final = ("kernel", "why", *_SHAPES)
_WORDS: Final = {
    "computation": "computation",
    "transfer": "exposed transfer",
    "copy": "copies",
    "idle": "idle",
    HIDDEN: "idle that communication hides",
    "loader": "of the host: data loader",
    "collection": "of the host: garbage collection",
    "checkpoint": "idle, the host in a checkpoint",
    "compile": "idle, the host compiling",
    "allocator": "idle, the host in calls for memory",
    "launch": "of the host: launch calls",
    "pause": "longest gap without work",
}


class OneRankParams(OfJob, frozen=True, kw_only=True):
    """Which rank of which run."""

    rank: Annotated[int, msgspec.Meta(description="its number", ge=0)]


class RankStepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the rank, and its peers in it."""

    number: Annotated[int, Figure("Step", "count")]
    step_ns: Annotated[int, Figure("Length", "ns")]
    wait_ns: Annotated[int | None, Figure("Exposed wait", "ns")]
    untold_ns: Annotated[int, Figure("Not told apart", "ns")]
    own_ns: Annotated[int | None, Figure("Own time", "ns")]
    work_ns: Annotated[int | None, Figure("Own work", "ns")]
    peers_work_ns: Annotated[int | None, Figure("Peers, median", "ns")]
    excess_ns: Annotated[int | None, Figure("More than peers", "ns")]
    peers_least_ns: Annotated[int | None, Figure("Peers, least", "ns")]
    peers_most_ns: Annotated[int | None, Figure("Peers, most", "ns")]
    pause_ns: Annotated[int | None, Figure("Longest gap", "ns")]
    pause_event: Annotated[str | None, Figure("The host in it", "text")]
    pause_at_ns: Annotated[int | None, NO_COLUMN]  # in the rank's own profile
    start_ns: Annotated[int, NO_COLUMN]


class RankPartRow(msgspec.Struct, frozen=True, kw_only=True):
    """A part of own time, mean over steps. The first four add up to it; the others lie in them."""

    part: Annotated[str, Figure("Part", "text")]
    mine_ns: Annotated[int | None, Figure("This rank", "ns")]
    peers_ns: Annotated[int | None, Figure("Peers, median", "ns")]
    more_ns: Annotated[int | None, Figure("More", "ns")]


class RankDimensionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Its collectives of one dimension. Exposed times are means over its steps, if any, and add up to its communication."""

    dimension: Annotated[str, Figure("Dimension", "text")]
    n_collectives: Annotated[int, Figure("Collectives", "count", sums=True)]
    exposed_wait_ns: Annotated[int | None, Figure("Exposed wait", "ns", sums=True)]
    exposed_transfer_ns: Annotated[int | None, Figure("Exposed transfer", "ns", sums=True)]
    exposed_untold_ns: Annotated[int | None, Figure("Not told apart", "ns", sums=True)]
    wait_ns: Annotated[int | None, Figure("Wait, all", "ns", sums=True)]
    transfer_ns: Annotated[int | None, Figure("Transfer, all", "ns", sums=True)]
    untold_ns: Annotated[int, Figure("Not told apart, all", "ns", sums=True)]


class OneRank(msgspec.Struct, frozen=True, kw_only=True):
    """`rank` None: not here yet. `peer`: the one with the median own work of its peers, to compare with."""

    run: str | None
    rank: int | None
    worker: str | None
    span: str | None
    host: str | None
    clock_error_ns: int | None
    peers: str | None
    peer: int | None
    peer_worker: str | None
    peer_span: str | None
    sentences: list[str]
    counted: list[CountedIn]  # collectives that parts of the sentences count
    steps: list[RankStepRow]
    parts: list[RankPartRow]
    dimensions: list[RankDimensionRow]
    waits_for: list[WaitedForRow]
    kernels: list[MoreKernelRow]
    is_on_host: bool  # it computes on a CPU: these are operators


def one_rank(members: Sequence[Member[RankSummary]], params: OneRankParams) -> OneRank:
    """NotFoundError where the run's job has no such rank, once all are read."""
    run, mine, jobs = jobs_of(members, params)
    of = analysed(jobs[0]) if jobs else None
    if of is None or params.rank not in of.job.of.numbers:
        if of is not None and all(member.is_final for member in members):
            why = why_absent(of, others_of(mine, jobs), params.rank)
            because = f" ({why})" if why else ""
            raise NotFoundError(f"rank {params.rank} is not here{because}; there is {ranges(of.job.of.numbers)}")
        return _nobody(run)
    place = of.job.of.numbers.index(params.rank)
    rank, peers = of.job.of.ranks[place], of.compared_with(place).peers
    peer = _median_peer(of, peers)
    other = None if peer is None else of.job.of.ranks[peer]
    steps, parts, waits_for = _steps(of, place), _parts(of, place, peers), waits_of(of, place)
    return OneRank(
        run=run,
        rank=params.rank,
        worker=rank.of.worker,
        span=rank.of.span,
        host=of.job.of.hosts[rank.host] if of.job.of.are_hosts_known else None,
        clock_error_ns=of.told_clock_error_ns,
        peers=ranges([of.job.of.numbers[each] for each in peers.tolist()]) if len(peers) else None,
        peer=None if other is None else other.number,
        peer_worker=None if other is None else other.of.worker,
        peer_span=None if other is None else other.of.span,
        sentences=_words(of, place, steps, parts, waits_for),
        counted=[
            found for one, cause, _ in of.stragglers if place in one.members and (found := counted_in(of, one, cause)) is not None
        ],
        steps=steps,
        parts=parts,
        dimensions=_dimensions(of, place),
        waits_for=waits_for,
        kernels=kernels_that_cost_more(of, place, peers),
        is_on_host=rank.is_on_host,
    )


def table(reply: OneRank) -> TextTable:
    """Its steps."""
    columns = columns_of(RankStepRow)
    return TextTable(columns=list(columns), rows=[[value_of(row, column) for column in columns.values()] for row in reply.steps])


def _nobody(run: str | None) -> OneRank:
    return OneRank(
        run=run,
        rank=None,
        worker=None,
        span=None,
        host=None,
        clock_error_ns=None,
        peers=None,
        peer=None,
        peer_worker=None,
        peer_span=None,
        sentences=[],
        counted=[],
        steps=[],
        parts=[],
        dimensions=[],
        waits_for=[],
        kernels=[],
        is_on_host=False,
    )


def _median_peer(of: Analysed, peers: Int64Array) -> int | None:
    work = np.array([mean_of(of.work[each]) for each in peers.tolist()])
    if not np.isfinite(work).any():
        return int(peers[0]) if len(peers) else None
    return int(peers[int(np.nanargmin(np.abs(work - np.nanmedian(work))))])


def _steps(of: Analysed, place: int) -> list[RankStepRow]:
    own, steps, work = of.own, of.job.of.ranks[place].steps, of.job.of.ranks[place].work
    others, is_told = of.compared_with(place).work, of.job.has_own_work
    rows = []
    for column, number in enumerate(own.number.tolist()):
        if not np.isfinite(own.step[place, column]):
            continue
        at = int(np.flatnonzero(steps["number"] == number)[0])
        known = others[np.isfinite(others[:, column]) & is_told, column]
        has_pause, event = work["pause"][at] > 0, _in_pause(of.job.of.ranks[place], at)
        rows.append(
            RankStepRow(
                number=number,
                step_ns=round(float(own.step[place, column])),
                wait_ns=whole_told(own.wait[place, column], own.untold[place, column]),
                untold_ns=round(float(own.untold[place, column])),
                own_ns=whole(own.own[place, column]),
                work_ns=whole(of.work[place, column]) if is_told else None,
                peers_work_ns=whole(np.median(known)) if len(known) else None,
                excess_ns=whole(of.excess[place, column]) if is_told else None,
                peers_least_ns=whole(known.min()) if len(known) else None,
                peers_most_ns=whole(known.max()) if len(known) else None,
                pause_ns=int(work["pause"][at]) if has_pause else None,
                pause_event=event,
                pause_at_ns=int(work["pause_at"][at]) if has_pause else None,
                start_ns=int(steps["start"][at]),
            )
        )
    return rows


def _in_pause(rank: Rank, at: int) -> str | None:
    """What its host was in during the longest gap of a step, not what it had been in before."""
    event = None if rank.work["in_pause"][at] == NONE else rank.summary.pause_events[rank.work["in_pause"][at]]
    return None if event is None or event.told == "after" else ": ".join(event.where)


def _parts(of: Analysed, place: int, peers: Int64Array) -> list[RankPartRow]:
    """Median over peers of their means over steps."""
    rows, hidden = [], () if of.job.of.ranks[place].summary.has_ranges else ("loader",)
    all_of = (place, *peers.tolist())
    for name in (*PARTS, HIDDEN, *ALSO):
        if name not in _WORDS or name in hidden or (name not in (*PARTS, "pause") and not of.has_host):
            continue
        parts, untold = (of.alone if name == HIDDEN else of.own).parts[name], of.own.untold if name == "transfer" else None
        mine, *others = (mean_of(parts[each]) if untold is None else mean_told(parts[each], untold[each]) for each in all_of)
        usual = float(np.nanmedian(others)) if np.isfinite(others).any() else np.nan
        if mine or usual or name in PARTS:
            rows.append(RankPartRow(part=_WORDS[name], mine_ns=whole(mine), peers_ns=whole(usual), more_ns=whole(mine - usual)))
    return rows


def _dimensions(of: Analysed, place: int) -> list[RankDimensionRow]:
    job, mine = of.job, of.job.rows_of(place)
    dimension, known = of.dimensions.of_rows(job.rows.group[mine]), job.waits.is_known[mine]
    means, rows = exposed_of(of, place), []
    for at, name in enumerate(of.dimensions.names):
        here = dimension == at
        is_told = bool((here & known).any())
        exposed = means[at]
        wait, transfer, untold = (
            int(column[mine[here]].sum()) for column in (job.waits.wait, job.waits.transfer, job.waits.untold)
        )
        if here.any():
            rows.append(
                RankDimensionRow(
                    dimension=name,
                    n_collectives=int(here.sum()),
                    exposed_wait_ns=whole_told(exposed[0], exposed[2]) if is_told else None,
                    exposed_transfer_ns=whole_told(exposed[1], exposed[2]) if is_told else None,
                    exposed_untold_ns=whole(exposed[2] if is_told else exposed.sum()),
                    wait_ns=whole_told(wait, untold) if is_told else None,
                    transfer_ns=whole_told(transfer, untold) if is_told else None,
                    untold_ns=untold,
                )
            )
    return sorted(rows, key=lambda row: -sum(filter(None, (row.exposed_wait_ns, row.exposed_transfer_ns, row.exposed_untold_ns))))


def _words(of: Analysed, place: int, steps: list[RankStepRow], parts: list[RankPartRow], waits: list[WaitedForRow]) -> list[str]:
    number = of.job.of.numbers[place]
    if place in of.job.of.lack_device and (why := on_no_device(of)) is not None:
        return [f"{why} What a step would be with it like its peers cannot be told."]
    mine = [one for one in blamed(of) if number in one.ranks]
    said = [*(one.sentence for one in mine), *([_NOT_COUNTED] if mine else []), *on_causes(of, mine)]
    more = [row.excess_ns for row in steps if row.excess_ns is not None]
    if more and not said:
        away, length = round(sum(more) / len(more)), sum(row.step_ns for row in steps) / len(steps)
        as_others = abs(away) <= _WORTH * length
        how = "as much as" if as_others else f"{format_ns(abs(away))} {'more' if away > 0 else 'less'}{per_step(of)} than"
        unsure = not_told_from_chance(of, place, away) if away > 0 and not as_others else ""
        it = f"Rank {number} needs {how} its peers, not counting what moves data{unsure}; it is not blamed."
        said.append(it + _moved(of, steps, parts))
    if not of.job.has_waits:
        return [*said, f"Whom it waits for cannot be told: {why_no_waits(of.job)}."]
    n_steps = len(steps) if of.job.of.have_steps else 0
    return [*said, *on_its_waits(of, place, waits, n_steps), *on_waits_for_it(of, place)]


def _moved(of: Analysed, steps: list[RankStepRow], parts: list[RankPartRow]) -> str:
    """What moves data is in no blame, and where it takes longer than on the peers that is said, if it is told of all."""
    if untold := round(sum(row.untold_ns for row in steps) / len(steps)):
        return f" {format_ns(untold)} of its step is waiting or moving data, not told apart, and not in this."
    moved = next((row.more_ns or 0 for row in parts if row.part == _WORDS["transfer"]), 0)
    if (of.own.untold > 0).any() or moved <= _WORTH * sum(row.step_ns for row in steps) / len(steps):
        return ""
    return f" Moving data takes it {format_ns(moved)} more{per_step(of)} than them, and that is a link's business."


def text(reply: OneRank) -> str:
    if reply.rank is None:
        return "The rank has not answered yet."
    where = f" on {reply.host}" if reply.host is not None else ""
    blocks = [f"run {reply.run} · rank {reply.rank}{where} · peers {reply.peers or 'none'}", "\n".join(reply.sentences)]
    ran = "operator" if reply.is_on_host else "kernel"
    tables = (
        ("steps", RankStepRow, reply.steps, ("pause_event",)),
        (f"of its own time{', mean of a step' if len(reply.steps) > 1 else ''}", RankPartRow, reply.parts, ("part",)),
        ("collectives", RankDimensionRow, reply.dimensions, ("dimension",)),
        ("waits for", WaitedForRow, reply.waits_for, ()),
        (f"{ran}s that cost more than on its peers", MoreKernelRow, reply.kernels, _TEXTS_OF_KERNELS),
    )
    for title, struct, rows, left in (table for table in tables if table[2]):
        names, also = list(columns_of(struct)), ("longest_took_ns",) if struct is WaitedForRow else ()
        names = [name for name in names if name not in _SHAPES or any(getattr(row, name) is not None for row in rows)]
        values = short_waits(names, reply.clock_error_ns, also)
        cells = text_table(struct, rows, names, left=left, values=values, titles={"kernel": ran})
        blocks.append(f"{title}\n{cells}")
    return "\n\n".join(blocks)
