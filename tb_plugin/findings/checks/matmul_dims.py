"""Products of half precision whose rows in memory are no multiple of 16 bytes: tensor cores take them piece by piece.

    aten::addmm  [5185, 1024] x [1024, 4096]     fine: 5185 counts rows, which lie apart anyhow
    aten::bmm    [16, 5185, 5185] x [16, 5185, 64]   5185 is the length of a row of the left one

What torch's MatMulDimInFP16Pattern names, but for the number of rows; what that costs is seen beside the other products.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Float64Array, Int64Array, format_ns
from tb_plugin.compute.grouping import group_by
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.json_text import list_of, texts_of
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.inputs import input_shapes
from tb_plugin.trace.patterns.matmul_dims import HALF, MULTIPLE, OPERATORS
from tb_plugin.trace.scope.recorded import DEVICE, HOST, TYPES
from tb_plugin.trace.work.attention_chains import attention_chains
from tb_plugin.trace.work.flops import flops_by_row

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_ALIKE: Final = 4
"""Products with up to so many times the FLOPs, or so few, are compared: small ones are slow for other reasons."""

_OF_BOUND: Final = 0.7
"""What padding leaves of the gain."""

_AS_GOOD: Final = 0.7
"""Of the rate of the best product like it: padding gains nothing to speak of."""


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    rows = facts.in_window(facts.named(OPERATORS.__contains__, Kind.OPERATOR))
    chains = attention_chains(trace)
    rows = rows[~np.isin(rows, np.concatenate((chains.scores, chains.result)))]  # padding is not what these need
    is_half, is_odd = _judged(facts, rows)
    time_ns, flops = _time_of(facts, rows), flops_by_row(trace)[rows].astype(np.float64)
    timed = is_half & (time_ns > 0) & (flops > 0)
    best = _best_like(flops[timed & is_odd], flops[timed & ~is_odd], time_ns[timed & ~is_odd])
    rows, flops, time_ns = rows[timed & is_odd], flops[timed & is_odd], time_ns[timed & is_odd]
    slow = ~(flops >= _AS_GOOD * best * time_ns)  # also where nothing is like it
    rows, flops, time_ns, best = rows[slow], flops[slow], time_ns[slow], best[slow]
    work = facts.union_of(facts.work_of(rows))
    total_ns = facts.window_part(work)
    if facts.share(total_ns) < worth.REWRITE:
        return None
    known = np.isfinite(best)
    gain_ns = min(int((time_ns - flops / best)[known].sum()), total_ns) if known.any() else None
    if gain_ns is not None and facts.share(gain_ns) < worth.REWRITE:
        return None
    longest = int(rows[time_ns.argmax()])
    return Seen(
        title="Pad half precision matrix multiplications so that rows in memory are multiples of 16 bytes",
        what=f"{counted(len(rows), 'matrix multiplication')} of half precision had rows of a length that is no multiple of "
        f"{MULTIPLE}, for example {[shape for shape in input_shapes(trace, longest) if shape]}. Their kernels take "
        f"{format_ns(total_ns)} ({percent(facts.share(total_ns))}).",
        evidence=[
            Evidence(text="matrix multiplications", value=len(rows), unit="count"),
            Evidence(text="device time", value=total_ns, unit="ns"),
            Evidence(text="of it, with products of like size beside", value=int(time_ns[known].sum()), unit="ns"),
        ],
        rows=rows,
        weight=time_ns,
        time=work,
        gain_ns=gain_ns,
        gain_how="unknown: the file has no product of like size with rows as they should be; measure one with and without."
        if gain_ns is None
        else "their time less that of the same work at the rate of the best product of like size in the file with rows as they "
        "should be. Padding itself takes time too.",
        less=None if gain_ns is None else _padded(facts, rows, np.where(known, flops / best / time_ns, 1)),
        estimate_how=f"{percent(_OF_BOUND)} of that of each product.",
        confidence="maybe" if gain_ns is None else "likely",
    )


def _padded(facts: Facts, rows: Int64Array, best_share: Float64Array) -> Less:
    """The work of these products, each nearer to the best of its like."""
    events = facts.trace.events
    factor = np.ones(len(events))
    factor[rows] = 1 - _OF_BOUND * (1 - np.minimum(best_share, 1))
    work = facts.device_rows[np.isin(events.owner[facts.device_rows], rows)]
    return Less(work=work, work_factor=factor[events.owner[work]])


def _judged(facts: Facts, rows: Int64Array) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], ...]:
    """(is of half precision, has odd rows), for each operator."""
    events, trace = facts.trace.events, facts.trace
    groups = group_by(events.types_id[rows], events.shapes_id[rows])
    alike = zip(*(column[rows[groups.first]].tolist() for column in (events.types_id, events.shapes_id)), strict=True)
    flags = np.array([_of_texts(trace.text(types), trace.text(shapes)) for types, shapes in alike], np.bool_).reshape(-1, 2)
    return flags[groups.of, 0], flags[groups.of, 1]


def _of_texts(types: str, shapes: str) -> tuple[bool, bool]:
    matrices = [shape for shape in list_of(shapes) if isinstance(shape, list) and len(shape) > 1][-2:]
    rows = [shape[-1] for shape in matrices]  # the output's are those of the right one
    is_odd = any(isinstance(length, int) and length % MULTIPLE for length in rows)
    is_half = next(iter(texts_of(types)), "") in HALF
    return is_half, is_odd and len(matrices) == 2


def _time_of(facts: Facts, rows: Int64Array) -> Int64Array:
    """Device time of the work that each operator launched itself, ns."""
    work = facts.device_rows[facts.trace.events.owner[facts.device_rows] != NONE]
    owner = facts.trace.events.owner[work]
    total = np.bincount(owner, weights=facts.duration(work), minlength=len(facts.trace.events))
    return total[rows].astype(np.int64)


def _best_like(flops: Float64Array, others: Float64Array, others_ns: Int64Array) -> Float64Array:
    """For each of these products: FLOPs per ns of the fastest of the others that is like it; NaN where none is."""
    order = np.argsort(others)
    size, rate = others[order], (others / others_ns)[order]
    low, high = np.searchsorted(size, flops / _ALIKE), np.searchsorted(size, flops * _ALIKE, side="right")
    return np.array([rate[a:b].max() if b > a else np.nan for a, b in zip(low.tolist(), high.tolist(), strict=True)])


CHECK: Final = Check(
    id="matmul_dims",
    looks_for="half precision matrix multiplications of odd sizes",
    needs=(HOST, DEVICE, TYPES),
    find=find,
    code="""\
padded = -(-size // 8) * 8  # of the vocabulary, the heads, or the sequence
layer = torch.nn.Linear(width, padded)""",
    unless="The size is that of the data: padding costs a copy of its own.",
    link="https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html",
)
