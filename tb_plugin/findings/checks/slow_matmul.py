"""Do products that are large enough to keep the device's units busy stay far below what these can do?

Over the ridge alone, where arithmetic and not memory is what limits them. Of a product with less than a block for each
multiprocessor `few_blocks` has what the empty ones cost, time x (1 - blocks); here it is judged by the rest of its time:

time   |-------- time x blocks --------|-- time x (1 - blocks) --|
       |-- at the peak --|   this is lost       of few_blocks

Where all products are slow none tells what the device could do: they are held to what real recordings reach (`Usual`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

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
from tb_plugin.trace.vendors.nvidia import NVIDIA
from tb_plugin.trace.work.device_peaks import vendor_of
from tb_plugin.trace.work.kernel_bytes import kernel_bytes
from tb_plugin.trace.work.kernel_flops import kernel_flops
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use_by_row

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.findings.facts import Facts

_LEAST: Final = 0.03
"""Of the busy time, in calls of one operator with the same shapes."""

_SLOW: Final = 0.4
_REACHED: Final = 0.8
"""Of the peak: what is slow, and what the best kernels reach."""

_HALF_A_WAVE: Final = 0.5
"""Blocks per multiprocessor. From there on the grid is no reason to be slow: real products of 0.85 of a wave reach 53 to 68 % of
an H100's peak and those of 0.91 reach 60 to 69 % (`h100_owlv2`, `h100_qwen`; whole waves 62 to 77 %). With less most of the
device is empty, and a larger grid comes first.
"""

_ALIKE: Final = 2
"""Products with up to so many times the FLOPs, or so few, should run at the same rate."""

_NOTHING: Final = 0.999
"""Of their time left: nothing like them in the file is faster."""

_TUNED: Final = 1.5
"""Times the rate: what other sizes and kernels bring at most. Below the usual rate by more, all of them have another reason."""

_NAMED: Final = 3
_OF_AMD: Final = re.compile(r"(?i)\bAMD\b|Instinct|Radeon|\bMI\d{2,3}")


class Usual(NamedTuple):
    """What large products of a vendor's devices reach in real recordings, and what holds all of them back where they do not."""

    share: float  # of the peak
    seen: str
    part: str
    cores: str
    look: str  # code


_NVIDIA: Final = Usual(
    0.6,
    "which large products of real recordings reach (H100: 60 to 77 %)",
    "a MIG slice",
    "tensor cores",
    """\
nvidia-smi -q -d CLOCK,POWER,PERFORMANCE  # the clock now and at most, the power limit, what holds the clock down
nvidia-smi -L  # is it a MIG slice?""",
)


def find(facts: Facts) -> Seen | None:
    """Of any vendor but AMD, whose libraries are tuned by other means (`amd_matmul`)."""
    if is_of_amd(facts):
        return None
    is_nvidia = facts.device is not None and vendor_of(facts.device) is NVIDIA
    return slow_products(
        facts, "Let matrix products run faster: change their sizes, or their type", _NVIDIA if is_nvidia else None
    )


def is_of_amd(facts: Facts) -> bool:
    """By the device's name, or by kernels that only AMD's libraries name so."""
    if facts.device is not None and facts.device.name:
        return _OF_AMD.search(facts.device.name) is not None
    return bool(rows_named(facts.trace, facts.busiest, lambda name: name.startswith("Cijk_")).any())


def slow_products(facts: Facts, title: str, usual: Usual | None) -> Seen | None:
    """Those far below the peak; the title says what to do about them, unless all products are."""
    events = facts.trace.events
    found = _over_the_ridge(facts)
    if len(found.row) == 0:
        return None
    owner = events.owner[found.row]
    alike = group_by(events.name_id[owner], events.shapes_id[owner], events.types_id[owner])
    columns = (facts.duration(found.row), found.judged_ns, found.flops, found.at_peak_ns)
    time_ns, judged_ns, flops, peak_ns = (np.bincount(alike.of, weights=each) for each in columns)
    slow = (time_ns >= _LEAST * facts.window_part(facts.busy)) & (peak_ns < _SLOW * judged_ns)
    gain_ns = round(float((judged_ns - peak_ns / _REACHED)[slow].sum()))
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    first = owner[alike.first]
    types = events.types_id[first].astype(np.int64)
    best = _best_like(flops / np.bincount(alike.of), flops / judged_ns, types)
    expected_ns = flops / best
    is_held = (peak_ns < _SLOW * expected_ns) & (usual is not None)
    expected_ns = np.where(is_held, peak_ns / (usual.share if usual else 1), expected_ns)
    factor = 1 - np.maximum(judged_ns - expected_ns, 0) / time_ns
    kernels = found.row[slow[alike.of]]
    fastest = float((peak_ns / judged_ns)[np.isin(types, types[slow])].max())
    all_slow = usual if usual is not None and fastest * _TUNED < usual.share else None
    largest = [each for each in np.argsort(-time_ns, kind="stable").tolist() if slow[each]]
    total_ns, share = int(time_ns[slow].sum()), float(peak_ns[slow].sum() / time_ns[slow].sum())
    example = int(first[largest[0]])
    shapes = [shape for shape in input_shapes(facts.trace, example) if shape]
    others = "" if all_slow is None else f" No large product of their type is above {percent(fastest)}."
    return Seen(
        title=title if all_slow is None else _look_for_reasons(facts, all_slow, kernels),
        what=f"{counted(len(kernels), 'product')} large enough for the device ran at {percent(share)} of its peak, for "
        f"{format_ns(total_ns)} ({percent(facts.share(total_ns))}), for example {facts.name(example)} of {shapes}.{others}",
        evidence=[
            Evidence(text="products", value=len(kernels), unit="count"),
            Evidence(text="their time", value=total_ns, unit="ns"),
            *(
                Evidence(
                    text=f"of the peak: {facts.name(int(first[each]))}, {format_ns(round(time_ns[each]))}",
                    value=float(peak_ns[each] / time_ns[each]),
                    unit="share",
                )
                for each in largest[:_NAMED]
            ),
        ],
        rows=kernels,
        gain_ns=gain_ns,
        gain_how=f"their time less that at {percent(_REACHED)} of the peak of their type, which the best kernels reach; of those "
        "with less than a block for each multiprocessor only time x blocks.",
        estimate_how=_how(is_held[slow], usual),
        less=Less(work=kernels, work_factor=factor[alike.of][slow[alike.of]]) if (factor[slow] < _NOTHING).any() else None,
        code="" if all_slow is None else all_slow.look,
        confidence="maybe",
    )


class _Products(NamedTuple):
    """Kernels: FLOPs, their time at the peak, and of their time the part x blocks, ns."""

    row: Int64Array
    flops: Float64Array
    at_peak_ns: Float64Array
    judged_ns: Float64Array


def _over_the_ridge(facts: Facts) -> _Products:
    """Those of the busiest device that its units limit, of half a wave at least."""
    known, moved, work = kernel_flops(facts.trace), kernel_bytes(facts.trace), facts.trace.work
    bandwidth_ns, blocks = (np.full(len(facts.trace.events), np.nan) for _ in range(2))
    bandwidth_ns[moved.row], blocks[work.row] = moved.at_bandwidth_ns, work.blocks_per_sm
    chosen = np.isin(known.row, facts.in_window(facts.busiest)) & (known.at_peak_ns > bandwidth_ns[known.row])
    chosen &= ~(blocks[known.row] < _HALF_A_WAVE)
    row = known.row[chosen]
    judged_ns = facts.duration(row) * np.fmin(blocks[row], 1)  # all of it where blocks are not known
    return _Products(row, known.flops[chosen].astype(np.float64), known.at_peak_ns[chosen], judged_ns)


def _look_for_reasons(facts: Facts, usual: Usual, kernels: Int64Array) -> str:
    """Those that the recording does not rule out."""
    reasons = ["a limit of clock or power"]
    units = None if facts.peak is None else facts.peak.units
    if units is None or facts.device is None or facts.device.multiprocessors != units:
        reasons.append(usual.part)
    if (matrix_core_use_by_row(facts.trace)[kernels] != Use.YES).any():
        reasons.append(f"kernels that use no {usual.cores}")
    return f"Find out why all large matrix products are slow: {', or '.join(reasons)}"


def _how(is_held: BoolArray, usual: Usual | None) -> str:
    like = "each at the best rate of a product of like size in the file"
    if usual is None or not is_held.any():
        return f"{like}."
    held = f"at {percent(usual.share)} of the peak, {usual.seen}"
    return f"each {held}: none in the file is fast." if is_held.all() else f"{like}, or where that is slow too {held}."


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
    unless="The device is limited on purpose, by its clock, its power or a slice: then hold it against its own peak "
    "(--peak bf16=...).",
    link="https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html",
)
