"""Do products that are large enough to keep the device's units busy stay far below what these can do?

Over the ridge alone, where arithmetic and not memory is what limits them; with a block for each multiprocessor at least, since
without it `few_blocks` says why.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.grouping import group_by
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.patterns.inputs import input_shapes
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, TYPES
from tb_plugin.trace.work.kernel_bytes import kernel_bytes
from tb_plugin.trace.work.kernel_flops import kernel_flops

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.findings.facts import Facts

_LEAST: Final = 0.03
"""Of the busy time, in calls of one operator with the same shapes."""

_SLOW: Final = 0.4
_REACHED: Final = 0.8
"""Of the peak: what is slow, and what the best kernels reach."""

_ALIKE: Final = 2
"""Products with up to so many times the FLOPs, or so few, should run at the same rate."""

_NOTHING: Final = 0.999
"""Of their time left: nothing like them in the file is faster."""

_NAMED: Final = 3
_OF_AMD: Final = re.compile(r"(?i)\bAMD\b|Instinct|Radeon|\bMI\d{2,3}")


def find(facts: Facts) -> Seen | None:
    """Of any vendor but AMD, whose libraries are tuned by other means (`amd_matmul`)."""
    return None if is_of_amd(facts) else slow_products(facts, "Let matrix products run faster: change their sizes, or their type")


def is_of_amd(facts: Facts) -> bool:
    """By the device's name, or by kernels that only AMD's libraries name so."""
    if facts.device is not None and facts.device.name:
        return _OF_AMD.search(facts.device.name) is not None
    return bool(rows_named(facts.trace, facts.busiest, lambda name: name.startswith("Cijk_")).any())


def slow_products(facts: Facts, title: str) -> Seen | None:
    """Those far below the peak; the title says what to do about them."""
    events = facts.trace.events
    rows, flops, at_peak_ns = _over_the_ridge(facts)
    if len(rows) == 0:
        return None
    owner = events.owner[rows]
    alike = group_by(events.name_id[owner], events.shapes_id[owner], events.types_id[owner])
    time_ns, flops_of, peak_ns = (np.bincount(alike.of, weights=each) for each in (facts.duration(rows), flops, at_peak_ns))
    slow = (time_ns >= _LEAST * facts.window_part(facts.busy)) & (peak_ns < _SLOW * time_ns)
    gain_ns = round(float((time_ns - peak_ns / _REACHED)[slow].sum()))
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    best = _best_like(flops[alike.first], flops_of / time_ns, events.types_id[owner[alike.first]].astype(np.int64))
    factor = np.minimum(flops_of / best / time_ns, 1)
    largest = [each for each in np.argsort(-time_ns, kind="stable").tolist() if slow[each]]
    total_ns, share = int(time_ns[slow].sum()), float(peak_ns[slow].sum() / time_ns[slow].sum())
    example = int(owner[alike.first[largest[0]]])
    shapes = [shape for shape in input_shapes(facts.trace, example) if shape]
    kernels = rows[slow[alike.of]]
    return Seen(
        title=title,
        what=f"{counted(len(kernels), 'product')} large enough for the device ran at {percent(share)} of its peak, for "
        f"{format_ns(total_ns)} ({percent(facts.share(total_ns))}), for example {facts.name(example)} of {shapes}.",
        evidence=[
            Evidence(text="products", value=len(kernels), unit="count"),
            Evidence(text="their time", value=total_ns, unit="ns"),
            *(
                Evidence(
                    text=f"of the peak: {facts.name(int(owner[alike.first[each]]))}, {format_ns(round(time_ns[each]))}",
                    value=float(peak_ns[each] / time_ns[each]),
                    unit="share",
                )
                for each in largest[:_NAMED]
            ),
        ],
        rows=kernels,
        gain_ns=gain_ns,
        gain_how=f"their time less that at {percent(_REACHED)} of the peak of their type, which the best kernels reach.",
        estimate_how="each at the best rate of a product of like size in the file.",
        less=Less(work=kernels, work_factor=factor[alike.of][slow[alike.of]]) if (factor[slow] < _NOTHING).any() else None,
        confidence="maybe",
    )


def _over_the_ridge(facts: Facts) -> tuple[Int64Array, Float64Array, Float64Array]:
    """Kernels of the busiest device that its units limit, their FLOPs, and their time at the peak, ns."""
    known, moved, work = kernel_flops(facts.trace), kernel_bytes(facts.trace), facts.trace.work
    bandwidth_ns, blocks = (np.full(len(facts.trace.events), np.nan) for _ in range(2))
    bandwidth_ns[moved.row], blocks[work.row] = moved.at_bandwidth_ns, work.blocks_per_sm
    chosen = np.isin(known.row, facts.in_window(facts.busiest)) & (known.at_peak_ns > bandwidth_ns[known.row])
    chosen &= ~(blocks[known.row] < 1)
    return known.row[chosen], known.flops[chosen].astype(np.float64), known.at_peak_ns[chosen]


def _best_like(flops: Float64Array, rate: Float64Array, types: Int64Array) -> Float64Array:
    """For each group of products the best rate among those of like size and type, itself included."""
    pairs = zip(flops.tolist(), types.tolist(), strict=True)
    return np.array([rate[(types == of) & (flops <= _ALIKE * n) & (flops >= n / _ALIKE)].max() for n, of in pairs], np.float64)


CHECK: Final = Check(
    id="slow_matmul",
    looks_for="large matrix products far below the device's peak",
    needs=(HOST, DEVICE, LAUNCHES, TYPES),
    find=find,
    code="""\
linear = torch.nn.Linear(1024, 2816, dtype=torch.bfloat16)  # sizes that are multiples of 128, half types
model = torch.compile(model, mode="max-autotune")  # tries Triton's products too""",
    unless="The device runs at a lower clock than its data sheet has.",
    link="https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html",
)
