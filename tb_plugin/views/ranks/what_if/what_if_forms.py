"""Which edits a job has an answer to: what the page offers beside the field in which they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST: Final = 4
"""Of one kind; that there are others of it, `definitions.md` says."""


def forms_of(of: Analysed) -> list[str]:
    """Who is blamed first, then slow links, then what each job has: ranks, stages, hosts, replicas and transfers by dimension. Of
    the ranks that a replay has.
    """
    place, job, tied = of.layout, of.job.of, of.job.tied
    name_of = {"host": job.hosts, "rank": job.numbers}
    blamed = [
        f"{one.level}={name_of[one.level][one.number] if one.level in name_of else one.number}"
        for one, *_ in of.stragglers
        if np.isin(one.members, tied).any()
    ]
    usual = [] if of.links.slow is None else ["links=usual"]
    numbers = [job.numbers[each] for each in tied.tolist()]
    ranks = ["rank=all", *(f"rank={number}" for number in numbers[:_MOST])] if len(numbers) > 1 else []
    stages = _each("stage", place.stage[tied])
    even = ["stages=even"] if stages and not (place.stage == NONE).any() else []
    there = [job.hosts[each] for each in distinct(np.array([rank.host for rank in job.ranks])[tied]).tolist()]
    hosts = [f"host={name}" for name in there[:_MOST]] if job.are_hosts_known and len(there) > 1 else []
    parts = [f"transfer:{name}=0" for name in of.dimensions.names if name != NOT_RECORDED]
    found = [
        *blamed[:_MOST],
        *usual,
        "ideal",
        *ranks,
        *even,
        *stages,
        *hosts,
        *_each("replica", place.replica[tied]),
        "transfer=0",
        *parts,
    ]
    return list(dict.fromkeys(found))


def _each(what: str, number: Int64Array) -> list[str]:
    """Nothing where one of them is all of the job: none is left to be like."""
    there = np.unique(number[number != NONE]).tolist()
    return [f"{what}={each}" for each in there[:_MOST]] if len(there) > 1 else []
