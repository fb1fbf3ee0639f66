"""How fast data moves between each two hosts, against what is usual: the slowest of the sets of hosts that both stand in.

       node0  node1  node2  node3
node0    100     99             -       percent of the usual bus rate; within a host on the diagonal
node1     99    101     25            a set of more than two hosts counts for each two of them
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.track_names import natural

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST_HOSTS: Final = 128


def between_hosts(of: Analysed, names: Container[str]) -> tuple[list[str], list[list[int | None]], list[list[int | None]]]:
    """(hosts, percent of each two, the lowest rank of the row's host), of hosts that have something to compare.

    The slowest where they are too many. `names`: of the dimensions that count.
    """
    least: dict[tuple[int, int], float] = {}
    worst: dict[int, float] = {}
    for one in of.links.sets:
        share = one.told_of_usual
        if share is None or one.dimension not in names:
            continue
        for host in one.hosts:
            worst[host] = min(worst.get(host, share), share)
            for other in one.hosts:
                if host != other or len(one.hosts) == 1:
                    least[host, other] = min(least.get((host, other), share), share)
    slowest = set(sorted(worst, key=worst.__getitem__)[:_MOST_HOSTS])
    hosts = [host for host in by_name(of.job.of.hosts) if host in slowest]
    values = [[None if (share := least.get((host, other))) is None else round(100 * share) for other in hosts] for host in hosts]
    lowest = {rank.host: rank.number for rank in reversed(of.job.of.ranks)}
    return [of.job.of.hosts[host] for host in hosts], values, [[lowest[host]] * len(hosts) for host in hosts]


def by_name(hosts: Sequence[str]) -> list[int]:
    """Places of hosts as one looks for them, `r2-node0001` before `r10-node0001`: those of a rack beside each other."""
    return sorted(range(len(hosts)), key=lambda at: (natural(hosts[at]), at))
