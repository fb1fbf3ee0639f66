"""Does attention run as product, softmax, product, each writing its matrices to memory, where one kernel could do it all?"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import covers, union
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, TYPES
from tb_plugin.trace.work.attention_chains import AttentionChains, attention_chains
from tb_plugin.trace.work.input_bytes import ELEMENT_BYTES
from tb_plugin.trace.work.matrix_operators import element_type

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_FEWEST: Final = 2
"""One alone is no layer of a model: a sampler, or a check."""

_SHORT: Final = 64
"""Over so few keys the matrices are small, and other things decide."""

_BACKWARD: Final = 2.5
"""Fused attention does five products backward for two forward, and moves about as many times as much (FlashAttention-2, 3.1)."""

_ASKED: Final = "aten::scaled_dot_product_attention"


def find(facts: Facts) -> Seen | None:
    chains = attention_chains(facts.trace)
    inside = np.isin(chains.scores, facts.in_window(chains.scores))
    chains = AttentionChains(
        chains.scores[inside],
        chains.softmax[inside],
        chains.result[inside],
        [size for size, kept in zip(chains.sizes, inside.tolist(), strict=True) if kept],
    )
    if len(chains.scores) < _FEWEST:
        return None
    events = facts.trace.events
    forward, backward = _work(facts, chains)
    work = facts.union_of(np.concatenate((forward, backward)))
    time_ns = facts.window_part(work)
    if facts.share(time_ns) < worth.REWRITE:
        return None
    needed_ns = _needed_ns(facts, chains, has_backward=len(backward) > 0)
    products = np.isin(events.owner[forward], np.concatenate((chains.scores, chains.result)))
    gain_ns = time_ns - (facts.window_part(facts.union_of(forward[products])) if needed_ns is None else round(needed_ns))
    usual, n_usual = Counter(chains.sizes).most_common(1)[0]
    asked = _is_inside(facts, int(chains.scores[0]), _ASKED)
    return Seen(
        title="Let scaled_dot_product_attention take a fused kernel: its math backend ran"
        if asked
        else 'Fuse attention: torch.nn.functional.scaled_dot_product_attention, in transformers attn_implementation="sdpa"',
        what=f"{counted(len(chains.scores), 'time')} attention ran as product, softmax and product of their own, "
        f"{n_usual} of them over matrices of {usual.batch} x {usual.queries} x {usual.keys}: {format_ns(time_ns)} "
        f"({percent(facts.share(time_ns))}). One fused kernel does not write these matrices.",
        evidence=[
            Evidence(text="attention as single operators", value=len(chains.scores), unit="count"),
            Evidence(text="device time, what lies between them included", value=time_ns, unit="ns"),
            *([] if needed_ns is None else [Evidence(text="least time of the same attention", value=needed_ns, unit="ns")]),
            *(
                [Evidence(text="of it backward", value=facts.window_part(facts.union_of(backward)), unit="ns")]
                if len(backward)
                else []
            ),
        ],
        rows=np.sort(np.concatenate((chains.scores, chains.softmax, chains.result))),
        time=work,
        gain_ns=gain_ns,
        gain_how="device time of these calls less that of their products alone; the device's peak is not known."
        if needed_ns is None
        else "device time of these calls less what the products take at the device's peak, or reading and writing queries, keys, "
        "values and results where that takes longer. Fused kernels reach a third to three quarters of the peak.",
        without=("attention=0",),
        confidence="maybe" if usual.keys < _SHORT or asked else "likely",
    )


def _work(facts: Facts, chains: AttentionChains) -> tuple[Int64Array, Int64Array]:
    """Device work launched from the first product's begin to the second one's end; and by the backward of what ran there."""
    events = facts.trace.events
    links = forward_backward(facts.trace)
    forward: list[Int64Array] = []
    is_mine = np.zeros(len(links.backward), np.bool_)
    for track in distinct(events.track[chains.scores]).tolist():
        mine = events.track[chains.scores] == track
        spans = union(events.start_ns[chains.scores[mine]], events.end_ns[chains.result[mine]])
        forward.append(facts.launched_on(track, spans))
        is_mine |= (events.track[links.made_by] == track) & covers(spans, events.start_ns[links.made_by])
    return np.concatenate(forward), facts.work_of(links.backward[is_mine])


def _needed_ns(facts: Facts, chains: AttentionChains, *, has_backward: bool) -> float | None:
    """The least time of the same attention; None where the device's peaks or a type are not known."""
    trace = facts.trace
    types = [trace.text(types_id) for types_id in trace.events.types_id[chains.scores].tolist()]
    total = 0.0
    for (sizes, type_), n_calls in Counter(zip(chains.sizes, map(element_type, types), strict=True)).items():
        rate = facts.flop_rate(type_)
        if facts.peak is None or rate is None:
            return None
        total += n_calls * max(sizes.flops / rate, sizes.elements * ELEMENT_BYTES[type_] / facts.peak.bytes_per_s)
    return 1e9 * total * (1 + _BACKWARD * has_backward)


def _is_inside(facts: Facts, row: int, name: str) -> bool:
    """Whether an operator of this name is around the event."""
    parent = facts.tree.up(row)
    while parent != NONE:
        if facts.name(parent) == name:
            return True
        parent = facts.tree.up(parent)
    return False


CHECK: Final = Check(
    id="unfused_attention",
    looks_for="attention that is not fused",
    needs=(HOST, DEVICE, LAUNCHES, TYPES),
    find=find,
    code="""\
from torch.nn.functional import scaled_dot_product_attention
out = scaled_dot_product_attention(query, key, value, attn_mask=mask)
# transformers: AutoModel.from_pretrained(name, attn_implementation="sdpa")""",
    unless="The attention weights themselves are used (output_attentions=True), or heads are wider than 256. Scores that "
    "are changed in other ways than by a mask: torch.nn.attention.flex_attention.",
    link="https://docs.pytorch.org/tutorials/intermediate/scaled_dot_product_attention_tutorial.html",
)
