"""Which collectives hold up the next kernel, and which wait for the kernel before, told over all ranks of the job.

Where one rank does not tell, the other members of the same instance do, and where none of them does, those of its group's
description and kind. A rank tells nothing where a slow launch, a busy stream or the collective before is reason enough: of what
begins after the kernel before, but not as that ends; of the next kernel, where it begins as launched or as its stream is free. A
collective that begins as one of another stream ends waits for that, unless on another rank it began before, or most of both sorts
run beside each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct, is_among
from tb_plugin.compute.grouping import group_by, max_by
from tb_plugin.compute.ranges import ranges
from tb_plugin.compute.side_by_side import in_lanes
from tb_plugin.job.matching.batches import batches
from tb_plugin.job.replay.orders import orders_of
from tb_plugin.job.replay.posted_ahead import runs, usual_lead, waiting_run
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.groups import group_title
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE
from tb_plugin.trace.rank.sends import GAP_NS, LAUNCH_NS, SAID, SEEN, TIE_NS, held_gap_ns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.replay.orders import Orders
    from tb_plugin.job.replay.posted_ahead import Runs

_KEPT: Final = "_kept direct"
_MOST: Final = 0.5
_MOST_SENDS: Final = 0.95
"""A send runs beside kernels, unless practically all of its kind that tell were waited for."""

_NEAREST: Final = 4
_NEAR: Final = 0.02
"""Of the time of chunks between two collectives: that of two ranks differs so, and a chunk that begins so near is the one."""


class Direct(NamedTuple):
    """Of each of the job's rows."""

    holds_up: BoolArray  # most of those that tell do
    is_told: BoolArray  # one of its group's description and kind at least tells
    runs_ahead: BoolArray  # most of those that tell began before the kernel before had ended
    place: Float64Array  # of the kernel that waited, the latest of those of its instance that tell (`_place_of`); NaN
    instance: Int64Array  # NONE where it has none, and between two
    beside: Int64Array  # pairs of instances (`_pair`) of which one member at least began the later before the earlier had ended
    lead: Int64Array  # of receives: which run of kernels waits (`posted_ahead.py`); NONE where none of its sort tells
    begun: Float64Array  # to which kernels had run on a member as the collective ended, so that none of them waits for it; NaN

    def waits(self, job: Job, of: Orders) -> Int64Array:
        """[pair, 3]: a collective, the row of the orders that waits for it, and how far into it the part begins that does.

        Of a collective of which its rank does not tell which kernels waited, those of the same place as on the ranks that do: a
        host that is late may launch kernels that need none of what was gathered ahead only after it was there, and then kernels
        of several layers are one chunk. What began as the collective ended, and on another rank before that, did so by chance.
        """
        order, chunks = of.order, _chunks(of.order)
        collective, row, how = (of.needs[name] for name in ("collective", "row", "is_sure"))
        of_job = order["what"][collective]
        is_chunk = order["kind"][row] == CHUNK
        is_sure = np.where(job.rows.kind[of_job] == kinds.SEND, how == SAID, how >= SEEN)
        is_sure[is_chunk] &= ~_is_chance(chunks, collective[is_chunk], row[is_chunk], how[is_chunk], self.begun[of_job[is_chunk]])
        kept = is_sure | self.holds_up[of_job]
        held, held_by = (self.instance[rows] for rows in (of_job[~is_chunk], order["what"][row[~is_chunk]]))
        kept[~is_chunk] &= ~is_among(_pair(held, held_by, len(job.matched)), self.beside)
        kept[~is_chunk] &= ~_is_by_chunk(order, collective[~is_chunk], row[~is_chunk])
        moves = kept & ~is_sure & is_chunk & np.isfinite(self.place[of_job])
        row, into = row.copy(), np.zeros(len(row), np.int64)
        if moves.any():
            row[moves], into[moves] = _part_after(order, chunks, collective[moves], self.place[of_job[moves]])
        # Of receives that do not tell those of their sort do: another run of kernels than the next may have waited.
        kept &= ~is_chunk | is_sure | (self.lead[of_job] == NONE)
        waits = np.column_stack((collective, row, into))[kept]
        waits = np.concatenate((waits, self._of_receives(job, order, collective[is_chunk & is_sure])))
        collective, row, into = waits.T
        waits = waits[(row != NONE) & (order["start"][row] + into >= order["end"][collective] - TIE_NS)]
        return _of_whole_kernels(job, order, waits)

    def _of_receives(self, job: Job, order: Mapping[str, Int64Array], told: Int64Array) -> Int64Array:
        """Of those that are not `told`, in the form of `waits`."""
        is_asked = order["kind"] == COLLECTIVE
        is_asked[told] = False
        row = np.flatnonzero(is_asked)
        lead = self.lead[order["what"][row]]
        row, lead = row[lead != NONE], lead[lead != NONE]
        if len(row) == 0:
            return np.zeros((0, 3), np.int64)
        return np.column_stack((row, waiting_run(_runs(job, order), row, lead), np.zeros(len(row), np.int64)))

    def produced(self, of: Orders) -> Int64Array:
        """Rows of the orders that wait for the chunk before them."""
        row, before = _after_chunk(of.order)
        found: Int64Array = row[(before == AT_ITS_END) | ((before == LATER) & ~self.runs_ahead[of.order["what"][row]])]
        return found


def _of_whole_kernels(job: Job, order: Mapping[str, Int64Array], waits: Int64Array) -> Int64Array:
    """Who waits for one message of a kernel waits for all of that kernel."""
    of_kernel = batches(job.rows)
    if of_kernel is None:
        return waits
    row = np.flatnonzero(order["kind"] == COLLECTIVE)
    row = row[np.argsort(of_kernel.of[order["what"][row]], kind="stable")]
    kernel, of_wait = (of_kernel.of[order["what"][each]] for each in (row, waits[:, 0]))
    begin = np.searchsorted(kernel, of_wait)
    n = np.searchsorted(kernel, of_wait, side="right") - begin
    return np.unique(np.column_stack((row[ranges(begin, n)], np.repeat(waits[:, 1:], n, axis=0))), axis=0)


def _runs(job: Job, order: Mapping[str, Int64Array]) -> Runs:
    is_message = np.zeros(len(order["kind"]), np.bool_)
    met = np.flatnonzero(order["kind"] == COLLECTIVE)
    is_message[met] = job.rows.is_between_two[order["what"][met]]
    return runs(order, is_message)


class _Chunks(NamedTuple):
    """Of the orders. Between two collectives there may be several."""

    row: Int64Array
    n: Int64Array  # `launched` of each
    ran: Int64Array  # ns of chunks before each, and of all
    launched: Int64Array  # of each row of the orders a number that grows with each collective, and from rank to rank


def _chunks(order: Mapping[str, Int64Array]) -> _Chunks:
    row = np.flatnonzero(order["kind"] == CHUNK)
    launched = np.cumsum(order["kind"] == COLLECTIVE) + order["rank"]
    ran = np.concatenate(([0], np.cumsum(order["end"][row] - order["start"][row])))
    return _Chunks(row, launched[row], ran, launched)


def _place_of(of: _Chunks, collective: Int64Array, row: Int64Array) -> Float64Array:
    """How many collectives were launched after each of these and before the chunk `row`, and of the time of chunks from the last
    of these to the next collective the share that ran before that chunk.
    """
    first, after = (of.ran[np.searchsorted(of.n, of.launched[row], side=side)] for side in ("left", "right"))
    share = (of.ran[np.searchsorted(of.row, row)] - first) / np.maximum(after - first, 1)
    place: Float64Array = of.launched[row] - of.launched[collective] + share  # a chunk takes time: the share is less than 1
    return place


def _is_chance(of: _Chunks, collective: Int64Array, row: Int64Array, how: Int64Array, begun: Float64Array) -> BoolArray:
    """Of each of these pairs of a collective and a chunk that was seen to begin as it ended."""
    chance: BoolArray = (how == SEEN) & (_place_of(of, collective, row) < begun - _NEAR)
    return chance


def _is_by_chunk(order: Mapping[str, Int64Array], collective: Int64Array, row: Int64Array) -> BoolArray:
    """Of each of these pairs of collectives: the later began as the chunk before it ended, and that was no earlier."""
    at_its_end = np.zeros(len(order["kind"]), np.bool_)
    after, began = _after_chunk(order)
    at_its_end[after[began == AT_ITS_END]] = True
    by_chunk: BoolArray = at_its_end[row] & (order["end"][order["after"][row]] >= order["end"][collective] - GAP_NS)
    return by_chunk


def _begun(order: Mapping[str, Int64Array], of: _Chunks, collective: Int64Array) -> Float64Array:
    """Up to which place (`_place_of`) kernels had begun as each of these ended; NaN where none launched after it had."""
    found = np.full(len(collective), np.nan)
    if len(of.row) == 0:
        return found
    ended = order["end"][collective] - TIE_NS
    ranks = [order["rank"][rows] for rows in (of.row, collective)]
    start, asked = in_lanes(ranks, (order["start"][of.row], ended))
    last = np.searchsorted(np.maximum.accumulate(start), asked) - 1  # of several streams only what had begun on all
    use = np.flatnonzero((last >= 0) & (of.row[last] > collective))
    row, nth = of.row[last[use]], last[use]
    first, after = (of.ran[np.searchsorted(of.n, of.n[nth], side=side)] for side in ("left", "right"))
    ran = of.ran[nth] + np.minimum(ended[use] - order["start"][row], order["end"][row] - order["start"][row])
    found[use] = of.n[nth] - of.launched[collective[use]] + (ran - first) / np.maximum(after - first, 1)
    return found


def _part_after(
    order: Mapping[str, Int64Array], of: _Chunks, collective: Int64Array, place: Float64Array
) -> tuple[Int64Array, Int64Array]:
    """(chunk, ns into it) at this place (`_place_of`); its rank's first chunk after it where none is there, NONE without any."""
    rank = order["rank"]
    share, n_between = np.modf(place)
    at = of.launched[collective] + n_between.astype(np.int64)
    first, after = np.searchsorted(of.n, at), np.searchsorted(of.n, at, side="right")
    length, before = of.ran[after] - of.ran[first], of.ran[np.searchsorted(rank[of.row], rank[collective])]
    ran, near = of.ran[first] - before + share * length, _NEAR * length
    until = np.searchsorted(of.ran[:-1], before + np.floor(ran + near).astype(np.int64), side="right") - 1
    nth = np.clip(until, first, np.maximum(after - 1, first))
    into = ran - (of.ran[nth] - before)
    row = np.append(of.row, NONE)[nth]
    is_there = (row != NONE) & (rank[row] == rank[collective])
    return np.where(is_there, row, NONE), np.where(is_there & (into > near), into, 0).astype(np.int64)


BEFORE, AT_ITS_END, LATER = range(3)


def _after_chunk(order: Mapping[str, Int64Array]) -> tuple[Int64Array, Int64Array]:
    """(rows of collectives with a chunk launched before them, when each began: before the chunk ended, as it ended, or later)."""
    is_chunk, rank = order["kind"] == CHUNK, order["rank"]
    last = np.maximum.accumulate(np.where(is_chunk, np.arange(len(is_chunk)), NONE))
    row = np.flatnonzero((order["kind"] == COLLECTIVE) & (last != NONE) & (rank[last] == rank))
    held = order["start"][row] - order["host"][row]
    is_close = order["start"][row] - order["end"][last[row]] <= np.where(held > LAUNCH_NS, held_gap_ns(held), GAP_NS)
    return row, np.where(order["after"][row] == NONE, BEFORE, np.where(is_close, AT_ITS_END, LATER))


def direct(job: Job) -> Direct:
    """Every rank has its order of launches. Told once of a job, and kept in it."""
    found: Direct = vars(job).get(_KEPT) or vars(job).setdefault(_KEPT, _told(job))
    return found


def _told(job: Job) -> Direct:
    of_row, instance = _classes(job), np.where(job.rows.is_between_two, NONE, job.matched.of)
    is_send = job.rows.kind == kinds.SEND
    holds, does_not, ahead, behind = (np.zeros(len(of_row)) for _ in range(4))
    at, until = np.full(len(of_row), np.nan), np.full(len(of_row), np.nan)
    lead = np.full(len(of_row), NONE)
    of = orders_of(job, np.arange(len(job.of.ranks)))
    order, needs, chunks = of.order, of.needs, _chunks(of.order)
    kind, what, rank = order["kind"], order["what"], order["rank"]
    collective = np.flatnonzero(kind == COLLECTIVE)
    until[what[collective]] = _begun(order, chunks, collective)
    begun = _latest_of_instance(instance, until)
    last_chunk = np.full(len(job.of.ranks), NONE)
    last_chunk[rank[chunks.row]] = chunks.row  # the last one of each stays
    collective = collective[collective < last_chunk[rank[collective]]]
    is_sure = needs["is_sure"] >= SEEN
    says_no = np.ones(len(kind), np.bool_)
    says_no[needs["collective"][~is_sure]] = False
    waits = is_sure & (kind[needs["row"]] == CHUNK)
    held, row, how = (needs[name][waits] for name in ("collective", "row", "is_sure"))
    is_told = ~_is_chance(chunks, held, row, how, begun[what[held]])
    held, row = held[is_told], row[is_told]
    says_no[held] = False
    holds[what[held]] = 1
    at[what[held]] = _place_of(chunks, held, row)
    run = _runs(job, order).of_row
    lead[what[held]] = run[row] - run[held]
    does_not[what[collective[says_no[collective]]]] = 1
    row, began = _after_chunk(order)
    ahead[what[row[began == BEFORE]]] = 1
    behind[what[row[began == AT_ITS_END]]] = 1
    return Direct(
        holds_up=_most(instance, of_row, holds, does_not, is_send),
        is_told=np.bincount(of_row, weights=holds + does_not)[of_row] > 0,
        runs_ahead=_most(instance, of_row, ahead, behind, is_send),
        place=_latest_of_instance(instance, at),
        lead=_usual_lead(job, of_row, lead),
        begun=begun,
        instance=instance,
        beside=distinct(np.concatenate((_beside(job, of, instance), _beside_by_class(job, of, instance, of_row)))),
    )


def _usual_lead(job: Job, of_row: Int64Array, lead: Int64Array) -> Int64Array:
    """`lead`: of each row that tells."""
    received = np.flatnonzero(job.rows.kind == kinds.RECV)
    found = np.full(len(lead), NONE)
    is_later = job.rows.peer[received] > np.array(job.of.numbers)[job.rows.rank[received]]
    sort, told = 2 * of_row[received] + is_later, lead[received]
    found[received] = usual_lead(job.rows.rank[received], sort, told, told != NONE)
    return found


def _pair(one: Int64Array, other: Int64Array, n: int) -> Int64Array:
    """A number for each pair of instances, of `n`; NONE where one is none."""
    number: Int64Array = np.where((one == NONE) | (other == NONE), NONE, one * n + other)
    return number


def _beside(job: Job, of: Orders, instance: Int64Array) -> Int64Array:
    """Of the pairs of collectives of which the later began on some rank as the earlier ended: by chance, where on another rank
    it began before that.
    """
    of_both = of.order["kind"][of.needs["row"]] == COLLECTIVE
    before, after = (of.order["what"][of.needs[name][of_both]] for name in ("collective", "row"))
    pair = distinct(_pair(instance[before], instance[after], len(job.matched)))
    before, after = np.divmod(pair[pair != NONE], max(len(job.matched), 1))
    row = np.flatnonzero((job.matched.of != NONE) & job.rows.is_there)
    row = row[np.lexsort((job.rows.rank[row], job.matched.of[row]))]
    key = job.matched.of[row] * len(job.of.ranks) + job.rows.rank[row]
    begin, end = (np.searchsorted(job.matched.of[row], after, side=side) for side in ("left", "right"))
    nth, member = np.repeat(np.arange(len(after)), end - begin), row[ranges(begin, end - begin)]
    wanted = before[nth] * len(job.of.ranks) + job.rows.rank[member]
    at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    earlier = row[at]
    is_beside = (key[at] == wanted) & (job.rows.start[member] < job.rows.end[earlier] - TIE_NS)
    return distinct(pair[pair != NONE][nth[is_beside]])


def _beside_by_class(job: Job, of: Orders, instance: Int64Array, of_row: Int64Array) -> Int64Array:
    """Such pairs too of a collective and the last of another sort launched before it, where more of the two sorts run beside each
    other than begin as the other ends: on a host that launches slowly that is chance.
    """
    at = np.flatnonzero(of.order["kind"] == COLLECTIVE)
    place, row, stream, start, end = (of.order[name][at] for name in ("rank", "what", "stream", "start", "end"))
    sort, n, all_rows = of_row[row], int(of_row.max(initial=0)) + 1, len(of.order["kind"])
    bound = distinct(of.needs["collective"] * all_rows + of.needs["row"])
    found = [np.zeros((0, 3), np.int64)]
    for away in range(1, min(_NEAREST, len(row) - 1) + 1):
        use = (place[:-away] == place[away:]) & (stream[:-away] != stream[away:])
        for between in range(1, away):  # another of its sort is nearer
            use &= sort[:-away] != sort[between : between - away]
        before = np.flatnonzero(use)
        after = before + away
        is_ahead = start[after] < end[before] - TIE_NS
        is_bound = is_among(at[before] * all_rows + at[after], bound)
        pair = np.where(is_bound, _pair(instance[row[before]], instance[row[after]], len(job.matched)), NONE)
        found.append(np.column_stack((sort[before] * n + sort[after], pair, is_ahead.astype(np.int64) - is_bound)))
    key, pair, vote = np.concatenate(found).T
    sorts = group_by(key)
    is_beside = np.bincount(sorts.of, weights=vote, minlength=len(sorts))[sorts.of] > 0
    return distinct(pair[is_beside & (pair != NONE)])


def _latest_of_instance(of: Int64Array, told: Float64Array) -> Float64Array:
    """Of each row the latest that members of its instance say; NaN where none does, and of what is between two."""
    rows = np.flatnonzero(of != NONE)
    members = group_by(of[rows])
    latest = np.full(len(members), np.nan)
    np.fmax.at(latest, members.of, told[rows])
    found = np.full(len(of), np.nan)
    found[rows] = latest[members.of]
    return found


def _most(instance: Int64Array, of_row: Int64Array, yes: Float64Array, no: Float64Array, is_send: BoolArray) -> BoolArray:
    """Of each row: of those of its instance that tell, most say yes; of its class where they are as many or none. Sender and
    receiver tell nothing of each other.
    """
    members = np.bincount(instance + 1, weights=yes - no)[instance + 1]
    of_class_yes, of_class = (np.bincount(of_row, weights=each)[of_row] for each in (yes, yes + no))
    most = of_class_yes > of_class * np.where(is_send, _MOST_SENDS, _MOST)
    found: BoolArray = np.where((instance == NONE) | (members == 0), most, members > 0)
    return found


def untold_sends(job: Job) -> int:
    """How many sends there are of which no file tells whether kernels wait for them: not those of a kernel that receives, too."""
    sends, of_kernel = job.rows.kind == kinds.SEND, batches(job.rows)
    if of_kernel is not None:
        sends &= max_by(of_kernel, (job.rows.kind == kinds.RECV).astype(np.int64))[of_kernel.of] == 0
    if not sends.any() or any(len(rank.order["kind"]) == 0 for rank in job.of.ranks):
        return 0
    return int((sends & ~direct(job).is_told).sum())


def _classes(job: Job) -> Int64Array:
    """Of each of the job's rows a number for its group's description, its kind, and of a send whether to a later or an earlier
    rank: what is used alike.
    """
    texts = [group_title(group.name, group.description) for group in job.table.groups] + [""]
    names = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    of_group = np.array([names[text] for text in texts], np.int64)
    is_later = (job.rows.kind == kinds.SEND) & (job.rows.peer > np.array(job.of.numbers)[job.rows.rank])
    number: Int64Array = (2 * of_group[job.rows.group] + is_later) * len(kinds.KINDS) + job.rows.kind
    return number
