"""Clocks of hosts, and the speed between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.views.ranks.basis.names import ranges
from tb_plugin.views.ranks.basis.sorts import sort_name
from tb_plugin.views.ranks.result import HostRow, LinkRow
from tb_plugin.views.ranks.rows.instance_rows import longest_of

if TYPE_CHECKING:
    from collections.abc import Container

    from tb_plugin.job.links.host_set import HostSet, SetKey
    from tb_plugin.views.ranks.basis.analysed import Analysed


def host_rows(of: Analysed) -> list[HostRow]:
    """In the order of their lowest rank."""
    job, clocks = of.job, of.job.clocks
    counted = np.bincount([rank.host for rank in job.of.ranks], minlength=len(job.of.hosts))
    hosts = np.arange(len(job.of.hosts))
    error = clocks.error_at(hosts, clocks.middle_ns[hosts])
    is_alone = np.bincount(clocks.component)[clocks.component] == 1
    lowest = {rank.host: rank.number for rank in reversed(job.of.ranks)}  # these are in the order of their numbers
    rows = []
    for at, host in enumerate(job.of.hosts):
        is_known = len(hosts) == 1 or not is_alone[at]
        rows.append(
            HostRow(
                host=host,
                n_ranks=int(counted[at]),
                first_rank=lowest[at],
                component=int(clocks.component[at]),
                offset_ns=round(float(clocks.offset_ns[at])) if is_known else None,
                drift_ppm=float(clocks.drift[at] * 1e6) if is_known else None,
                drift_error_ppm=float(clocks.drift_error[at] * 1e6) if is_known else None,
                error_ns=round(float(error[at])) if is_known else None,
            )
        )
    return rows


def link_rows(of: Analysed) -> list[LinkRow]:
    """The slowest against its like first."""
    names = of.job.of.hosts
    set_of = np.full(len(of.job.matched), NONE, np.int64)
    for nth, one in enumerate(of.links.sets):
        set_of[list(one.instances)] = nth
    longest = longest_of(of, set_of, of.job.instances.transfer)
    at_times = {one.key for one in of.links.sets if one.steps}
    rows = [
        LinkRow(
            hosts=", ".join(names[host] for host in one.hosts),
            dimension=one.dimension,
            kind=sort_name(one.kind),
            pair=_who(of, one),
            steps=_steps(of, one, at_times),
            n_ranks=one.n_ranks,
            n_instances=one.n_instances,
            bus_bytes_per_s=one.bandwidth,
            rate_is="at least" if one.is_at_least else "median",
            of_usual_share=one.told_of_usual,
            is_slow=one.is_slow and (len(one.hosts) > 1 or bool(one.ranks)),
            longest_took_ns=longest[nth].transfer_ns if nth in longest else None,
            longest=longest.get(nth),
        )
        for nth, one in enumerate(of.links.sets)
    ]
    return sorted(rows, key=lambda row: 2.0 if row.of_usual_share is None else row.of_usual_share)


def _who(of: Analysed, one: HostSet) -> str | None:
    """`4, 6`, or `4 to 6` of one direction."""
    numbers = of.job.of.numbers
    if one.direction:
        return " to ".join(str(numbers[place]) for place in one.direction)
    return ranges(sorted(numbers[place] for place in one.ranks)) or None


def _steps(of: Analysed, one: HostSet, at_times: Container[SetKey]) -> str | None:
    """Of a set of which a part is slow at times, and of that part."""
    if one.key not in at_times:
        return None
    last = of.job.instances.last[list(one.instances)]
    steps = one.steps or distinct(of.job.rows.step[last[last != NONE]]).tolist()
    return ranges([step for step in steps if step != NONE]) or None
