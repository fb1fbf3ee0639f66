"""What a step would be if the one that is waited for were like its peers: one edit of the replay, by the cause.

    slow_kernels, some_kernels, more_work    its kernels' times x (computation of the peers / its own)
    input                                    its loader's time as long as the peers'
    launches                                 its host's times x (the peers' / its own)
    pause, collection                        the longest time between two launches as long as the peers' longest
    slow link                                transfers of the slow sets / how much slower they are

Each is replayed alone. Nothing is said where the cause is not known, or the replay does not give the recorded steps back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.causes import Cause
    from tb_plugin.job.job import Job
    from tb_plugin.job.own_time import OwnTime
    from tb_plugin.job.replay import Replay
    from tb_plugin.job.stragglers import Straggler


class Without(NamedTuple):
    """Length of each step by its number, ns: as it was, and without the one that is blamed."""

    was: dict[int, float]
    would_be: dict[int, float]


def without(of: Replay, own: OwnTime, straggler: Straggler, cause: Cause) -> Without | None:
    lag = of.lag.copy()
    for rank in straggler.members:
        for number in straggler.late_steps:
            rows = np.flatnonzero((of.rank == rank) & (of.step == number))
            if not _edit(of, own, straggler, cause, lag, rank, number, rows):
                return None
    return Without(of.steps(of.lag, of.own), of.steps(lag, of.own))


def without_slow_link(of: Replay, job: Job, instances: Int64Array, factor: float) -> Without | None:
    """`instances`: those of the slow sets."""
    lag = of.lag.copy()
    rows = np.flatnonzero(of.length_edge != NONE)
    of_job = np.where(of.is_collective[rows], of.what[rows], NONE)
    slow = rows[(of_job != NONE) & np.isin(job.matched.of[of_job], instances)]
    lag[of.length_edge[slow]] /= factor
    return Without(of.steps(of.lag, of.own), of.steps(lag, of.own))


def _edit(
    of: Replay,
    own: OwnTime,
    straggler: Straggler,
    cause: Cause,
    lag: Float64Array,
    rank: int,
    number: int,
    rows: Int64Array,
) -> bool:
    """Changes `lag`; False where the cause says nothing that could be changed."""
    host = of.host_edge[rows]
    host, loader = host[host != NONE], of.loader[rows][host != NONE]
    if cause.id in ("slow_kernels", "some_kernels", "more_work"):
        chunks = rows[of.is_chunk[rows]]
        lag[of.length_edge[chunks]] *= _share(own, straggler, "computation", rank, number)
        return True
    if cause.id == "input":
        lag[host] = np.maximum(lag[host] - loader * (1 - _share(own, straggler, "loader", rank, number)), 0.0)
        return True
    if cause.id == "launches":
        lag[host] = (lag[host] - loader) * _host_share(of, straggler, rank, number) + loader
        return True
    if cause.id in ("pause", "collection") and len(host):
        longest = host[int(np.argmax(lag[host] - loader))]
        usual = _usual_longest(of, straggler, number)
        if lag[longest] - usual < cause.amount_ns / 2:
            return False
        lag[longest] = usual
        return True
    return False


def _usual_longest(of: Replay, straggler: Straggler, number: int) -> float:
    """The longest time between two launches of a step that is not the loader's: the median of the peers'."""
    found = []
    for other in np.setdiff1d(of.rank, straggler.members).tolist():
        rows = np.flatnonzero((of.rank == other) & (of.step == number))
        host = of.host_edge[rows]
        spent = of.lag[host[host != NONE]] - of.loader[rows][host != NONE]
        found.append(float(spent.max(initial=0.0)))
    return float(np.median(found)) if found else 0.0


def _share(own: OwnTime, straggler: Straggler, part: str, rank: int, number: int) -> float:
    """What the peers have of this part of a step, of what this rank has."""
    column = int(np.searchsorted(own.number, number))
    values = own.parts[part][:, column]
    others = np.delete(values, list(straggler.members))
    others = others[np.isfinite(others)]
    mine = float(values[rank])
    return min(float(np.median(others)) / mine, 1.0) if len(others) and mine > 0 else 1.0


def _host_share(of: Replay, straggler: Straggler, rank: int, number: int) -> float:
    """The peers' host time of a step between launches, of this rank's; neither the loader nor waiting for the device counts."""
    total = []
    for other in np.unique(of.rank).tolist():
        rows = np.flatnonzero((of.rank == other) & (of.step == number))
        host = of.host_edge[rows]
        spent = float((of.lag[host[host != NONE]] - of.loader[rows][host != NONE]).sum())
        if other == rank:
            mine = spent
        elif other not in straggler.members:
            total.append(spent)
    return min(float(np.median(total)) / mine, 1.0) if total and mine > 0 else 1.0
