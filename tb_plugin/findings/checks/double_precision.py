"""Without a device: do products and convolutions run in float64, as arrays of NumPy bring it along unasked?

aten::linear  double, double  0-80 | aten::addmm  double ..  5-75      80 us in float64, the inner one is part of the outer
aten::mm      float, float  80-90                                     not this
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.grouping import group_by
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import HOST, TYPES, WHOLE
from tb_plugin.trace.work.matrix_operators import element_type
from tb_plugin.trace.work.taxonomy import MULTIPLIES, category_of_operator

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

FROM_NUMPY: Final = "Arrays of NumPy are float64 unless told otherwise, and tensors made of them too."

_SAVED: Final = 0.5
"""Of their time: a register holds twice as many floats, and half as many bytes are read."""


def find(facts: Facts) -> Seen | None:
    if len(facts.device_rows):
        return None
    rows = facts.in_window(_in_double(facts))
    took = facts.union_of(rows)
    time_ns = facts.window_part(took)
    if facts.share(time_ns) < worth.EVERYWHERE:
        return None
    return Seen(
        title="Compute in float32: products and convolutions run in float64",
        what=f"{counted(len(rows), 'product or convolution', 'products and convolutions')} took float64 for {format_ns(time_ns)} "
        f"({percent(facts.share(time_ns))}). {FROM_NUMPY}",
        evidence=[
            Evidence(text="products and convolutions in float64", value=len(rows), unit="count"),
            Evidence(text="their time", value=time_ns, unit="ns"),
        ],
        rows=rows,
        gain_ns=round(time_ns * _SAVED),
        time=took,
        gain_how="half of their time: in float32 a vector register holds twice as many numbers, and half as many bytes are read. "
        "What else the model does in float64 gains on top.",
        confidence="likely",
    )


def _in_double(facts: Facts) -> Int64Array:
    """Outermost products and convolutions whose first tensor is of this type."""
    events = facts.trace.events
    rows = facts.tree.of_kinds(Kind.OPERATOR)
    alike = group_by(events.name_id[rows], events.types_id[rows])
    first = rows[alike.first]
    is_wanted = np.array([_multiplies_doubles(facts, row) for row in first.tolist()], np.bool_)
    found = np.zeros(len(events), np.bool_)
    found[rows[is_wanted[alike.of]]] = True
    mine = np.flatnonzero(found)
    above = events.nest_parent[mine]
    outermost: Int64Array = mine[(above == NONE) | ~found[above]]
    return outermost


def _multiplies_doubles(facts: Facts, row: int) -> bool:
    types = int(facts.trace.events.types_id[row])
    return (
        types != NONE
        and category_of_operator(facts.name(row)) in MULTIPLIES
        and element_type(facts.trace.text(types)) == "double"
    )


CHECK: Final = Check(
    id="double_precision",
    looks_for="products and convolutions in float64 on the host",
    needs=(HOST, TYPES, WHOLE),
    find=find,
    code="""\
batch = torch.from_numpy(array).float()  # or array.astype(numpy.float32) where it is made
model = model.float()""",
    unless="results need more than 24 bits of mantissa.",
    link="https://docs.pytorch.org/docs/stable/tensor_attributes.html",
)
