"""What sort an instance is, besides its group: what a row of the table of collectives has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.links.links import message_bytes
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed


class Sorts(NamedTuple):
    """One value an instance."""

    size: Int64Array  # bytes; not positive where not recorded
    kind: Int64Array  # a send and its receive are one kind
    decade: Int64Array  # of the size: digits less one; NONE where it is not recorded


def sorts_of(of: Analysed) -> Sorts:
    """[instance]"""
    found = of.job.matched
    size = message_bytes(of.job)
    kind = np.where(found.kind == kinds.RECV, kinds.SEND, found.kind)
    return Sorts(size=size, kind=kind, decade=decade_of(size))


def decade_of(size: Int64Array | Float64Array) -> Int64Array:
    """NONE of what is no size."""
    return np.where(size > 0, np.floor(np.log10(np.maximum(size, 1))), NONE).astype(np.int64)


def sort_name(kind: int) -> str:
    return "send and receive" if kind == kinds.SEND else kinds.KINDS[kind].replace("_", "-")
