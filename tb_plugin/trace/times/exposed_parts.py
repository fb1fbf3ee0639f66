"""Communication by what it is for and by whose it is: of each dimension of the job, and of each module, what no kernel hides.

device   what                      exposed  hidden   by dimension, by module
kernel   |---mm---|                                  a kernel of two groups, and times at which two wait, are divided
tensor       |------|    Block_0         3       4   (compute/exposed_shares.py), so either table sums to the exposed
data            |------|  none           4       2   communication of the device, to the ns; and to what is hidden
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import numbered
from tb_plugin.compute.exposed_shares import PiecesOfParts, Spell, bare_of, exposed_shares, hidden_shares, row_beside
from tb_plugin.compute.intervals import EMPTY, Merged, intersect, join, length, length_within, subtract
from tb_plugin.trace.collectives.by_dimension import by_dimension
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.rank.step_work import busy

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


@dataclass(frozen=True, kw_only=True)
class TimesOfParts:
    """Of each part the largest exposed time first. `names`: None of what belongs to none.

    names    exposed_ns  hidden_ns  count      bytes  n_unsized  by_use
    tensor        3_000      4_000     12    786_432          0   False
    None          4_000      2_000      1         -1          1   False
    """

    names: tuple[str | None, ...]
    exposed_ns: Int64Array
    hidden_ns: Int64Array
    count: Int64Array  # of its events those that are `counted`
    bytes: Int64Array  # of their messages, as far as they are known; NONE: of none
    n_unsized: Int64Array  # of how many sends, receives and others in these nobody knows the size
    by_use: tuple[bool, ...]  # a dimension told by its use


@dataclass(frozen=True, kw_only=True)
class ExposedParts:
    """`dimensions` and `modules` each sum to the two times. `modules` is None where it was not recorded whose a collective is: no
    modules were, or, of a collective on a thread of the host, not who called it.
    """

    exposed_ns: int
    hidden_ns: int
    is_on_host: bool
    n_devices: int  # with work that is kept; of a host 1
    dimensions: TimesOfParts
    modules: TimesOfParts | None


class _Pieces(NamedTuple):
    """When each collective ran, and its row in the table of collectives; NONE of those of one rank."""

    start: Int64Array
    end: Int64Array
    of: Int64Array
    row: Int64Array  # of the event; NONE of when a host only waited


class _Times(NamedTuple):
    exposed: Int64Array
    hidden: Int64Array


def exposed_parts(
    trace: Trace, work: dict[int, Int64Array], is_collective: BoolArray, kept: BoolArray, window: Merged, counted: BoolArray
) -> ExposedParts | None:
    """Of work that is `kept` (a mask of event rows), in the window, all devices together; None without communication there. What
    is `counted` are events: which steps have started them, not when they ran.
    """
    places = [_of_device(trace, rows[kept[rows]], is_collective) for rows in work.values()] if work else [_of_host(trace, kept)]
    places = [(computing, pieces) for computing, pieces in places if len(pieces.start)]
    computing = [each for each, _ in places]
    pieces = [each for _, each in places]
    if not any(length_within(window, each.start, each.end).any() for each in pieces):
        return None
    moving = [join(EMPTY, Merged(each.start, each.end)) for each in pieces]
    exposed_ns = sum(length(intersect(subtract(a, b), window)) for a, b in zip(moving, computing, strict=True))
    hidden_ns = sum(length(intersect(intersect(a, b), window)) for a, b in zip(moving, computing, strict=True))
    known = by_dimension(trace)
    dimensions = [known.of[each.of] for each in pieces]
    paths = module_paths(trace)
    module = [np.where(each.row == NONE, NONE, paths.of_rows(np.maximum(each.row, 0))).astype(np.int64) for each in pieces]
    is_told = len(paths) > 0 and (bool(work) or any((each != NONE).any() for each in module))

    def parts(part: list[Int64Array], names: list[str | None], by_use: list[bool]) -> TimesOfParts:
        times = [_shares(*each, len(names), window) for each in zip(computing, pieces, part, strict=True)]
        return _parts(trace, times, pieces, part, counted, names, by_use)

    there, place = numbered(np.concatenate(module))
    by_module = np.split(place, np.cumsum([len(each) for each in module])[:-1])
    texts: list[str | None] = [None if each == NONE else paths.texts[each] for each in there.tolist()]
    return ExposedParts(
        exposed_ns=exposed_ns,
        hidden_ns=hidden_ns,
        is_on_host=not work,
        n_devices=sum(bool(kept[rows].any()) for rows in work.values()) if work else 1,
        dimensions=parts(dimensions, list(known.names), list(known.by_use)),
        modules=parts(by_module, texts, [False] * len(texts)) if is_told else None,
    )


def _of_device(trace: Trace, rows: Int64Array, is_collective: BoolArray) -> tuple[Merged, _Pieces]:
    events, table = trace.events, collectives(trace)
    computes = rows[(events.kind[rows] == Kind.KERNEL) & ~is_collective[rows]]
    its = rows[is_collective[rows]]
    of = np.flatnonzero(~table.is_host & np.isin(table.row, its) & (table.row != NONE))
    alone = np.setdiff1d(its, table.row[of])
    row = np.concatenate((table.row[of], alone))
    pieces = _Pieces(events.start_ns[row], events.end_ns[row], np.append(of, np.full(len(alone), NONE)), row)
    return join(EMPTY, Merged(events.start_ns[computes], events.end_ns[computes])), pieces


def _of_host(trace: Trace, kept: BoolArray) -> tuple[Merged, _Pieces]:
    """As the ranks of a job have it: a wait for a functional collective is of the one that it ends with or begins after."""
    events, table = trace.events, collectives(trace)
    of = np.flatnonzero(table.is_host)
    of = of[kept[table.row[of]]]
    if len(of) == 0:
        return EMPTY, _Pieces(*(np.zeros(0, np.int64) for _ in range(4)))
    what, row = busy(trace), table.row[of]
    start, end = events.start_ns[row], events.end_ns[row]
    waits = what.beyond_ranges
    beside = row_beside(waits, start, end)
    its = beside != NONE
    return what.computation, _Pieces(
        np.append(start, waits.start[its]),
        np.append(end, waits.end[its]),
        np.append(of, of[beside[its]]),
        np.append(row, np.full(int(its.sum()), NONE)),
    )


def _shares(computing: Merged, at: _Pieces, part: Int64Array, n_parts: int, window: Merged) -> _Times:
    """Of each part, over the whole window."""
    pieces, bare = PiecesOfParts(at.start, at.end, part, n_parts), bare_of(computing)
    spell = Spell(bare(at.start), bare(at.end), True)
    exposed = exposed_shares(computing, pieces, [spell], (window.start, window.end))
    hidden = hidden_shares(computing, pieces, (window.start, window.end))
    return _Times(exposed.sum(axis=(0, 2)), hidden.sum(axis=0))


def _parts(
    trace: Trace,
    times: list[_Times],
    pieces: list[_Pieces],
    part: list[Int64Array],
    counted: BoolArray,
    names: list[str | None],
    by_use: list[bool],
) -> TimesOfParts:
    n_bytes = np.append(collectives(trace).message_bytes, NONE)
    n = len(names)
    count, total, unsized = (np.zeros(n, np.int64) for _ in range(3))
    n_messages = np.zeros(n, np.int64)
    for each, of_part in zip(pieces, part, strict=True):
        its = np.flatnonzero(np.append(counted, False)[each.row])
        size, mine = n_bytes[each.of[its]], of_part[its]
        count += np.bincount(np.unique(np.stack((mine, each.row[its])), axis=1)[0], minlength=n)  # a kernel may send and receive
        np.add.at(n_messages, mine, 1)
        np.add.at(total, mine, np.maximum(size, 0))
        np.add.at(unsized, mine, size == NONE)
    exposed, hidden = (np.sum([each[which] for each in times], axis=0) for which in range(2))
    order = np.lexsort((-hidden, -exposed))
    order = order[(exposed + hidden + count)[order] > 0]
    return TimesOfParts(
        names=tuple(names[at] for at in order.tolist()),
        exposed_ns=exposed[order],
        hidden_ns=hidden[order],
        count=count[order],
        bytes=np.where(unsized == n_messages, NONE, total)[order],
        n_unsized=unsized[order],
        by_use=tuple(by_use[at] for at in order.tolist()),
    )
