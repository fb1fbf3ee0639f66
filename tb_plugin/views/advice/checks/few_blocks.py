"""Do heavy kernels leave multiprocessors empty? A grid with less than one block for each cannot use them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import BLOCKS, DEVICE
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_LEAST_SHARE: Final = 0.05
_NAMES_SHOWN: Final = 3
_NAME_LENGTH: Final = 60


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    known = np.isfinite(trace.work.blocks_per_sm) & (trace.work.blocks_per_sm < 1)
    rows = trace.work.row[known].astype(np.int64)
    chosen = (trace.events.kind[rows] == Kind.KERNEL) & ~facts.is_collective[rows] & np.isin(rows, facts.in_window(facts.busiest))
    rows, blocks = rows[chosen], trace.work.blocks_per_sm[known][chosen]
    duration = facts.duration(rows)
    gain_ns = min(int((duration * (1 - blocks)).sum()), facts.window_part(facts.union_of(rows)))
    if facts.share(gain_ns) < _LEAST_SHARE:
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
        gain_how="sum of duration x (1 - blocks per multiprocessor), as if each kernel could spread over the whole device.",
        confidence="maybe",
    )


CHECK: Final = Check(id="few_blocks", looks_for="heavy kernels that cannot fill the device", needs=(DEVICE, BLOCKS), find=find)
