"""The Python stack of each event row: worked out once per trace, since each row of the table asks for that of its calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules import scopes
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.modules.stacks import Stacks, stacks

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


@once_per_trace
def python_stacks(trace: Trace) -> Stacks:
    """Of what ran in Python; a backward operator has that of its forward operator. None where no frames were recorded."""
    events = trace.events
    # Calls of modules are listed as modules; their numbers would make one stack of each layer.
    is_frame = (events.kind == Kind.PYTHON) & (scopes.calls(trace) == 0)
    forward = forward_backward(trace).forward
    nearest = nearest_marked(events.parent, is_frame | (forward != NONE))
    above = nearest.copy()
    for _ in range(2):  # second order: the forward operator of a backward operator is one itself
        through = np.flatnonzero((above != NONE) & ~is_frame[above])
        above[through] = nearest[forward[above[through]]]
    frames = np.flatnonzero(is_frame)
    found = stacks(trace, frames, is_frame)
    of_frame = np.full(len(events) + 1, NONE, np.int32)  # one entry more: NONE (-1) falls on it
    of_frame[frames] = found.of
    return found._replace(of=of_frame[above])
