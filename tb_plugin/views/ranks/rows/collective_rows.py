"""CollectiveRows of dimensions, and of collectives by dimension, kind, ranks and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.whole_mean import whole_mean
from tb_plugin.job.own.own_time import told_shares
from tb_plugin.job.ranks.rows import NAMELESS
from tb_plugin.job.what_if.moving import hidden_share
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.dimensions import SHORT
from tb_plugin.views.ranks.basis.sorts import sort_name, sorts_of
from tb_plugin.views.ranks.basis.whole import whole_told
from tb_plugin.views.ranks.result import CollectiveRow, DimensionRow
from tb_plugin.views.ranks.rows.instance_rows import lasted, longest_of

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.compute.grouping import Groups
    from tb_plugin.views.ranks.basis.analysed import Analysed


def dimension_rows(of: Analysed) -> list[DimensionRow]:
    """The most exposed first. Those without a collective are left out, and those of which none is matched and none exposed, as of
    what was launched before the recording.
    """
    job, found = of.job, of.job.matched
    of_row = of.dimensions.of_rows(job.rows.group)
    of_instance = of.dimensions.of_rows(found.group)
    shares = _shares(of)
    rows = []
    longest = longest_of(of, of_instance, lasted(of))
    for at, name in enumerate(of.dimensions.names):
        mine, instances = of_row == at, of_instance == at
        if not mine.any() or not (instances.any() or shares[at].any()):
            continue
        known = mine & job.waits.is_known
        has, (exposed_wait, exposed_transfer, exposed_untold) = bool(known.any()), shares[at].tolist()
        wait, transfer, untold = (int(each[mine].sum()) for each in (job.waits.wait, job.waits.transfer, job.waits.untold))
        rows.append(
            DimensionRow(
                name=name,
                short=next((short for short, of_short in SHORT.items() if of_short == name), None),
                is_inferred=of.dimensions.inferred[at],
                n_groups=int((of.dimensions.of_group[:-1] == at).sum()),
                n_instances=int((instances & found.is_matched & ~job.is_refused).sum()),
                n_incomplete=int((instances & ~found.is_complete & ~job.is_refused).sum()),
                exposed_wait_ns=whole_told(exposed_wait, exposed_untold) if has else None,
                exposed_transfer_ns=whole_told(exposed_transfer, exposed_untold) if has else None,
                exposed_untold_ns=exposed_untold if has else int(shares[at].sum()),
                exposed_ns=int(shares[at].sum()),
                hidden_transfer_share=hidden_share(job, of.exposed, known),
                wait_ns=whole_told(wait, untold) if has else None,
                transfer_ns=whole_told(transfer, untold) if has else None,
                untold_ns=untold,
                inside_bytes_per_s=_rate(of, instances, between=False),
                between_bytes_per_s=_rate(of, instances, between=True),
                longest_took_ns=longest[at].lasts_ns if at in longest else None,
                longest=longest.get(at),
            )
        )
    return sorted(rows, key=lambda row: -row.exposed_ns)


def _shares(of: Analysed) -> Int64Array:
    """([dimension, (wait, transfer, not told apart)], ns a step, so rounded that they add up to the exposed communication)."""
    rows = np.concatenate(told_shares(of.job, of.exposed))
    return whole_mean(rows.reshape(len(rows), -1)).reshape(rows.shape[1:]) if len(rows) else np.zeros(rows.shape[1:], np.int64)


def _rate(of: Analysed, instances: BoolArray, *, between: bool) -> float | None:
    chosen = instances & np.isfinite(of.links.bandwidth) & (_is_between(of) == between)
    return float(np.median(of.links.bandwidth[chosen])) if chosen.any() else None


def _is_between(of: Analysed) -> BoolArray:
    """Of each instance: do its members stand on several hosts?"""
    job, n = of.job, len(of.job.matched)
    use = np.flatnonzero(job.rows.is_there & (job.matched.of != NONE))
    low, high = np.full(n, np.iinfo(np.int64).max), np.full(n, -1)
    np.minimum.at(low, job.matched.of[use], job.host_of_row[use])
    np.maximum.at(high, job.matched.of[use], job.host_of_row[use])
    several: BoolArray = low < high
    return several


def collective_rows(of: Analysed) -> list[CollectiveRow]:
    """The longest wait and transfer first."""
    job, found = of.job, of.job.matched
    if len(found) == 0:
        return []
    sorts = sorts_of(of)
    size, kind = sorts.size, sorts.kind
    groups = group_by(of.dimensions.of_rows(found.group), kind, found.n_members, sorts.decade)
    sums = {name: _sums(of, groups.of, len(groups), column) for name, column in _columns(of).items()}
    longest, least = longest_of(of, groups.of, lasted(of)), _least_rates(of, groups)
    rows = []
    for group, first in enumerate(groups.first.tolist()):
        mine = groups.of == group
        is_known = bool(of.job.instances.is_known[mine].any())
        wait, transfer, untold, *exposed = (int(each[group]) for each in sums.values())
        rate = of.links.bandwidth[mine & np.isfinite(of.links.bandwidth)]
        transfers = job.instances.transfer[mine & np.isfinite(job.instances.transfer)]
        last, share, n_late = _last(of, mine)
        rows.append(
            CollectiveRow(
                dimension=of.dimensions.names[int(of.dimensions.of_group[found.group[first]])],
                kind=sort_name(int(kind[first])),
                n_ranks=int(found.n_members[first]),
                bytes=int(np.median(size[mine])) if size[first] > 0 else None,
                n_instances=int((mine & found.is_matched).sum()),
                wait_ns=whole_told(wait, untold) if is_known else None,
                transfer_ns=whole_told(transfer, untold) if is_known else None,
                untold_ns=untold,
                exposed_wait_ns=whole_told(exposed[0], exposed[2]) if is_known else None,
                exposed_transfer_ns=whole_told(exposed[1], exposed[2]) if is_known else None,
                exposed_untold_ns=exposed[2],
                median_transfer_ns=round(float(np.median(transfers))) if len(transfers) else None,
                bus_bytes_per_s=float(np.median(rate)) if len(rate) else None,
                low_bus_bytes_per_s=float(np.percentile(rate, 5)) if len(rate) else None,
                least_bus_bytes_per_s=None if is_known else least[group],
                last_rank=last,
                last_share=share,
                n_late=n_late,
                n_mismatches=int((mine & found.is_mismatch).sum()),
                longest_took_ns=longest[group].lasts_ns if group in longest else None,
                longest=longest.get(group),
            )
        )
    return sorted(rows, key=lambda row: -((row.wait_ns or 0) + (row.transfer_ns or 0) + row.untold_ns))


def _least_rates(of: Analysed, groups: Groups) -> list[float | None]:
    """What single ranks tell of these: the highest rate over all that a collective took on a rank, waiting included. Where nobody
    says how large a group is there is none: the factor would be a guess.
    """
    rows, use = of.job.rows, np.flatnonzero(of.job.rows.is_there & (of.job.matched.of != NONE))
    sizes = np.array([*(NONE if one == NAMELESS else one.size for one in of.job.table.groups), NONE], np.int64)
    rate = kinds.least_bus_rate(rows.kind[use], rows.size[use], sizes[rows.group[use]], rows.duration[use])
    most = np.zeros(len(groups))
    np.maximum.at(most, groups.of[of.job.matched.of[use]], np.nan_to_num(rate))
    return [each or None for each in most.tolist()]


def _columns(of: Analysed) -> dict[str, Int64Array]:
    measured = of.job.waits
    return {
        "wait": measured.wait,
        "transfer": measured.transfer,
        "untold": measured.untold,
        "exposed_wait": of.exposed.wait,
        "exposed_transfer": of.exposed.transfer,
        "exposed_untold": of.exposed.untold,
    }


def _sums(of: Analysed, group: Int64Array, n_groups: int, column: Int64Array) -> Int64Array:
    use = np.flatnonzero(of.job.matched.of != NONE)
    return np.bincount(group[of.job.matched.of[use]], weights=column[use], minlength=n_groups).astype(np.int64)


def _last(of: Analysed, mine: BoolArray) -> tuple[int | None, float | None, int]:
    """(rank, its share of the instances in which somebody came 20 us after the others, how many those are). No rank where several
    did so as often: the share is then that of each; no share where nobody did.
    """
    found = of.job.instances
    use = mine & found.has_last
    if not use.any():
        return None, None, 0
    counted = np.bincount(of.job.rows.rank[found.last[use]], minlength=len(of.job.of.ranks))
    share = float(counted.max() / counted.sum())
    is_one = (counted == counted.max()).sum() == 1
    return of.job.of.ranks[int(counted.argmax())].number if is_one else None, share, int(use.sum())
