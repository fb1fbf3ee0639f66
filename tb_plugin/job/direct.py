"""Which kinds of collectives hold up the next kernel, told over all ranks of the job: where one does not tell, others do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE
from tb_plugin.trace.rank.sends import SAID, SEEN

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.job.job import Job

_MOST: Final = 0.5
_MOST_SENDS: Final = 0.95
"""A send runs beside kernels, unless practically all of its kind that tell were waited for."""


class Direct(NamedTuple):
    """Of each of the job's rows."""

    holds_up: BoolArray  # most of its group's description and kind that tell do
    is_told: BoolArray  # one of them at least tells

    def kept(self, job: Job, place: int) -> BoolArray:
        """Of a rank's needs those that are edges."""
        rank = job.of.ranks[place]
        row = rank.order["what"][rank.needs["collective"]] + int(np.searchsorted(job.rows.rank, place))
        how = rank.needs["is_sure"]
        is_sure = np.where(job.rows.kind[row] == kinds.SEND, how == SAID, how >= SEEN)
        kept: BoolArray = is_sure | self.holds_up[row]
        return kept


def direct(job: Job) -> Direct:
    """Every rank has its order of launches."""
    of_row = _classes(job)
    n = int(of_row.max(initial=0)) + 1
    held, told = np.zeros(n), np.zeros(n)
    for place, rank in enumerate(job.of.ranks):
        first = int(np.searchsorted(job.rows.rank, place))
        kind, needs = rank.order["kind"], rank.needs
        collective = np.flatnonzero(kind == COLLECTIVE)
        collective = collective[collective < np.flatnonzero(kind == CHUNK).max(initial=-1)]
        is_sure = needs["is_sure"] >= SEEN
        of_class = of_row[rank.order["what"][collective] + first]
        told += np.bincount(of_class[~np.isin(collective, needs["collective"][~is_sure])], minlength=n)
        yes = distinct(needs["collective"][is_sure & (kind[needs["row"]] == CHUNK)])
        held += np.bincount(of_row[rank.order["what"][yes] + first], minlength=n)
    is_send = np.arange(n) % len(kinds.KINDS) == kinds.SEND
    return Direct((held > told * np.where(is_send, _MOST_SENDS, _MOST))[of_row], (told > 0)[of_row])


def untold_sends(job: Job) -> int:
    """How many sends there are of which no file tells whether kernels wait for them."""
    sends = job.rows.kind == kinds.SEND
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
