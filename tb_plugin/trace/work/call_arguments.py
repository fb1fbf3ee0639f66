"""What calls were given beside tensors, and how those lie in memory: read once for all who ask for the work of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, IntArray
from tb_plugin.trace.compact import compact
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named, without_overload
from tb_plugin.trace.work import call_bytes, call_flops
from tb_plugin.trace.work.triton_work import is_triton

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

RULES = call_flops.KNOWN | call_bytes.KNOWN
"""Operators for whose FLOPs or bytes there is a rule."""


class CallArguments(NamedTuple):
    """`place[row]` is a place in `texts`, for every event; place 0 is that of events without."""

    place: IntArray
    texts: list[tuple[bytes, bytes]]  # JSON of "Concrete Inputs" and "Input Strides", empty where one is missing; each pair once


NO_ARGUMENTS: Final = CallArguments(np.zeros(0, np.int16), [(b"", b"")])


@once_per_trace
def call_arguments(trace: Trace) -> CallArguments:
    """Of operators whose work there is a rule for."""
    rows = np.flatnonzero(has_rule(trace))
    place, texts = trace.args.places(trace.events.order, rows, ("Concrete Inputs", "Input Strides"))
    return CallArguments(compact(place, 0, np.dtype(np.int16)), texts)


def has_rule(trace: Trace) -> BoolArray:
    """Of every event row: is it an operator whose work there is a rule for?"""
    events = trace.events
    operators = np.flatnonzero((events.kind == Kind.OPERATOR) & (events.shapes_id != NONE))
    result = np.zeros(len(events), np.bool_)
    result[operators[rows_named(trace, operators, lambda name: without_overload(name) in RULES or is_triton(name))]] = True
    return result
