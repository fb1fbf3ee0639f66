"""Where each rank stands in the job: its stage of the pipeline, its replica, its host."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array

if TYPE_CHECKING:
    from collections.abc import Collection

    from tb_plugin.job.job import Job
    from tb_plugin.job.own.dimensions import Dimensions

_APART: Final = ("pipeline", "data", "tensor")
"""Dimensions of which each rank has one place of its own: their product is at most the world's size."""

_REPLICATED: Final = "replicate"
"""In the description of a group across replicas: torch's DeviceMesh and torchtitan call it `dp_replicate`."""

_MOST_RANKS: Final = 1 << 32


@dataclass(frozen=True, kw_only=True)
class JobLayout:
    """One value a rank; NONE where the job has no such dimension, or the rank's group is not known.

    `sizes` by dimension; none where they would need more ranks than there are.
    """

    stage: Int64Array
    replica: Int64Array
    tensor: Int64Array
    context: Int64Array
    node: Int64Array
    sizes: dict[str, int]

    def is_stage(self, ranks: Collection[int]) -> bool:
        """Whether these places are all that is here of a stage, beside others."""
        its = self.stage[list(ranks)]
        is_one = len(its) > 0 and its[0] != NONE and bool((its == its[0]).all())
        return is_one and len(ranks) == int((self.stage == its[0]).sum()) < len(self.stage)


def layout(job: Job, of: Dimensions) -> JobLayout:
    sizes: dict[str, int] = {}
    places = {name: _places(job, of, name, sizes) for name in ("pipeline", "data", "tensor", "expert", "context")}
    if job.of.world_size is not None and math.prod(sizes.get(name, 1) for name in _APART) > job.of.world_size:
        sizes = {}
    node = np.array([rank.host for rank in job.of.ranks], np.int64)
    if not job.of.are_hosts_known:
        node = np.full(len(node), NONE, np.int64)
    return JobLayout(
        stage=places["pipeline"],
        replica=places["data"],
        tensor=places["tensor"],
        context=places["context"],
        node=node,
        sizes=sizes,
    )


def _places(job: Job, of: Dimensions, name: str, sizes: dict[str, int]) -> Int64Array:
    """Place of each rank among the members of its largest group of this dimension; of data that are sharded and replicated
    (HSDP) of the group across the replicas.
    """
    found, best = np.full(len(job.of.ranks), NONE, np.int64), np.zeros(len(job.of.ranks), np.int64)
    largest = {False: 0, True: 0}  # by whether it is across replicas
    at = {rank.number: place for place, rank in enumerate(job.of.ranks)}
    for place, group in enumerate(job.table.groups):
        if of.names[of.of_group[place]] != name or group.ranks is None or len(group.ranks) < 2:
            continue
        is_across = _REPLICATED in group.description.lower()
        largest[is_across] = max(largest[is_across], len(group.ranks))
        weight = len(group.ranks) + (_MOST_RANKS if is_across else 0)
        for position, number in enumerate(group.ranks):
            rank = at.get(number)
            if rank is not None and weight > best[rank]:
                best[rank], found[rank] = weight, position
    if any(largest.values()):
        sizes[name] = max(largest[False], 1) * max(largest[True], 1)
    return found
