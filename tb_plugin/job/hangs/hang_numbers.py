"""Numbers of sends and collectives by which all who are in one agree, whatever each rank's torch has counted besides.

torch counts sends by rank and group: in a pipeline of four, the second send of rank 1 may be its first to rank 2.

    rank 1   recv 1<-0 1   send 1->2 2   recv 1<-0 3   send 1->2 4        the sends from 1 to 2 are 1 and 2 on both, where rank 1
    rank 2   recv 2<-1 1   send 2->3 2   recv 2<-1 3                      has counted 2 and 4, and rank 2 has counted 1 and 3

Of a batch (`batch_isend_irecv`) it writes down each send, which stays scheduled for ever, and then a call that is named
`coalesced` and says how far all of them are. Some versions take a number of the group's collectives for each batch, so that
ranks with fewer batches count otherwise.

Where a ring was overwritten, the two ends of a pair hold different parts of one row of sends to and fro. It is the same row on
both, and what is over on the one is over on the other but for a few: so they are laid beside each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.job.hangs.hang_sends import Ends, ends_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.collectives.recorder import Issued, RecorderDump

_Group = tuple[str, str]

_BATCH: Final = ":coalesced"
_PAIR: Final = 2
_MOST_APART: Final = 8
"""Sends that one end of a pair may have over and the other not: a small one is over before it is received."""


def comparable(dumps: Sequence[RecorderDump]) -> list[RecorderDump]:
    """Without the calls that say how far a batch is, and without sends of which the other end's ring has nothing any more."""
    if not any(issued.is_between_two for dump in dumps for issued in dump.issued):
        return [*dumps]
    rings = [_Ring(dump) for dump in dumps]
    if any(_takes_numbers(ring) for ring in rings):
        _without_batches(rings)
    pairs: defaultdict[tuple[_Group, tuple[int, int]], list[tuple[_Ring, list[_Sent]]]] = defaultdict(list)
    for ring in rings:
        for key, sent in ring.by_pair().items():
            pairs[key].append((ring, sent))
    for (group, _), ends in pairs.items():
        if len(ends) > 1:
            _number(group, *ends[0], *ends[1])
    return [replace(ring.dump, issued=ring.left(), only_by_pair=frozenset(ring.only_by_pair)) for ring in rings]


class _Sent(NamedTuple):
    """`batch`: which it is in, of a rank; alone it is one."""

    place: int
    ends: Ends
    batch: int


class _Ring:
    """What a rank has issued, with the `number` of each. `n_batches`: before each, by group."""

    def __init__(self, dump: RecorderDump) -> None:
        self.dump = dump
        self.issued: list[Issued] = []
        self.number: list[int] = []
        self.n_batches: list[dict[_Group, int]] = []
        self.batch: list[int] = []
        self.dropped: set[int] = set()
        self.only_by_pair: set[str] = set()
        before: dict[_Group, int] = {}
        for issued in dump.issued:
            mine = self._of_batch(issued) if issued.name.endswith(_BATCH) else range(0)
            if mine:
                before = {**before, issued.group: before.get(issued.group, 0) + 1}
                for place in mine:
                    self.issued[place] = replace(self.issued[place], is_started=issued.is_started, is_done=issued.is_done)
                    self.batch[place] = mine.start
            elif not (issued.is_between_two and issued.name.endswith(_BATCH)):
                self.batch.append(len(self.issued))
                self.issued.append(issued)
                self.number.append(issued.sequence)
                self.n_batches.append(before)

    def _of_batch(self, batch: Issued) -> range:
        """Places of the sends just before it in its group, none of which says how far it is."""
        place = len(self.issued)
        while place:
            before = self.issued[place - 1]
            if before.group != batch.group or not before.is_between_two or before.is_started or before.is_done:
                break
            place -= 1
        return range(place, len(self.issued))

    def by_pair(self) -> dict[tuple[_Group, tuple[int, int]], list[_Sent]]:
        """In the order of issue; in a batch, which has none, those of the lower rank first."""
        found: defaultdict[tuple[_Group, tuple[int, int]], list[_Sent]] = defaultdict(list)
        for place, issued in enumerate(self.issued):
            ends = ends_of(issued, self.dump.members.get(issued.group[0]))
            if ends is not None and self.dump.rank in ends and ends.sender != ends.receiver:
                found[issued.group, (min(ends), max(ends))].append(_Sent(place, ends, self.batch[place]))
        for sent in found.values():
            sent.sort(key=lambda one: (one.batch, one.ends, one.place))
        return found

    def n_done(self, sent: Sequence[_Sent]) -> int:
        """How many of these are over, with all before."""
        return max((at for at, one in enumerate(sent, 1) if self.issued[one.place].is_done), default=0)

    def counts_pairs(self, group: _Group, sent: Sequence[_Sent]) -> bool:
        """Whether torch's numbers of these sends are those of the other end, too: of a group of two, one by one."""
        return len(self.dump.members.get(group[0], ())) == _PAIR and all(one.batch == one.place for one in sent)

    def left(self) -> tuple[Issued, ...]:
        numbered = zip(self.issued, self.number, strict=True)
        every = [one if one.sequence == number else replace(one, sequence=number) for one, number in numbered]
        return tuple(one for place, one in enumerate(every) if place not in self.dropped)


def _takes_numbers(ring: _Ring) -> bool:
    """Whether between two collectives of a group a number is missing for each batch."""
    last: dict[_Group, tuple[int, int]] = {}
    for issued, before in zip(ring.issued, ring.n_batches, strict=True):
        if issued.is_between_two:
            continue
        now = issued.sequence, before.get(issued.group, 0)
        number, n_batches = last.get(issued.group, now)
        if now[1] > n_batches and now[0] - number == now[1] - n_batches + 1:
            return True
        last[issued.group] = now
    return False


def _without_batches(rings: Sequence[_Ring]) -> None:
    """Collectives are numbered by themselves. Of rings that were overwritten nobody knows how many batches there were before: the
    last collective of a group that is over is the same one on all.
    """
    over: defaultdict[_Group, dict[int, int]] = defaultdict(dict)
    for at, ring in enumerate(rings):
        for place, issued in enumerate(ring.issued):
            if not issued.is_between_two:
                ring.number[place] -= ring.n_batches[place].get(issued.group, 0)
                if issued.is_done:
                    over[issued.group][at] = ring.number[place]
    if not any(ring.dump.is_cut for ring in rings):
        return
    of_batches = {group for ring in rings for group in (ring.n_batches[-1] if ring.n_batches else ())}
    for at, ring in enumerate(rings):
        for place, issued in enumerate(ring.issued):
            its = over[issued.group]
            if not issued.is_between_two and issued.group in of_batches and at in its:
                ring.number[place] += max(its.values()) - its[at]


def _number(group: _Group, ring: _Ring, sent: list[_Sent], other: _Ring, others: list[_Sent]) -> None:
    """Of both ends of a pair: the first of each way that both hold is one send, and so on."""
    ends, ahead, first = ((ring, sent), (other, others)), 0, 1
    if ring.dump.is_cut or other.dump.is_cut:
        if all(end.counts_pairs(group, some) for end, some in ends):
            return
        ahead = _ahead(*ends[0], *ends[1])
        first = max(end.issued[some[0].place].sequence for end, some in ends)
    for (end, some), n in zip(ends, (max(ahead, 0), max(-ahead, 0)), strict=True):
        if end.dump.is_cut or ahead:
            end.only_by_pair.add(end.issued[some[0].place].group_title)
        end.dropped.update(one.place for one in some[:n])
        counted: Counter[Ends] = Counter()
        for one in some[n:]:
            end.number[one.place] = first + counted[one.ends]
            counted[one.ends] += 1


def _ahead(ring: _Ring, sent: Sequence[_Sent], other: _Ring, others: Sequence[_Sent]) -> int:
    """How many sends of the pair this ring holds from before the other's first; less than nothing where the other does.

    By the ways of what is over, for what is not may be why the job hangs.
    """
    own, its = (
        np.array([one.ends for one in some[: end.n_done(some)]]).reshape(-1, 2) for end, some in ((ring, sent), (other, others))
    )
    by_done = len(own) - len(its)

    def unlike(ahead: int) -> float:
        mine, theirs = own[max(ahead, 0) :, 0], its[max(-ahead, 0) :, 0]
        n = min(len(mine), len(theirs))
        return float((mine[:n] != theirs[:n]).mean()) if n else 1.0

    return min(range(by_done - _MOST_APART, by_done + _MOST_APART + 1), key=lambda ahead: (unlike(ahead), abs(ahead - by_done)))
