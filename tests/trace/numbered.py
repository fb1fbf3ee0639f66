"""Drawn traces whose operators have autograd's sequence numbers."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def numbered(text: str, forward_threads: dict[str, int]) -> Trace:
    """A drawing whose names end in `#sequence`; those of the given names are backward operators of that torch thread."""
    trace = trace_from_text(text)
    parts = [trace.text(i).partition("#") for i in trace.events.name_id.tolist()]
    sequence = np.array([int(number) if number else -1 for _, _, number in parts])
    forward_thread = np.array([forward_threads.get(name, -1) for name, _, _ in parts])
    return dataclasses.replace(trace, events=dataclasses.replace(trace.events, sequence=sequence, forward_thread=forward_thread))
