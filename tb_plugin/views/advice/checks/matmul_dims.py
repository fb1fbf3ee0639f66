"""torch's MatMulDimInFP16Pattern: half precision matrix multiplications with a dimension that is no multiple of 8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.trace.patterns.inputs import input_shapes
from tb_plugin.trace.patterns.matmul_dims import MatMulDims
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import DEVICE, HOST, SHAPES
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_LEAST_SHARE: Final = 0.01


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(MatMulDims().rows(facts.tree))
    time_ns = facts.window_part(facts.union_of(facts.work_of(rows)))
    if facts.share(time_ns) < _LEAST_SHARE:
        return None
    first = input_shapes(facts.trace, int(rows[facts.duration(rows).argmax()]))
    return Seen(
        title="Pad dimensions of half precision matrix multiplications to a multiple of 8",
        what=f"{counted(len(rows), 'matrix multiplication')} of half precision had a dimension that is no multiple of 8, "
        f"for example {[shape for shape in first if shape]}. Their kernels take "
        f"{format_ns(time_ns)} ({percent(facts.share(time_ns))}).",
        evidence=[
            Evidence(text="matrix multiplications", value=len(rows), unit="count"),
            Evidence(text="device time", value=time_ns, unit="ns"),
        ],
        rows=rows,
        gain_ns=None,
        gain_how="unknown: padding saves a part of that device time; measure one such multiplication with and without.",
        confidence="maybe",
    )


CHECK: Final = Check(
    id="matmul_dims",
    looks_for="half precision matrix multiplications of odd sizes",
    needs=(HOST, DEVICE, SHAPES),
    find=find,
)
