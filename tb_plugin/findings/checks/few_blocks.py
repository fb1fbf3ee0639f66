"""Do heavy kernels leave multiprocessors empty? A grid with less than one block for each cannot use them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.wall_share import wall_shares
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import BLOCKS, DEVICE

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.findings.facts import Facts

_NAMES_SHOWN: Final = 3
_NAME_LENGTH: Final = 60


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    known = np.isfinite(trace.work.blocks_per_sm) & (trace.work.blocks_per_sm < 1)
    rows = trace.work.row[known].astype(np.int64)
    chosen = (trace.events.kind[rows] == Kind.KERNEL) & ~facts.is_collective[rows] & np.isin(rows, facts.in_window(facts.busiest))
    rows, blocks = rows[chosen], trace.work.blocks_per_sm[known][chosen]
    duration = facts.duration(rows)
    gain_ns = min(int((_wall_share(facts, rows) * (1 - blocks)).sum()), facts.window_part(facts.union_of(rows)))
    if facts.share(gain_ns) < worth.ALWAYS_SOME:
        return None
    by_name = np.bincount(trace.events.name_id[rows], weights=duration)
    heaviest = [int(name_id) for name_id in np.argsort(-by_name, kind="stable")[:_NAMES_SHOWN] if by_name[name_id] > 0]
    return Seen(
        title="Give heavy kernels more work: a larger batch, or smaller tiles and split reductions in your own kernels",
        what=f"{counted(len(rows), 'kernel')}, {format_ns(int(duration.sum()))} in all, had less than one block per "
        f"multiprocessor: part of the device stayed empty while they ran, up to {percent(facts.share(gain_ns))} of the time.",
        evidence=[
            Evidence(
                text="mean blocks per multiprocessor, by time", value=float(np.average(blocks, weights=duration)), unit="share"
            ),
            *(
                Evidence(text=f"in {trace.text(name_id)[:_NAME_LENGTH]}", value=float(by_name[name_id]), unit="ns")
                for name_id in heaviest
            ),
        ],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="sum of duration x (1 - blocks per multiprocessor), as if each kernel could spread over the whole device. Where "
        "n kernels run at once an instant counts 1/n for each.",
        confidence="maybe",
    )


def _wall_share(facts: Facts, kernels: Int64Array) -> Float64Array:
    """Time of each kernel, less what others on the device take of it."""
    events = facts.trace.events
    shares = np.zeros(len(events))
    shares[facts.busiest] = wall_shares(events.start_ns[facts.busiest], events.end_ns[facts.busiest])
    return shares[kernels]


CHECK: Final = Check(
    id="few_blocks",
    looks_for="heavy kernels that cannot fill the device",
    needs=(DEVICE, BLOCKS),
    find=find,
    unless="Other streams fill the rest of the device, or the kernel waits for memory and not for multiprocessors.",
    link="https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html",
)
