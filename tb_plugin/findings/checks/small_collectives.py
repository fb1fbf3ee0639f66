"""Are many small all-reduces made where few large ones would do? Each pays the latency of the whole ring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_bytes, format_ns
from tb_plugin.compute.intervals import intersect, length, subtract, union
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.collectives.kinds import ALL_REDUCE
from tb_plugin.trace.scope.recorded import DEVICE, WHOLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_SMALL_BYTES: Final = 1 << 20
_MANY: Final = 20
"""A step: buckets of DistributedDataParallel hold 25 MB, so that few small ones are left over."""


def find(facts: Facts) -> Seen | None:
    known, events = facts.transfers, facts.trace.events
    all_reduces = known.kind == ALL_REDUCE
    small = all_reduces & (known.size_bytes < _SMALL_BYTES)
    rows, n_steps = known.row[small], max(len(facts.counted.places), 1)
    if len(rows) < _MANY * n_steps:
        return None
    # At the rate of the largest one, which its latency hides in.
    largest = np.flatnonzero(all_reduces)[known.size_bytes[all_reduces].argmax()]
    needed_ns = (known.bus_bytes[small] / max(float(known.rate[largest]), 1.0) * 1e9).astype(np.int64)
    duration_ns = facts.duration(rows)
    latency = union(events.start_ns[rows], events.end_ns[rows] - np.minimum(needed_ns, duration_ns))
    exposed = intersect(subtract(latency, facts.computation), facts.window)
    gain_ns = length(exposed)
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    size, total_ns = int(np.median(known.size_bytes[small])), facts.window_part(facts.union_of(rows))
    return Seen(
        title="Reduce small tensors together: larger buckets (bucket_cap_mb), or one flat tensor for them all",
        what=f"{counted(len(rows), 'all-reduce')}, {len(rows) // n_steps} a step, of less than {format_bytes(_SMALL_BYTES)}, "
        f"half of at most {format_bytes(size)}. They took {format_ns(total_ns)}; for {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) of it nothing was computed and their bytes needed no time.",
        evidence=[
            Evidence(text="small all-reduces", value=len(rows), unit="count"),
            Evidence(text="their time", value=total_ns, unit="ns"),
            Evidence(text="time that their bytes need at the rate of the largest one", value=int(needed_ns.sum()), unit="ns"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        time=exposed,
        gain_how="their time less that of their bytes at the rate of the largest all-reduce in the file, as far as no computing "
        "kernel runs beside. It holds waiting for slower ranks, which larger buckets do not end.",
        confidence="maybe" if facts.may_wait_for_ranks else "likely",
    )


CHECK: Final = Check(
    id="small_collectives",
    looks_for="many small all-reduces",
    needs=(DEVICE, WHOLE),
    find=find,
    code="""\
model = DistributedDataParallel(model, bucket_cap_mb=100)
# or, of tensors of your own:
flat = torch.cat([tensor.flatten() for tensor in tensors])
torch.distributed.all_reduce(flat)""",
    unless="each result is needed before the next one is there, as in SyncBatchNorm or tensor parallelism.",
    link="https://docs.pytorch.org/docs/stable/notes/ddp.html",
)
