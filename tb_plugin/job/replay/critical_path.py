"""The longest chain of a step: what would have to be shorter for the step to be.

Walked back over the replay's graph (`replay.py`) from where the last rank ends the step: each time to the latest of what it
waited for, of a collective to the member that came last. It is cut where the last rank began the step, so the pieces of a step
add up to its length (`Replay.step_bounds`), and those of all steps to the recording's, to the ns. Where ranks run apart, what it
leads to was begun before that: `ahead`, back to where the first rank had begun the step, whole pieces.

    rank 0  |input|compute|                     input, compute    a rank's loader, its kernels
    rank 1                |transfer|compute|    transfer          a collective from its last arrival on
                                                untold            the same where a member is not here: wait or transfer
                                                host, pause       between launches; 5 ms and more in no event of the host
                                                copy              a call that waits for the copy it launches
                                                launch, gap, sync from a launch to its start; between kernels; the host's return
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.rank.host_stretches import PAUSE_NS
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.replay.replay import Replay

PathClass = Literal["compute", "transfer", "untold", "input", "pause", "host", "copy", "launch", "gap", "sync"]
_HOST, _START = 0, 1
"""Of the three nodes of a row; the third is its end."""


class Piece(NamedTuple):
    """`row`: of the job's rows where a collective is the piece, else NONE."""

    rank: int  # a place
    what: PathClass
    start: float
    end: float
    row: int


@dataclass(frozen=True, kw_only=True)
class CriticalPath:
    """Of one step, in the order of time; job's clock."""

    step: int
    pieces: list[Piece]
    ahead: list[Piece]  # touch the first of `pieces`

    @property
    def length(self) -> float:
        return _length(self.pieces)

    @property
    def ahead_ns(self) -> float:
        return _length(self.ahead)


def _length(pieces: list[Piece]) -> float:
    """Of pieces that touch."""
    return pieces[-1].end - pieces[0].start if pieces else 0.0


class _Into(NamedTuple):
    """Edges by the node that they lead into."""

    order: Int64Array
    begin: Int64Array


def critical_paths(of: Replay, untold: Int64Array, numbers: Int64Array) -> list[CriticalPath]:
    """Of each of these steps that the replay has. `untold`: of each of the job's rows, what is wait or transfer.

    None of a step in which the chain leads to a rank whose recording begins in it.
    """
    into, bounds = _edges_into(of), of.step_bounds(of.recorded)
    ends, found = of.step_ends, []
    for number in numbers.tolist():
        if number not in bounds:
            continue
        begin = bounds[number][0]
        of_step = ends.number == number
        first = float(of.recorded[3 * ends.before[of_step & ends.is_begun] + 2].min())
        closing = 3 * ends.closing[of_step] + 2
        last = int(closing[np.argmax(of.recorded[closing])])
        pieces = _walked(of, untold, into, last, first)
        inside = [piece._replace(start=max(piece.start, begin)) for piece in pieces if piece.end > begin]
        ahead = [piece._replace(end=min(piece.end, begin)) for piece in pieces if piece.start < begin]
        if inside and inside[0].start == begin:
            found.append(CriticalPath(step=number, pieces=inside, ahead=ahead))
    return found


def _edges_into(of: Replay) -> _Into:
    order = np.argsort(of.target, kind="stable")
    return _Into(order, np.searchsorted(of.target[order], np.arange(len(of.recorded) + 1)))


def _walked(of: Replay, untold: Int64Array, into: _Into, node: int, begun: float) -> list[Piece]:
    """From `node` back to the first node that is not after `begun`."""
    pieces: list[Piece] = []
    until = float(of.recorded[node])
    while until > begun:
        edges = into.order[into.begin[node] : into.begin[node + 1]]
        if len(edges) == 0:
            break
        source = int(of.source[edges[np.argmax(of.recorded[of.source[edges]])]])
        since = min(float(of.recorded[source]), until)  # clocks are tied to a microsecond: a source may seem to be the later
        if node < 3 * len(of.rank):  # else an instance: its last arrival is the start of a member, no time lies between
            pieces += _pieces(of, untold, node, source, since, until)
        node, until = source, since
    pieces.reverse()
    return pieces


def _pieces(of: Replay, untold: Int64Array, node: int, source: int, since: float, until: float) -> list[Piece]:
    """What the time between two nodes of a row was, latest first."""
    row, part = divmod(node, 3)
    rank, kind, of_job = int(of.rank[row]), of.kind[row], NONE
    if part == _HOST:
        return _host_pieces(of, row, rank, since, until)
    what: PathClass = "sync"
    if part == _START and source != 3 * row:
        what = "gap"
    elif part == _START and kind in (CHUNK, COLLECTIVE):
        what = "launch"
    elif kind == CHUNK:
        what = "compute"
    elif kind == COLLECTIVE:
        of_job = int(of.what[row])
        what = "untold" if untold[of_job] > 0 else "transfer"
    return [Piece(rank, what, since, until, of_job)]


def _host_pieces(of: Replay, row: int, rank: int, since: float, until: float) -> list[Piece]:
    """The loader stands at the beginning of what it is part of, and a copy that is waited for at its end. Latest first."""
    begin = min(since + float(of.loader[row]), until)
    end = max(until - float(of.copied[row]), begin)
    called = min(max(float(of.called[row] - of.copied[row]), 0.0), end - begin)
    middle = end - called if end - called - begin >= PAUSE_NS else begin
    parts: tuple[tuple[PathClass, float, float], ...] = (
        ("copy", end, until),
        ("host", middle, end),
        ("pause", begin, middle),
        ("input", since, begin),
    )
    return [Piece(rank, what, start, stop, NONE) for what, start, stop in parts if stop != start]
