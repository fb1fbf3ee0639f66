"""Calls that wait for the device of which a straggler makes more than its peers, and what its device idles after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.stragglers import Straggler

_LEAST_MORE: Final = 0.5
_AS_MUCH: Final = 0.8
"""Of what is idle after calls, and of how many more there are: those within each other differ by less."""

_COUNT, _TOTAL, _IDLE = range(3)


class MoreWaits(NamedTuple):
    """In a mean late step. `idle_ns`: more than on its peers."""

    name: str
    n_own: float
    n_usual: float
    idle_ns: float


def more_waits(job: Job, straggler: Straggler) -> MoreWaits | None:
    """Of those within each other the one that is called most often more, of as many the outermost. None also where what a rank
    waited in is not known.
    """
    if any(job.of.ranks[place].device_waits is None for place in (*straggler.members, *straggler.peers)):
        return None
    own, of_peers = (_by_name(job, places, straggler.late_steps) for places in (straggler.members, straggler.peers))
    found: dict[MoreWaits, float] = {}
    for name, each in own.items():
        least, usual = each.min(axis=0), np.median(of_peers[name], axis=0) if name in of_peers else np.zeros(3)
        if least[_COUNT] - usual[_COUNT] >= _LEAST_MORE:
            more = MoreWaits(name, float(least[_COUNT]), float(usual[_COUNT]), float(least[_IDLE] - usual[_IDLE]))
            found[more] = float(least[_TOTAL] - usual[_TOTAL])
    longest = max((each.idle_ns for each in found), default=0.0)
    after = [each for each in found if each.idle_ns >= _AS_MUCH * longest > 0]
    most = max((each.n_own - each.n_usual for each in after), default=0.0)
    return max((each for each in after if each.n_own - each.n_usual >= _AS_MUCH * most), key=found.__getitem__, default=None)


def _by_name(job: Job, places: Sequence[int], steps: Sequence[int]) -> dict[str, Float64Array]:
    """[of these ranks, count, total and idle] of each name, in the mean of these steps."""
    found: dict[str, Float64Array] = {}
    for nth, rank in enumerate(job.of.ranks[place] for place in places):
        waits = rank.device_waits or {}
        rows = np.flatnonzero(np.isin(waits["step"], steps))
        columns = np.column_stack([waits[name][rows] for name in ("count", "total", "idle")])
        for name, row in zip(waits["name"][rows].tolist(), columns, strict=True):
            of_name = found.setdefault(rank.summary.wait_names[name], np.zeros((len(places), 3)))
            of_name[nth] += row / len(steps)
    return found
