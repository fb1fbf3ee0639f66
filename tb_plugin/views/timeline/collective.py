"""What is recorded of the collectives of one event: one of a kernel, but of a batch that sends and receives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.base.strides import in_strides
from tb_plugin.base.units import NONE
from tb_plugin.trace.collectives.by_dimension import by_dimension, dimension_by_row
from tb_plugin.trace.collectives.groups import group_title
from tb_plugin.trace.collectives.kinds import KINDS
from tb_plugin.trace.collectives.least_rate import least_bus_rate, why_no_rate
from tb_plugin.trace.collectives.table import collectives

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class EventCollective(msgspec.Struct, frozen=True, kw_only=True):
    """One collective as its rank alone has it. None is "not recorded"."""

    kind: str
    group: str | None  # of processes, as the job calls it
    dimension: str | None  # what the group is for, by what it is called
    n_ranks: int | None  # in it
    ranks: str | None  # its members
    peer: int | None  # of a send or receive
    in_bytes: int | None
    out_bytes: int | None
    dtype: str | None
    sequence: int | None  # its number in the group
    least_bus_bytes_per_s: float | None  # over all the time it took, in which it also waits
    no_rate: str | None  # why there is none


def collectives_of(trace: Trace, row: int) -> list[EventCollective]:
    """Of a kernel or range, and of the call of one."""
    of = collectives(trace)
    return [_told(trace, at) for at in np.flatnonzero((of.row == row) | (of.call == row)).tolist()]


def _told(trace: Trace, at: int) -> EventCollective:
    of = collectives(trace)
    group = None if of.group[at] == NONE else of.groups[of.group[at]]
    dimension = int(dimension_by_row(trace)[at])
    ranks, rate = None if group is None else group.ranks, float(least_bus_rate(trace)[at])
    return EventCollective(
        kind=KINDS[of.kind[at]],
        group=None if group is None else group_title(group.name, group.description),
        dimension=None if dimension == NONE else by_dimension(trace).names[dimension],
        n_ranks=_known(int(of.n_ranks[at])),
        ranks=None if ranks is None else in_strides(sorted(ranks)),
        peer=_known(int(of.peer[at])),
        in_bytes=_known(int(of.bytes_in[at])),
        out_bytes=_known(int(of.bytes_out[at])),
        dtype=None if of.dtype[at] == NONE else of.dtypes[of.dtype[at]],
        sequence=_known(int(of.sequence[at])),
        least_bus_bytes_per_s=None if rate != rate else rate,
        no_rate=why_no_rate(trace, at),
    )


def _known(value: int) -> int | None:
    return None if value == NONE else value
