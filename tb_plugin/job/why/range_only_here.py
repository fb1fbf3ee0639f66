"""Ranges of its own code that tell of a straggler: one that none of its peers runs, with most of what it computes longer in it;
and on CPUs one in which it is longer between operators, as in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler

_MOST_OF: Final = 0.6
_AS_MUCH: Final = 0.98
"""Of ranges within each other that hold as much the innermost is named."""


def range_only_here(job: Job, straggler: Straggler, amount: float) -> str | None:
    """`amount`: ns of a mean late step of a member. None also where a peer's ranges are not known."""
    ranks = [job.of.ranks[place] for place in straggler.peers]
    if not ranks or any(rank.ranges is None or not rank.summary.has_ranges for rank in ranks):
        return None
    of_peers = {name for name, _, _ in _ranges(job, straggler, straggler.peers)}
    computing: dict[str, int] = {}
    total: dict[str, int] = {}
    for name, computed, lasted in _ranges(job, straggler, straggler.members):
        if name not in of_peers:
            computing[name], total[name] = computing.get(name, 0) + computed, total.get(name, 0) + lasted
    most = max(computing.values(), default=0)
    if most < _MOST_OF * amount * len(straggler.members) * len(straggler.late_steps) or most == 0:
        return None
    return min((name for name in computing if computing[name] >= _AS_MUCH * most), key=total.__getitem__)


def range_between_operators(job: Job, straggler: Straggler, amount: float) -> tuple[str, float] | None:
    """And how much longer it is there without an operator, ns of a mean late step of a member, where that is most of `amount`."""
    ranks = [job.of.ranks[place] for place in (*straggler.members, *straggler.peers)]
    if amount <= 0 or any(not rank.summary.is_on_host or rank.ranges is None for rank in ranks):
        return None
    of_peers, n_steps = _between(job, straggler, straggler.peers), len(straggler.late_steps)
    its = _between(job, straggler, straggler.members)
    more = {name: (ns - of_peers.get(name, 0) * len(straggler.members) / len(straggler.peers)) for name, ns in its.items()}
    most = max(more.values(), default=0.0)
    if most < _MOST_OF * amount * len(straggler.members) * n_steps:
        return None
    name = min((each for each in more if more[each] >= _AS_MUCH * most), key=its.__getitem__)
    return name, more[name] / len(straggler.members) / n_steps


def _between(job: Job, straggler: Straggler, places: Sequence[int]) -> dict[str, int]:
    """In each range without an operator, ns."""
    found = dict[str, int]()
    for name, computed, lasted in _ranges(job, straggler, places):
        found[name] = found.get(name, 0) + lasted - computed
    return found


def _ranges(job: Job, straggler: Straggler, places: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """(name, computed, lasted) of each late step of these ranks."""
    for rank in (job.of.ranks[place] for place in places):
        if rank.ranges is not None:
            late = np.flatnonzero(np.isin(rank.ranges["step"], straggler.late_steps))
            columns = (rank.ranges[column][late].tolist() for column in ("name", "computing", "total"))
            for name, computed, lasted in zip(*columns, strict=True):
                yield rank.summary.range_names[name], computed, lasted
