"""Does the device communicate while it could compute?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns, format_rate
from tb_plugin.compute.intervals import subtract
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, InTime, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.collectives.kinds import RECV, SEND, SEND_RECV
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.scope.recorded import DEVICE, WHOLE

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_MOST: Final = 0.5
"""Of what nothing hides, in sends and receives: from here on other ranks' buckets and bytes are not what it waits for."""

_BUCKETS: Final = "model = DistributedDataParallel(model, bucket_cap_mb=100, gradient_as_bucket_view=True, static_graph=True)"
_MICRO_BATCHES: Final = """\
schedule = ScheduleInterleaved1F1B(stages, n_microbatches=4 * len(stages))
# or move layers from the slowest stage: tb-plugin ranks LOGDIR --by stage"""
_HIDE: Final = InTime("Hide communication: larger buckets, no_sync, compression", _BUCKETS)
_BUBBLE: Final = InTime("Shorten the pipeline's bubble: more micro-batches, even stages", _MICRO_BATCHES, is_waiting=True)


def find(facts: Facts) -> Seen | None:
    mine = np.zeros(len(facts.is_collective), np.bool_)
    mine[facts.busiest] = True
    moving = np.flatnonzero(facts.is_collective & mine)
    communication = facts.union_of(moving)
    exposed = subtract(communication, facts.computation)
    gain_ns = facts.window_part(exposed)
    if facts.share(gain_ns) < worth.ALWAYS_SOME:
        return None
    all_ns = facts.window_part(communication)
    rows = facts.in_window(moving)
    in_pipeline_ns = facts.window_part(subtract(facts.union_of(_between_stages(facts, rows)), facts.computation))
    is_pipeline = in_pipeline_ns > _MOST * gain_ns
    of_stages = f" {format_ns(in_pipeline_ns)} of it lie in sends and receives." if is_pipeline else ""
    return Seen(
        title=_title(facts, is_pipeline=is_pipeline),
        what=f"Of {format_ns(all_ns)} in {counted(len(rows), 'collective')}, {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))} of the time) ran with no computing kernel beside.{of_stages}{_at_best(facts)}",
        evidence=[
            Evidence(text="time in collectives", value=all_ns, unit="ns"),
            Evidence(text="of it exposed", value=gain_ns, unit="ns"),
            Evidence(text="hidden share of communication", value=1 - gain_ns / max(all_ns, 1), unit="share"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        time=exposed,
        gain_how="time of collective kernels with no other kernel running. It holds waiting for slower ranks, if there are such.",
        # What a stage waits for its neighbours is set by them: no replay of this rank tells what is left of it.
        less=None if is_pipeline else _transfer_alone(facts),
        estimate_how="collectives of known size take what their bytes need at the best rate.",
        confidence="maybe" if facts.may_wait_for_ranks else "likely",
        code=_MICRO_BATCHES if is_pipeline else "",
        in_time=_BUBBLE if is_pipeline else _HIDE,
    )


def _title(facts: Facts, *, is_pipeline: bool) -> str:
    """Of one rank's profile alone nobody knows whether what it advises helps: who comes late is asked first."""
    if not facts.may_wait_for_ranks:
        return _HIDE.title
    if is_pipeline:
        return "See in Ranks whom this stage waits for: a late rank, or the pipeline's bubble (more micro-batches, even stages)"
    return "See in Ranks whether a rank comes late; if none does, hide communication: larger buckets, no_sync, compression"


def _between_stages(facts: Facts, rows: Int64Array) -> Int64Array:
    """Sends and receives: a pair of ranks, which in training are neighbours in a pipeline."""
    every = collectives(facts.trace)
    return rows[np.isin(rows, every.row[np.isin(every.kind, (SEND, RECV, SEND_RECV))])]


def _transfer_alone(facts: Facts) -> Less | None:
    """Without waiting for ranks that come late; None where no sizes are known."""
    known = facts.transfers
    if len(known.row) == 0:
        return None
    return Less(work=known.row, work_factor=np.minimum(known.transfer_ns / np.maximum(facts.duration(known.row), 1), 1))


def _at_best(facts: Facts) -> str:
    """What of it is transfer; nothing where no sizes are known. One by one: some may run at the same time."""
    known = facts.transfers
    if len(known.row) == 0:
        return ""
    took_ns = int(facts.duration(known.row).sum())
    best_ns = int(known.transfer_ns.sum())
    return (
        f" One by one the {len(known.row)} of known size took {format_ns(took_ns)}: transfer at best "
        f"{format_ns(best_ns)} ({format_rate(known.best_rate)}), the rest is waiting."
    )


CHECK: Final = Check(
    id="exposed_communication",
    looks_for="communication that is not hidden",
    needs=(DEVICE, WHOLE),
    find=find,
    code=_BUCKETS,
    unless="the time is waiting for a late rank: then that rank's work is what to change.",
    link="https://docs.pytorch.org/docs/stable/notes/ddp.html",
    view="ranks",
)
