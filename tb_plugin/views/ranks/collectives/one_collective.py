"""One collective over all its members: from an event of one rank's profile to who came last, and how long each waited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import numpy as np

from tb_plugin.base.units import NONE, format_bytes, format_ns, format_rate
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.trace.collectives.kinds import KINDS
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed, jobs_among
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tb_plugin.views.ranks.basis.names import ranges, together, waited, whom
from tb_plugin.views.ranks.basis.of_job import profiles_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

_MOST: Final = 4096


class CollectiveParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which event of which profile."""

    run: Annotated[str, msgspec.Meta(description="run of the profile")]
    worker: Annotated[str, msgspec.Meta(description="its worker")]
    row: Annotated[int, msgspec.Meta(description="the event: a collective's kernel, or its range on the host", ge=0)]
    span: Annotated[str | None, msgspec.Meta(description="its span; by default the newest")] = None


class CollectiveMember(msgspec.Struct, frozen=True, kw_only=True):
    """One rank's part. `arrived_ns`: after the first to come. `row`: in its own profile."""

    rank: int
    worker: str
    span: str
    row: int
    arrived_ns: int
    wait_ns: int
    transfer_ns: int | None  # None: a member is not here


class OneCollective(msgspec.Struct, frozen=True, kw_only=True):
    """`sentence` of the asked rank. Members in the order in which they came; none where they could not be matched."""

    sentence: str | None  # None: the event is no collective
    instance: int | None
    step: int | None
    last_ranks: list[int]  # who came last, several where they came together as far as clocks can tell
    wait_ns: int | None
    transfer_ns: int | None
    members: list[CollectiveMember]


_NO_COLLECTIVE: Final = OneCollective(
    sentence=None, instance=None, step=None, last_ranks=[], wait_ns=None, transfer_ns=None, members=[]
)


def one_collective(members: Sequence[Member[RankSummary]], params: CollectiveParams) -> OneCollective:
    """Of the job that the profile belongs to."""
    mine = [member for member in members if member.run == params.run]
    for recorded in jobs_among(profiles_of(mine)):
        if any(one.worker == params.worker and params.span in (None, one.span) for one in recorded):
            return _found(analysed(recorded), params)
    return _NO_COLLECTIVE


def _found(of: Analysed, params: CollectiveParams) -> OneCollective:
    job = of.job
    place = next(place for place, rank in enumerate(job.of.ranks) if rank.of.worker == params.worker)
    mine = job.rows_of(place)
    here = mine[job.rows.row[mine] == params.row]
    if len(here) == 0:
        return _NO_COLLECTIVE
    row = int(here[0])
    instance, step = int(job.matched.of[row]), int(job.rows.step[row])
    if not job.waits.is_known[row]:
        return OneCollective(
            sentence=f"{_title(of, row, [])}: {_why_unknown(of, row, instance)}.",
            instance=None if instance == NONE else instance,
            step=None if step == NONE else step,
            last_ranks=[],
            wait_ns=None,
            transfer_ns=None,
            members=[],
        )
    every = np.flatnonzero((job.matched.of == instance) & job.waits.is_known)
    every = every[np.argsort(job.waits.start[every], kind="stable")]
    first = int(job.waits.start[every[0]])
    numbers = job.of.numbers
    last = sorted(numbers[one] for one in last_ranks(job, [instance])[0])
    return OneCollective(
        sentence=_sentence(of, row, instance, sorted(numbers[rank] for rank in job.rows.rank[every].tolist()), last),
        instance=instance,
        step=None if step == NONE else step,
        last_ranks=last,
        wait_ns=int(job.waits.wait[row]),
        transfer_ns=_transfer(of, row),
        members=[
            CollectiveMember(
                rank=numbers[rank],
                worker=job.of.ranks[rank].of.worker,
                span=job.of.ranks[rank].of.span,
                row=int(job.rows.row[each]),
                arrived_ns=int(job.waits.start[each]) - first,
                wait_ns=int(job.waits.wait[each]),
                transfer_ns=_transfer(of, each),
            )
            for each, rank in zip(every[:_MOST].tolist(), job.rows.rank[every[:_MOST]].tolist(), strict=True)
        ],
    )


def _transfer(of: Analysed, row: int) -> int | None:
    return None if of.job.waits.untold[row] else int(of.job.waits.transfer[row])


def _sentence(of: Analysed, row: int, instance: int, numbers: list[int], last: list[int]) -> str:
    """`all-reduce 117 (tensor) with ranks 4-5: waited 1.88 ms for rank 5, moved 16.8 MB in 61 us (275 GB/s)`: its event."""
    job = of.job
    own = job.of.numbers[int(job.rows.rank[row])]
    wait = int(job.waits.wait[row])
    at_least = "" if job.matched.is_complete[instance] else "at least "
    came = f"waited {at_least}{waited(wait, of.clock_error_ns)} for {whom(last)}{together(last)}"
    if own in last:
        came = "came last" if len(last) == 1 else f"{whom(last)} came last together"
    transfer = job.instances.transfer[instance]
    untold = int(job.waits.untold[row])
    own_transfer = format_ns(int(job.waits.transfer[row]))
    moved = f"moving data took {own_transfer}"
    if untold:
        moved = f"then waited for ranks that are not here or moved data, {format_ns(untold)}"
    size = int(job.rows.size[row])
    if size > 0 and not untold and np.isfinite(transfer):
        rate = of.links.bandwidth[instance]
        median = format_ns(round(float(transfer)))  # what the rate is of
        apart = [] if median == own_transfer else [f"the members' median {median}"]
        at = ", ".join([*apart, *([format_rate(float(rate))] if np.isfinite(rate) else [])])
        moved = f"moved {format_bytes(size)} in {own_transfer}{f' ({at})' if at else ''}"
    return f"{_title(of, row, numbers)}: {came}, {moved}."


def _title(of: Analysed, row: int, numbers: list[int]) -> str:
    job = of.job
    kind = KINDS[int(job.rows.kind[row])].replace("_", "-")
    sequence = int(job.rows.sequence[row])
    dimension = of.dimensions.names[int(of.dimensions.of_group[job.rows.group[row]])]
    parts = [kind, *([str(sequence)] if sequence != NONE else []), *([f"({dimension})"] if dimension != NOT_RECORDED else [])]
    return " ".join(parts) + (f" with ranks {ranges(numbers)}" if numbers else "")


def _why_unknown(of: Analysed, row: int, instance: int) -> str:
    job = of.job
    if instance == NONE and int(job.clock_of_row[row]) in job.unfit:
        return f"wait not known, since {job.untied_clocks} cannot be tied"
    if instance == NONE:
        return "wait not known, since nothing in the file says which collective of the other ranks it is"
    if job.is_refused[instance]:
        return "wait not known, since the collectives of this group do not match between ranks"
    if not job.matched.is_matched[instance]:
        return "wait not known, since no other rank's record of it is here"
    return f"wait not known, since {job.untied_clocks} cannot be tied"
