"""What a chain of kernels moves, and what of it one kernel in their place would have to.

    add   reads a, b    writes s          one kernel reads a, b and w and writes y: s and r are handed on in registers
    pow   reads s       writes r
    mul   reads r, w    writes y

By sizes: what is used again later has to be written all the same. What is kept for backward counts as written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.work.kernel_bytes import kernel_bytes

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.work.memory_chains import MemoryChains


class HandedOn(NamedTuple):
    """Of each chain the bytes that its kernels of known sizes move, and those that one kernel would need to."""

    is_known: BoolArray  # of each kernel
    moved: Float64Array
    needed: Float64Array


def handed_on(trace: Trace, chains: MemoryChains) -> HandedOn:
    known_bytes = kernel_bytes(trace)
    place = np.minimum(np.searchsorted(known_bytes.row, chains.kernel), max(len(known_bytes.row) - 1, 0))
    known = known_bytes.row[place] == chains.kernel if len(known_bytes.row) else np.zeros(len(place), np.bool_)
    if not known.any():
        none = np.zeros(int(chains.of.max(initial=-1)) + 1)
        return HandedOn(known, none, none)
    n_bytes, written = (np.where(known, column[place], 0) for column in (known_bytes.bytes, known_bytes.written))
    read = n_bytes - written
    handed = np.zeros(len(place))
    handed[:-1] = np.where(chains.follows[1:], np.minimum(written[:-1], read[1:]), 0)
    is_kept = np.isin(trace.events.owner[chains.kernel], forward_backward(trace).made_by)
    moved, saved = (np.bincount(chains.of, weights=each).astype(np.float64) for each in (n_bytes, handed * (2 - is_kept)))
    return HandedOn(known, moved, moved - np.minimum(saved, moved))
