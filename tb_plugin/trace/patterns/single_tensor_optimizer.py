"""OptimizerSingleTensorPattern: an optimizer that updates one parameter after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.pattern import Pattern

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.patterns.call_tree import CallTree

_ENDS: Final = ("_single_tensor_adam", "_single_tensor_sgd", "_single_tensor_adamw")


class SingleTensorOptimizer(Pattern):
    """Rows of `_single_tensor_sgd` and its like."""

    torch_name = "OptimizerSingleTensorPattern"
    name = "Optimizer Single Tensor Pattern"
    description = (
        "Detected optimizer running with single tensor implementation. "
        "Please enable multi tensor implementation by passing 'foreach=True' into optimizer."
    )

    def rows(self, tree: CallTree) -> Int64Array:
        return tree.named(lambda name: name.endswith(_ENDS), Kind.PYTHON, Kind.OPERATOR, Kind.ANNOTATION)
