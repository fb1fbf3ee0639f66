"""Does a server decode tokens with few requests at a time? Then reading the weights sets the pace, and more requests are free.

step[DECODE bs=32]                                       SGLang: 32 requests
execute_32_context_0(...)_generation_32(sq32sk55086...)  vLLM: 32 tokens, none of a prompt
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import DEVICE, HOST
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_DECODES: Final = re.compile(r"step\[DECODE bs=(\d+)\]|execute_(\d+)_context_0\(.*_generation_\d+\(")

_OF_EXPERTS: Final = re.compile(r"(?i)moe|expert|grouped_gemm|matmul_ogs")
"""Samples: `fused_moe_kernel`, `ck_moe_stage1_gemm`, `_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1`."""

_FEW: Final = 64
"""Tokens a step: a product of so few rows reads its weights for longer than it multiplies, on every device there is."""

_MOSTLY: Final = 0.3
"""Of the busy time, in products: less, and other things set the pace."""


def find(facts: Facts) -> Seen | None:
    steps = facts.in_window(facts.named(_DECODES.search, Kind.ANNOTATION, Kind.OPERATOR))
    found = [_DECODES.search(facts.name(row)) for row in steps.tolist()]
    tokens = [int(match[1] or match[2]) for match in found if match]
    if not tokens or max(tokens) > _FEW:
        return None
    kernels = facts.in_window(facts.busiest)
    category, duration = category_by_row(facts.trace)[kernels], facts.duration(kernels)
    products = category == Category.MATMUL
    product_ns, attention_ns = (int(duration[which].sum()) for which in (products, category == Category.ATTENTION))
    busy_ns = facts.window_part(facts.busy)
    if busy_ns == 0 or product_ns < _MOSTLY * busy_ns:
        return None
    n_steps = len(facts.union_of(steps).start)
    return Seen(
        title="Decode more requests at once, or with smaller weights: reading them sets the pace",
        what=f"{counted(n_steps, 'decode step')} of at most {max(tokens)} tokens: of {format_ns(busy_ns)} of the "
        f"device's time products take {format_ns(product_ns)} ({percent(product_ns / busy_ns)}) and attention "
        f"{format_ns(attention_ns)}. With so few rows a product reads its weights for longer than it multiplies.",
        evidence=[
            Evidence(text="tokens a step, at most", value=max(tokens), unit="count"),
            Evidence(text="products", value=product_ns, unit="ns"),
            *_of_experts(facts, kernels[products]),
            Evidence(text="attention", value=attention_ns, unit="ns"),
        ],
        rows=kernels[products],
        gain_ns=None,
        gain_how="unknown: a step hardly takes longer with more requests, so what is gained is requests, not time; sizes of "
        "weights are not recorded where graphs are replayed.",
        confidence="likely",
    )


def _of_experts(facts: Facts, products: Int64Array) -> list[Evidence]:
    rows = products[rows_named(facts.trace, products, _OF_EXPERTS.search)]
    return [Evidence(text="of them of experts (MoE)", value=int(facts.duration(rows).sum()), unit="ns")] if len(rows) else []


CHECK: Final = Check(
    id="decode_bound",
    looks_for="decoding that reading weights sets the pace of",
    needs=(HOST, DEVICE),
    find=find,
    code="""\
# vLLM: --max-num-seqs 256, --quantization fp8
# SGLang: --max-running-requests 256, --quantization fp8""",
    unless="The time of one token counts, and not how many a second are made: then split the weights over more devices.",
    link="https://docs.vllm.ai/en/latest/configuration/optimization.html",
)
