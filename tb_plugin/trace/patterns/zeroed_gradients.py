"""GradNotSetToNonePattern: gradients are filled with zeros instead of dropped.

torch/optim/optimizer.py(..): zero_grad > ... > aten::zero_     but not of aten::zeros
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.patterns.pattern import TUNING_GUIDE, Pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.patterns.call_tree import CallTree


class ZeroedGradients(Pattern):
    """Rows of `zero_grad` frames."""

    torch_name = "GradNotSetToNonePattern"
    name = "Gradient Set To Zero Instead of None Pattern"
    description = "Detected gradient set to zero instead of None. Please add 'set_to_none=True' when calling zero_grad()."
    url = f"{TUNING_GUIDE}#disable-gradient-calculation-for-validation-or-inference"

    def rows(self, tree: CallTree) -> Int64Array:
        return zeroing(tree, lambda name: name.endswith(": zero_grad"))


def zeroing(tree: CallTree, is_wanted: Callable[[str], bool]) -> Int64Array:
    """Rows of these names under which zeros are written."""
    wanted = tree.named(is_wanted, Kind.PYTHON, Kind.OPERATOR, Kind.ANNOTATION)
    if len(wanted) == 0:
        return wanted
    parent = tree.trace.events.parent
    above = parent[tree.named("aten::zero_".__eq__, Kind.OPERATOR)]
    above = above[above != NONE]
    above = above[~rows_named(tree.trace, above, "aten::zeros".__eq__)]
    reached = np.zeros(len(parent), np.bool_)
    while len(above):
        above = distinct(above[~reached[above]])
        reached[above] = True
        above = parent[above]
        above = above[above != NONE]
    return wanted[reached[wanted]]
