"""One recording under two ranks: a file was copied, or its rank was written wrong.

No two ranks compute and communicate at the same nanoseconds. Which of the two numbers is wrong their process groups say: who
takes part in a group is one of its members. Where they do not, the lower number stays. The same rank twice is not looked at.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.job.ranks.ranks import number_of
from tb_plugin.trace.rank.packed import unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.ranks.ranks import RankProfile
    from tb_plugin.trace.rank.summary import RankSummary


def copies(found: Sequence[RankProfile]) -> list[RankProfile]:
    """Those whose recording is another rank's, without the one that it belongs to."""
    alike: defaultdict[tuple[object, ...], list[RankProfile]] = defaultdict(list)
    for one in found:
        if number_of(one) is not None and one.summary.collectives.n_rows + one.summary.computing.n_rows:
            alike[_times(one.summary)].append(one)
    others = []
    for same in alike.values():
        if len({number_of(one) for one in same}) > 1:
            first = min(same, key=lambda one: (not is_in_its_groups(one), number_of(one)))
            others += [one for one in same if is_copy(one, first)]
    return others


def is_copy(one: RankProfile, other: RankProfile) -> bool:
    """Whether both are one recording under two ranks."""
    a, b = one.summary, other.summary
    return (
        number_of(one) != number_of(other)
        and _times(a) == _times(b)
        and (a.host, a.device_index, a.groups) == (b.host, b.device_index, b.groups)
        and (a.collectives, a.computing, a.work) == (b.collectives, b.computing, b.work)
    )


def is_in_its_groups(one: RankProfile) -> bool:
    """Whether its number is among the members of each group that it took part in; true where no members are known."""
    return all(number_of(one) in ranks for ranks in _members(one))


def has_members(one: RankProfile) -> bool:
    """Whether it says who is in some group that it took part in."""
    return bool(_members(one))


def _members(one: RankProfile) -> list[tuple[int, ...]]:
    used = np.unique(unpacked(one.summary.collectives)["group"])
    return [group.ranks for place, group in enumerate(one.summary.groups) if place in used and group.ranks is not None]


def _times(of: RankSummary) -> tuple[object, ...]:
    return of.base_ns, of.start_ns, of.end_ns, of.n_events, of.world_size
