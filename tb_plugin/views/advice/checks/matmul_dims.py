"""torch's MatMulDimInFP16Pattern: half precision matrix multiplications with a dimension that is no multiple of 8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import Int64Array, format_ns
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.inputs import input_shapes, input_types
from tb_plugin.views.advice.needs import DEVICE, HOST, SHAPES
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_OPERATORS: Final = ("aten::mm", "aten::bmm", "aten::addmm")
_HALF: Final = ("c10::Half", "c10::BFloat16")
_MULTIPLE: Final = 8
_LEAST_SHARE: Final = 0.01


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(matches(facts))
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


def matches(facts: Facts) -> Int64Array:
    """Rows of matrix multiplications, as torch's pattern finds them."""
    rows = facts.named(lambda name: name in _OPERATORS, Kind.OPERATOR)
    # Once per pair of shapes and types, not per call.
    events = facts.trace.events
    known: dict[tuple[int, int], bool] = {}
    chosen = []
    for row, key in zip(
        rows.tolist(), zip(events.types_id[rows].tolist(), events.shapes_id[rows].tolist(), strict=True), strict=True
    ):
        if key not in known:
            known[key] = input_types(facts.trace, row)[:1] in ([_HALF[0]], [_HALF[1]]) and not _aligned(
                input_shapes(facts.trace, row)
            )
        if known[key]:
            chosen.append(row)
    return np.array(chosen, np.int64)


def _aligned(shapes: list[list[Any]]) -> bool:
    return all(isinstance(size, int) and size % _MULTIPLE == 0 for shape in shapes for size in shape[-2:])


CHECK: Final = Check(
    id="matmul_dims",
    looks_for="half precision matrix multiplications of odd sizes",
    needs=(HOST, DEVICE, SHAPES),
    find=find,
)
