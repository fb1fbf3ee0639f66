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
from tb_plugin.job.batches import batches
from tb_plugin.job.posted_ahead import runs, usual_lead, waiting_run
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE
from tb_plugin.trace.rank.sends import GAP_NS, LAUNCH_NS, SAID, SEEN, TIE_NS, held_gap_ns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.posted_ahead import Runs

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

    def waits(self, job: Job, place: int) -> Int64Array:
        """[pair, 3]: a collective, the row of a rank's order that waits for it, and how far into it the part begins that does.

        Of a collective of which its rank does not tell which kernels waited, those of the same place as on the ranks that do: a
        host that is late may launch kernels that need none of what was gathered ahead only after it was there, and then kernels
        of several layers are one chunk. What began as the collective ended, and on another rank before that, did so by chance.
        """
        rank = job.of.ranks[place]
        collective, row, how = (rank.needs[name] for name in ("collective", "row", "is_sure"))
        first = int(np.searchsorted(job.rows.rank, place))
        of_job = rank.order["what"][collective] + first
        is_chunk = rank.order["kind"][row] == CHUNK
        is_sure = np.where(job.rows.kind[of_job] == kinds.SEND, how == SAID, how >= SEEN)
        is_sure[is_chunk] &= ~_is_chance(
            rank.order, collective[is_chunk], row[is_chunk], how[is_chunk], self.begun[of_job[is_chunk]]
        )
        kept = is_sure | self.holds_up[of_job]
        held, held_by = (self.instance[rows] for rows in (of_job[~is_chunk], rank.order["what"][row[~is_chunk]] + first))
        kept[~is_chunk] &= ~is_among(_pair(held, held_by, len(job.matched)), self.beside)
        kept[~is_chunk] &= ~_is_by_chunk(rank.order, collective[~is_chunk], row[~is_chunk])
        moves = kept & ~is_sure & is_chunk & np.isfinite(self.place[of_job])
        row, into = row.copy(), np.zeros(len(row), np.int64)
        if moves.any():
            row[moves], into[moves] = _part_after(rank.order, collective[moves], self.place[of_job[moves]])
        # Of receives that do not tell those of their sort do: another run of kernels than the next may have waited.
        kept &= ~is_chunk | is_sure | (self.lead[of_job] == NONE)
        waits = np.column_stack((collective, row, into))[kept]
        waits = np.concatenate((waits, self._of_receives(job, place, collective[is_chunk & is_sure])))
        collective, row, into = waits.T
        waits = waits[(row != NONE) & (rank.order["start"][row] + into >= rank.order["end"][collective] - TIE_NS)]
        return _of_whole_kernels(job, place, waits)

    def _of_receives(self, job: Job, place: int, told: Int64Array) -> Int64Array:
        """Of those that are not `told`, in the form of `waits`."""
        order, first = job.of.ranks[place].order, int(np.searchsorted(job.rows.rank, place))
        row = np.setdiff1d(np.flatnonzero(order["kind"] == COLLECTIVE), told)
        lead = self.lead[order["what"][row] + first]
        row, lead = row[lead != NONE], lead[lead != NONE]
        return np.column_stack((row, waiting_run(_runs(job, place), row, lead), np.zeros(len(row), np.int64)))

    def produced(self, job: Job, place: int) -> Int64Array:
        """Rows of a rank's order that wait for the chunk before them."""
        rank = job.of.ranks[place]
        row, before = _after_chunk(rank.order)
        of_job = rank.order["what"][row] + int(np.searchsorted(job.rows.rank, place))
        found: Int64Array = row[(before == AT_ITS_END) | ((before == LATER) & ~self.runs_ahead[of_job])]
        return found


def _of_whole_kernels(job: Job, place: int, waits: Int64Array) -> Int64Array:
    """Who waits for one message of a kernel waits for all of that kernel."""
    of_kernel = batches(job.rows)
    if of_kernel is None:
        return waits
    order, first = job.of.ranks[place].order, int(np.searchsorted(job.rows.rank, place))
    row = np.flatnonzero(order["kind"] == COLLECTIVE)
    row = row[np.argsort(of_kernel.of[order["what"][row] + first], kind="stable")]
    kernel, of_wait = (of_kernel.of[order["what"][each] + first] for each in (row, waits[:, 0]))
    begin = np.searchsorted(kernel, of_wait)
    n = np.searchsorted(kernel, of_wait, side="right") - begin
    return np.unique(np.column_stack((row[ranges(begin, n)], np.repeat(waits[:, 1:], n, axis=0))), axis=0)


def _runs(job: Job, place: int) -> Runs:
    order = job.of.ranks[place].order
    of_job = order["what"] + int(np.searchsorted(job.rows.rank, place))
    is_message = np.zeros(len(of_job), np.bool_)
    met = np.flatnonzero(order["kind"] == COLLECTIVE)
    is_message[met] = job.rows.is_between_two[of_job[met]]
    return runs(order, is_message)


class _Chunks(NamedTuple):
    """Of a rank's order. Between two collectives there may be several."""

    row: Int64Array
    n: Int64Array  # collectives launched before each
    ran: Int64Array  # ns of chunks before each, and of all


def _chunks(order: Mapping[str, Int64Array], n: Int64Array) -> _Chunks:
    row = np.flatnonzero(order["kind"] == CHUNK)
    return _Chunks(row, n[row], np.concatenate(([0], np.cumsum(order["end"][row] - order["start"][row]))))


def _place_of(order: Mapping[str, Int64Array], collective: Int64Array, row: Int64Array) -> Float64Array:
    """How many collectives were launched after each of these and before the chunk `row`, and of the time of chunks from the last
    of these to the next collective the share that ran before that chunk.
    """
    n = np.cumsum(order["kind"] == COLLECTIVE)
    chunks = _chunks(order, n)
    first, after = (chunks.ran[np.searchsorted(chunks.n, n[row], side=side)] for side in ("left", "right"))
    share = (chunks.ran[np.searchsorted(chunks.row, row)] - first) / np.maximum(after - first, 1)
    place: Float64Array = n[row] - n[collective] + share  # a chunk takes time: the share is less than 1
    return place


def _is_chance(
    order: Mapping[str, Int64Array], collective: Int64Array, row: Int64Array, how: Int64Array, begun: Float64Array
) -> BoolArray:
    """Of each of these pairs of a collective and a chunk that was seen to begin as it ended."""
    chance: BoolArray = (how == SEEN) & (_place_of(order, collective, row) < begun - _NEAR)
    return chance


def _is_by_chunk(order: Mapping[str, Int64Array], collective: Int64Array, row: Int64Array) -> BoolArray:
    """Of each of these pairs of collectives: the later began as the chunk before it ended, and that was no earlier."""
    at_its_end = np.zeros(len(order["kind"]), np.bool_)
    after, began = _after_chunk(order)
    at_its_end[after[began == AT_ITS_END]] = True
    by_chunk: BoolArray = at_its_end[row] & (order["end"][order["after"][row]] >= order["end"][collective] - GAP_NS)
    return by_chunk


def _begun(order: Mapping[str, Int64Array], collective: Int64Array) -> Float64Array:
    """Up to which place (`_place_of`) kernels had begun as each of these ended; NaN where none launched after it had."""
    n = np.cumsum(order["kind"] == COLLECTIVE)
    chunks = _chunks(order, n)
    found = np.full(len(collective), np.nan)
    if len(chunks.row) == 0:
        return found
    start = np.maximum.accumulate(order["start"][chunks.row])  # of several streams only what had begun on all
    ended = order["end"][collective] - TIE_NS
    last = np.searchsorted(start, ended) - 1
    use = np.flatnonzero((last >= 0) & (chunks.row[last] > collective))
    row, nth = chunks.row[last[use]], last[use]
    first, after = (chunks.ran[np.searchsorted(chunks.n, n[row], side=side)] for side in ("left", "right"))
    ran = chunks.ran[nth] + np.minimum(ended[use] - order["start"][row], order["end"][row] - order["start"][row])
    found[use] = n[row] - n[collective[use]] + (ran - first) / np.maximum(after - first, 1)
    return found


def _part_after(order: Mapping[str, Int64Array], collective: Int64Array, place: Float64Array) -> tuple[Int64Array, Int64Array]:
    """(chunk, ns into it) at this place (`_place_of`); the first chunk after it where none is there, NONE without any."""
    n = np.cumsum(order["kind"] == COLLECTIVE)
    chunks = _chunks(order, n)
    share, n_between = np.modf(place)
    at = n[collective] + n_between.astype(np.int64)
    first, after = np.searchsorted(chunks.n, at), np.searchsorted(chunks.n, at, side="right")
    length = chunks.ran[after] - chunks.ran[first]
    ran, near = chunks.ran[first] + share * length, _NEAR * length
    nth = np.clip(np.searchsorted(chunks.ran[:-1], ran + near, side="right") - 1, first, np.maximum(after - 1, first))
    into = ran - chunks.ran[nth]
    return np.append(chunks.row, NONE)[nth], np.where(into > near, into, 0).astype(np.int64)


BEFORE, AT_ITS_END, LATER = range(3)


def _after_chunk(order: Mapping[str, Int64Array]) -> tuple[Int64Array, Int64Array]:
    """(rows of collectives with a chunk launched before them, when each began: before the chunk ended, as it ended, or later)."""
    is_chunk = order["kind"] == CHUNK
    last = np.maximum.accumulate(np.where(is_chunk, np.arange(len(is_chunk)), NONE))
    row = np.flatnonzero((order["kind"] == COLLECTIVE) & (last != NONE))
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
    for place, rank in enumerate(job.of.ranks):
        collective = np.flatnonzero(rank.order["kind"] == COLLECTIVE)
        until[rank.order["what"][collective] + int(np.searchsorted(job.rows.rank, place))] = _begun(rank.order, collective)
    begun = _latest_of_instance(instance, until)
    for place, rank in enumerate(job.of.ranks):
        of_job = rank.order["what"] + int(np.searchsorted(job.rows.rank, place))
        kind, needs = rank.order["kind"], rank.needs
        collective = np.flatnonzero(kind == COLLECTIVE)
        collective = collective[collective < np.flatnonzero(kind == CHUNK).max(initial=-1)]
        is_sure = needs["is_sure"] >= SEEN
        says_no = np.ones(len(kind), np.bool_)
        says_no[needs["collective"][~is_sure]] = False
        waits = is_sure & (kind[needs["row"]] == CHUNK)
        of, row, how = (needs[name][waits] for name in ("collective", "row", "is_sure"))
        waits[waits] = ~_is_chance(rank.order, of, row, how, begun[of_job[of]])
        says_no[needs["collective"][waits]] = False
        holds[of_job[needs["collective"][waits]]] = 1
        held = of_job[needs["collective"][waits]]
        at[held] = _place_of(rank.order, needs["collective"][waits], needs["row"][waits])
        run = _runs(job, place).of_row
        lead[held] = run[needs["row"][waits]] - run[needs["collective"][waits]]
        does_not[of_job[collective[says_no[collective]]]] = 1
        row, began = _after_chunk(rank.order)
        ahead[of_job[row[began == BEFORE]]] = 1
        behind[of_job[row[began == AT_ITS_END]]] = 1
    return Direct(
        holds_up=_most(instance, of_row, holds, does_not, is_send),
        is_told=np.bincount(of_row, weights=holds + does_not)[of_row] > 0,
        runs_ahead=_most(instance, of_row, ahead, behind, is_send),
        place=_latest_of_instance(instance, at),
        lead=_usual_lead(job, of_row, lead),
        begun=begun,
        instance=instance,
        beside=distinct(np.concatenate((_beside(job, instance), _beside_by_class(job, instance, of_row)))),
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


def _beside(job: Job, instance: Int64Array) -> Int64Array:
    """Of the pairs of collectives of which the later began on some rank as the earlier ended: by chance, where on another rank
    it began before that.
    """
    pairs = []
    for place, rank in enumerate(job.of.ranks):
        of_both = rank.order["kind"][rank.needs["row"]] == COLLECTIVE
        first = int(np.searchsorted(job.rows.rank, place))
        before, after = (rank.order["what"][rank.needs[name][of_both]] + first for name in ("collective", "row"))
        pairs.append(_pair(instance[before], instance[after], len(job.matched)))
    pair = distinct(np.concatenate(pairs))
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


def _beside_by_class(job: Job, instance: Int64Array, of_row: Int64Array) -> Int64Array:
    """Such pairs too of a collective and the last of another sort launched before it, where more of the two sorts run beside each
    other than begin as the other ends: on a host that launches slowly that is chance.
    """
    begins = np.cumsum([0, *(len(rank.order["kind"]) for rank in job.of.ranks)])
    place, at, row, stream, start, end = _launched(job, begins)
    sort, n, all_rows = of_row[row], int(of_row.max(initial=0)) + 1, int(begins[-1])
    bound, found = _bound(job, begins), [np.zeros((0, 3), np.int64)]
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


def _launched(job: Job, begins: Int64Array) -> Int64Array:
    """Collectives of all ranks, as each launched them, in columns: rank, row of all orders, row of the job, stream, start, end.

    `begins`: where the order of each rank begins among those of all. Times on the rank's own clock.
    """
    found = [np.zeros((6, 0), np.int64)]
    for place, (rank, begin) in enumerate(zip(job.of.ranks, begins, strict=False)):
        order = rank.order
        row = np.flatnonzero(order["kind"] == COLLECTIVE)
        of_job = order["what"][row] + int(np.searchsorted(job.rows.rank, place))
        each = (np.full(len(row), place), begin + row, of_job, *(order[name][row] for name in ("stream", "start", "end")))
        found.append(np.stack(each))
    return np.concatenate(found, axis=1)


def _bound(job: Job, begins: Int64Array) -> Int64Array:
    """Each pair of rows of all orders of which the later waits for the earlier, a collective: one number."""
    both = zip(job.of.ranks, begins, strict=False)
    of_each = [(rank.needs["collective"] + begin) * begins[-1] + rank.needs["row"] + begin for rank, begin in both]
    return distinct(np.concatenate(of_each))


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
    texts = [group.description or group.name for group in job.table.groups] + [""]
    names = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    of_group = np.array([names[text] for text in texts], np.int64)
    is_later = (job.rows.kind == kinds.SEND) & (job.rows.peer > np.array(job.of.numbers)[job.rows.rank])
    number: Int64Array = (2 * of_group[job.rows.group] + is_later) * len(kinds.KINDS) + job.rows.kind
    return number
