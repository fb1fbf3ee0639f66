"""What waits for what: edges between the points of calls and pieces of device work."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array

NOTICED_NS: Final = 10_000
"""What begins later than its rules say by more than this waited for something else."""


class Why(IntEnum):
    """The rule that an edge follows."""

    ORDER = 0  # a thread's next call, after the gap between the two
    TURN = 1  # of another thread
    LAUNCH = 2
    STREAM = 3
    EVENT = 4  # a stream waits for another one's event
    INFERRED = 5  # begins whenever work of another stream ends
    AWAITED = 6  # a call returns when work is done
    PLACE = 7  # a launch returns when its stream's queue has a place
    OWN = 8  # or after its own length, which is the call's
    RECORDED = 9  # nothing is known that it waits for: stays where it was


class Edges(NamedTuple):
    """From a point of a call or from the end of work, to a point or to work; `constant_ns` lies between.

    why      from_point  from_work  to_point  to_work  constant_ns
    LAUNCH           12         -1        -1        4        6_200     work 4 begins 6.2 us after call 6 does
    STREAM           -1          3        -1        4        1_100
    AWAITED          -1          4        15       -1        2_000     call 7 returns 2 us after work 4 is done
    """

    why: Int64Array
    from_point: Int64Array
    from_work: Int64Array
    to_point: Int64Array
    to_work: Int64Array
    constant_ns: Int64Array


def edges(
    why: Why,
    constant_ns: int | Int64Array,
    *,
    from_point: Int64Array | None = None,
    from_work: Int64Array | None = None,
    to_point: Int64Array | None = None,
    to_work: Int64Array | None = None,
) -> Edges:
    """Edges of one rule; what is not given is NONE."""
    n_edges = next(len(column) for column in (to_point, to_work) if column is not None)

    def filled(column: int | Int64Array | None) -> Int64Array:
        return np.broadcast_to(np.asarray(NONE if column is None else column, np.int64), (n_edges,))

    return Edges(filled(int(why)), *(filled(column) for column in (from_point, from_work, to_point, to_work, constant_ns)))


def together(*parts: Edges) -> Edges:
    return Edges(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def usual_ns(values: Int64Array, otherwise: int) -> int:
    """The median; `otherwise` where there is nothing to take it from."""
    return int(np.median(values)) if len(values) else otherwise
