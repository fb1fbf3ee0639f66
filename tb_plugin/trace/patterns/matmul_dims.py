"""MatMulDimInFP16Pattern: half precision matrix multiplications with a dimension that is no multiple of 8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.inputs import input_shapes, input_types
from tb_plugin.trace.patterns.pattern import TUNING_GUIDE, Pattern, Trial
from tb_plugin.trace.scope.recorded import SHAPES, STACKS

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.patterns.call_tree import CallTree

OPERATORS: Final = ("aten::mm", "aten::bmm", "aten::addmm")
HALF: Final = ("c10::Half", "c10::BFloat16")
MULTIPLE: Final = 8
# The last two that are matrices: aten::addmm takes a bias first.
_MATRICES: Final = (
    "a, b = (torch.randn([{} for n in shape], device=device).half() for shape in [s for s in shapes if len(s) > 1][-2:])"
)


class MatMulDims(Pattern):
    """Rows of matrix multiplications."""

    torch_name = "MatMulDimInFP16Pattern"
    name = "Matrix Multiplication Dimension Not Aligned Pattern"
    description = "Detected matmul with dimension not aligned. Please use matmul with aligned dimension."
    url = f"{TUNING_GUIDE}#use-mixed-precision-and-amp"
    needs = (STACKS, SHAPES)
    trial = Trial(
        "torch.matmul(a, b)", "torch.matmul(a, b)", _MATRICES.format("n"), _MATRICES.format(f"-(-n // {MULTIPLE}) * {MULTIPLE}")
    )

    def rows(self, tree: CallTree) -> Int64Array:
        rows = tree.named(OPERATORS.__contains__, Kind.OPERATOR)
        # Once per pair of types and shapes, not per call.
        events = tree.trace.events
        keys = np.stack((events.types_id[rows], events.shapes_id[rows]), axis=1)
        distinct, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        wanted = [_is_match(tree.trace, row) for row in rows[first].tolist()]
        return rows[np.array(wanted, np.bool_)[which.reshape(-1)]] if len(distinct) else rows


def _is_match(trace: Trace, row: int) -> bool:
    return input_types(trace, row)[:1] in ([HALF[0]], [HALF[1]]) and not _aligned(input_shapes(trace, row))


def _aligned(shapes: list[list[Any]]) -> bool:
    return all(isinstance(size, int) and size % MULTIPLE == 0 for shape in shapes for size in shape[-2:])
