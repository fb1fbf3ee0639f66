"""A collective whose kernel is in the files of all members but some: for the replay these have it as its peers do.

    rank 4   mm | all_reduce |mm            was issued, in no record of the device
    rank 5   mm   | all_reduce|mm

It ends with the peers', or as the kernel that waited for it begins; it begins as others of its sort do on its rank: with its
launch, or once its stream, the kernel before and what its peers waited for are done. Without it nobody waits for the rank in a
replay, and its next kernel begins late for no reason: 37.0 ms without a slow rank where 36.8 is true. What tables say stays what
is recorded.

Not repaired: sends and receives, whose ends do not end together; what no member has, or one whose file is not here; and where the
kernels before and after are one chunk, so that nobody knows which of them it waited for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.clocks.waits import waits
from tb_plugin.job.ranks.rows import shift_of
from tb_plugin.trace.collectives.groups import group_title
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE
from tb_plugin.trace.rank.sends import GAP_NS, LAUNCH_NS, SEEN, TIE_NS

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.ranks.ranks import Rank

_MOST: Final = 0.5
_AT_LEAST: Final = 0.8
"""Of how long such a collective usually moves data: who would leave it less came earlier than is thought."""


_NEAR: Final = 64
"""Rows before it are asked for what it waits for."""

_ASKED: Final = 16
"""Peers, for what theirs waited for."""

_MOST_LOST: Final = 1_000
"""A job that lost more has other doubts."""


class _Repaired(NamedTuple):
    """One record; times on its rank's own clock."""

    row: int  # of the job
    place: int  # in its rank's order of launches: it lies before that row
    host: int
    start: int
    end: int
    stream: int
    after: int
    waits_for: list[int]  # collectives that end before it begins, as on its peers: rows of the order
    next_chunk: int  # that waits for it, as far as its rank tells; NONE


def with_lost_kernels(job: Job) -> Job:
    """The same where none is repaired. Rows and instances keep their places."""
    lost = np.flatnonzero(np.isin(job.matched.of, _repairable(job)) & ~job.rows.is_there)
    if not 0 < len(lost) <= _MOST_LOST:
        return job
    ranks, found = list(job.of.ranks), list[_Repaired]()
    for place in distinct(job.rows.rank[lost]).tolist():
        its = [one for row in lost[job.rows.rank[lost] == place].tolist() if (one := _repaired(job, row)) is not None]
        ranks[place] = _with_rows(ranks[place], its, int(np.searchsorted(job.rows.rank, place)))
        found += its
    return _joined(job, tuple(ranks), found) if found else job


def _repairable(job: Job) -> Int64Array:
    """Instances."""
    rows, matched = job.rows, job.matched
    use = np.flatnonzero((matched.of != NONE) & ~rows.is_between_two & np.isin(rows.rank, job.tied))
    n_here = np.bincount(matched.of[use], minlength=len(matched))
    is_whole = (n_here == matched.n_members) & (matched.n_there > 0) & (matched.n_there < n_here) & ~job.is_refused
    return np.flatnonzero(is_whole)


def _repaired(job: Job, row: int) -> _Repaired | None:
    rows, place = job.rows, int(job.rows.rank[row])
    rank, first = job.of.ranks[place], int(np.searchsorted(job.rows.rank, place))
    order, shift = rank.order, shift_of(rank, job.table.base_ns)
    at = np.flatnonzero(order["kind"] == COLLECTIVE)
    same = at[_is_such(job, row, first + order["what"][at])]
    usual = _usual_transfer(job, row)
    if len(same) == 0 or usual is None:
        return None
    like = first + order["what"][same]
    host = int(rows.issued[row]) - shift + int(np.median(order["host"][same] + shift - rows.issued[like]))
    stream = int(np.bincount(order["stream"][same]).argmax())
    at_place = int(np.searchsorted(order["host"], host))
    chunks = np.flatnonzero(order["kind"] == CHUNK)
    nth = int(np.searchsorted(chunks, at_place))
    before, following = (int(chunks[k]) if 0 <= k < len(chunks) else NONE for k in (nth - 1, nth))
    end = _end(job, row) - shift
    if following != NONE and abs(int(order["start"][following]) - end) <= LAUNCH_NS:
        end = min(end, int(order["start"][following]))
    on_stream = np.flatnonzero((order["stream"][:at_place] == stream) & (order["kind"][:at_place] <= COLLECTIVE))
    start = max(host, int(order["end"][on_stream].max(initial=host)))
    waits_for = before != NONE and float((order["after"][same] != NONE).mean()) > _MOST
    start = max(start, int(order["end"][before])) if waits_for else start
    earlier = _as_peers_wait(job, row, at_place)
    start = max(start, int(order["end"][earlier].max(initial=start)))
    if end - start < _AT_LEAST * usual - LAUNCH_NS:  # the rank computed on in the chunk that it waited for a part of
        return None
    start = min(start, max(end - round(usual), _last_of_peers(job, row) - shift, host))
    is_next = following != NONE and int(order["start"][following]) >= end - TIE_NS
    after = before if waits_for and int(order["end"][before]) <= start + GAP_NS else NONE
    return _Repaired(row, at_place, host, start, end, stream, after, earlier, following if is_next else NONE)


def _is_such(job: Job, row: int, others: Int64Array) -> Int64Array:
    """Of these rows: collectives of its group and kind."""
    rows = job.rows
    same: Int64Array = (rows.group[others] == rows.group[row]) & (rows.kind[others] == rows.kind[row])
    return same


def _usual_transfer(job: Job, row: int) -> float | None:
    """Of whole collectives of its kind and size: of its group, or of all where none of that is whole."""
    rows, known = job.rows, job.instances.is_known & np.isfinite(job.instances.transfer)
    peers, last = _peers(job, row), job.instances.last[known]
    alike = (rows.kind[last] == rows.kind[row]) & (rows.size[last] == rows.size[peers[0]])
    for some in (alike & (rows.group[last] == rows.group[row]), alike):
        if some.any():
            return float(np.median(job.instances.transfer[known][some]))
    return None


def _as_peers_wait(job: Job, row: int, place: int) -> list[int]:
    """Rows of its rank's order before `place`: collectives like those with whose end most of its peers' began, by the how manieth
    of its sort it is, from the last one back: of another group, where data of another stage or shard is reduced.
    """
    peers, found = _peers(job, row)[:_ASKED], list[tuple[str, int, int]]()
    for peer in peers.tolist():
        order, at = _in_order(job, peer)
        needs = job.of.ranks[int(job.rows.rank[peer])].needs
        of_kinds = _sorts_back(job, order[: int(at[0])]) if len(at) else {}
        found += [of_kinds[one] for one in needs["collective"][np.isin(needs["row"], at)].tolist() if one in of_kinds]
    most = {one for one in found if found.count(one) > _MOST * len(peers)}
    own, _ = _in_order(job, row)
    return [at for at, sort in _sorts_back(job, own[:place]).items() if sort in most]


def _sorts_back(job: Job, order: Int64Array) -> dict[int, tuple[str, int, int]]:
    """Of the collectives among the last rows before one: its group's title, kind, and the how manieth of such it is."""
    count: dict[tuple[str, int], int] = {}
    found: dict[int, tuple[str, int, int]] = {}
    for at in range(len(order) - 1, max(len(order) - 1 - _NEAR, -1), -1):
        row = int(order[at])
        if row != NONE and job.rows.group[row] != NONE:
            group = job.table.groups[int(job.rows.group[row])]
            sort = group_title(group.name, group.description), int(job.rows.kind[row])
            count[sort] = count.get(sort, 0) + 1
            found[at] = (*sort, count[sort])
    return found


def _in_order(job: Job, row: int) -> tuple[Int64Array, Int64Array]:
    """(the job's row of each row of its rank's order, NONE but of collectives; where it is itself)."""
    place = int(job.rows.rank[row])
    order = job.of.ranks[place].order
    of_job = np.where(order["kind"] == COLLECTIVE, order["what"] + np.searchsorted(job.rows.rank, place), NONE)
    return of_job, np.flatnonzero(of_job == row)


def _peers(job: Job, row: int) -> Int64Array:
    return np.flatnonzero((job.matched.of == job.matched.of[row]) & job.rows.is_there)


def _last_of_peers(job: Job, row: int) -> int:
    """When the last of them came, on the clock of its own rank."""
    peers = _peers(job, row)
    return _on_own_clock(job, row, np.max(job.rows.start[peers] - job.shift(job.rows.rank[peers], job.rows.start[peers])))


def _end(job: Job, row: int) -> int:
    """As the others', on the clock of its own rank."""
    peers = _peers(job, row)
    return _on_own_clock(job, row, np.median(job.rows.end[peers] - job.shift(job.rows.rank[peers], job.rows.end[peers])))


def _on_own_clock(job: Job, row: int, common: np.floating | np.integer) -> int:
    at = np.array([round(float(common))], np.int64)
    return int((at + job.shift(int(job.rows.rank[row]), at))[0])


def _with_rows(rank: Rank, found: list[_Repaired], first: int) -> Rank:
    """With these in its order of launches."""
    if not found:
        return rank
    found = sorted(found, key=lambda one: (one.place, one.row))
    places = np.array([one.place for one in found], np.int64)

    def moved(rows: Int64Array) -> Int64Array:
        """The same rows, once these lie among them."""
        return np.where(rows == NONE, NONE, rows + np.searchsorted(places, rows, side="right"))

    columns = dict[str, "Int64Array | int"](kind=COLLECTIVE, behind=NONE, after=NONE)
    for name in ("host", "start", "end", "stream"):
        columns[name] = np.array([getattr(one, name) for one in found], np.int64)
    columns["after"] = moved(np.array([one.after for one in found], np.int64))
    columns["what"] = np.array([one.row for one in found], np.int64) - first
    order = {**rank.order, **{name: moved(rank.order[name]) for name in ("after", "behind")}}
    order = {name: np.insert(column, places, columns.get(name, 0)) for name, column in order.items()}
    own = places + np.arange(len(places))
    following = moved(np.array([one.next_chunk for one in found], np.int64))
    is_held = following != NONE
    earlier = moved(np.array([at for one in found for at in one.waits_for], np.int64))
    waiting = np.repeat(own, [len(one.waits_for) for one in found])
    more = {
        "row": np.concatenate((following[is_held], waiting)),
        "collective": np.concatenate((own[is_held], earlier)),
        "is_sure": np.repeat([0, SEEN], (int(is_held.sum()), len(waiting))),
    }
    needs = {**rank.needs, **{name: moved(rank.needs[name]) for name in ("row", "collective")}}
    needs = {name: np.concatenate((needs[name], more[name])) for name in more}
    return replace(rank, order=order, needs=needs)


def _joined(job: Job, ranks: tuple[Rank, ...], found: list[_Repaired]) -> Job:
    row = np.array([one.row for one in found], np.int64)
    shift = np.array([shift_of(rank, job.table.base_ns) for rank in ranks], np.int64)[job.rows.rank[row]]
    start, end, is_there = job.rows.start.copy(), job.rows.end.copy(), job.rows.is_there.copy()
    start[row], end[row] = (np.array([getattr(one, name) for one in found], np.int64) + shift for name in ("start", "end"))
    is_there[row] = True
    rows = replace(job.rows, start=start, end=end, is_there=is_there)
    n_more = np.bincount(job.matched.of[row], minlength=len(job.matched))
    matched = replace(job.matched, n_there=job.matched.n_there + n_more)
    measured, instances = waits(rows, matched, job.places.of_rank[rows.rank], job.clocks, job.is_refused)
    return replace(
        job,
        of=replace(job.of, ranks=ranks),
        table=replace(job.table, rows=rows),
        matched=matched,
        waits=measured,
        instances=instances,
    )
