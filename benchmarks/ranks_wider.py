"""A job of more data-parallel replicas, as one of that size writes it, made from the summaries of a smaller one.

number of a rank    (stage, replica, tensor rank), counted as Megatron does: replicas lie beside each other in each stage
group               of data parallelism: of all replicas, so it ties them, and there are no more of these than before;
                    the others: one a copy
clock               of each copy 1 us later than that of the one before, as if its hosts' were wrong by that

Copies do everything at the same time, so nothing ends before the last member has come. Sequence numbers are counted by a group,
and stay; of what is sharded over the replicas each has a smaller part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.ranks.ranks import RankProfile
from tb_plugin.trace.collectives.kinds import ALL_GATHER, REDUCE_SCATTER
from tb_plugin.trace.rank.packed import packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.collectives.groups import ProcessGroup
    from tb_plugin.trace.rank.summary import RankSummary

_KINDS = ("DATA_PARALLEL_GROUP", "TENSOR_MODEL_PARALLEL_GROUP", "PIPELINE_MODEL_PARALLEL_GROUP", "MODEL_PARALLEL_GROUP")
"""In the order in which they are made, and so are numbered from 1."""

_Key = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, kw_only=True)
class _Wider:
    """How many ranks of the smaller job are in a stage, and how many copies of each there are now."""

    in_stage: int
    times: int

    def number(self, before: Int64Array, replica: int) -> Int64Array:
        stage, place = np.divmod(before, self.in_stage)
        found: Int64Array = (stage * self.times + replica) * self.in_stage + place
        return found

    def group(self, before: ProcessGroup, replica: int) -> _Key:
        """Its description and members."""
        copies = range(self.times) if before.description == _KINDS[0] else (replica,)
        members = np.concatenate([self.number(np.array(before.ranks), copy) for copy in copies])
        return before.description, tuple(np.sort(members).tolist())


def replicated(found: Sequence[RankProfile], times: int) -> list[RankProfile]:
    """`times` as many replicas; of ranks with Megatron's four kinds of groups."""
    n_stages = max(len(group.ranks or ()) for one in found for group in one.summary.groups if group.description == _KINDS[2])
    wider = _Wider(in_stage=len(found) // n_stages, times=times)
    keys = {wider.group(group, copy) for one in found for group in one.summary.groups for copy in range(times)}
    in_order = sorted(keys, key=lambda key: (_KINDS.index(key[0]), key[1]))
    names = {key: str(nth) for nth, key in enumerate(in_order, 1)}
    more = [_copy(one.summary, copy, len(found), wider, names) for copy in range(times) for one in found]
    return [
        RankProfile(run=found[0].run, worker=f"rank{one.rank}", span="1", label=f"rank {one.rank}", summary=one)
        for one in sorted(more, key=lambda one: one.rank or 0)
    ]


def _copy(summary: RankSummary, replica: int, n_ranks: int, wider: _Wider, names: dict[_Key, str]) -> RankSummary:
    keys = [wider.group(group, replica) for group in summary.groups]
    table = unpacked(summary.collectives)
    table["peer"] = np.where(table["peer"] == NONE, NONE, wider.number(table["peer"], replica))
    is_data = np.array([key[0] == _KINDS[0] for key in keys])[table["group"]] & (table["group"] != NONE)
    for kind, part in ((ALL_GATHER, "bytes_in"), (REDUCE_SCATTER, "bytes_out")):
        is_part = is_data & (table["kind"] == kind)
        table[part] = np.where(is_part, table[part] // wider.times, table[part])
    return msgspec.structs.replace(
        summary,
        rank=int(wider.number(np.array(summary.rank), replica)),
        world_size=n_ranks * wider.times,
        host=f"r{replica}-{summary.host}",
        groups=[
            msgspec.structs.replace(group, name=names[key], size=len(key[1]), ranks=key[1])
            for group, key in zip(summary.groups, keys, strict=True)
        ],
        collectives=packed(table),
        base_ns=summary.base_ns + 1000 * replica,
    )
