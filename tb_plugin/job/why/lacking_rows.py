"""Who lacks rows of its collectives: it may have been in these while nothing ran; that it stood still by itself is not known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.why.cause import Cause

_MOSTLY: Final = 0.5
_STANDS_STILL: Final = ("pause", "idle", "launches", "more_launches")


def lacks_rows(job: Job, own: OwnTime) -> BoolArray:
    """[rank, step]: whether kernels of its collectives are not in its file, or in the step it has none of a group that it is in
    and most of the others have.
    """
    rows = job.rows
    lost = np.zeros(own.step.shape, np.bool_)
    of_step = np.isin(rows.step, own.number)
    gone = np.flatnonzero(~rows.is_there & of_step)
    lost[rows.rank[gone], np.searchsorted(own.number, rows.step[gone])] = True
    lost |= (np.bincount(rows.rank[rows.is_there], minlength=len(lost)) == 0)[:, None]
    places = {number: place for place, number in enumerate(job.of.numbers)}
    use = np.flatnonzero(of_step & rows.is_there & ~rows.is_between_two & (rows.group != NONE))
    use = use[np.argsort(rows.group[use], kind="stable")]
    groups, first = np.unique(rows.group[use], return_index=True)
    for group, its in zip(groups.tolist(), np.split(use, first)[1:], strict=True):
        members = [places[number] for number in job.table.groups[group].ranks or () if number in places]
        has = np.zeros(own.step.shape, np.bool_)
        has[rows.rank[its], np.searchsorted(own.number, rows.step[its])] = True
        if members and not has[members].all():
            lost[members] |= ~has[members] & (has[members].mean(axis=0) > _MOSTLY) & np.isfinite(own.step[members])
    return lost


def but_lost(told: tuple[Straggler, Cause], lost: BoolArray) -> tuple[Straggler, Cause] | None:
    """Without what it stands still for no recorded reason in steps of which a member lacks collectives; None: that is all."""
    one, cause = told
    if not lost[list(one.members)][:, one.excess_ns > 0].any():
        return told
    if _is_unknown(cause):
        if cause.also is None or _is_unknown(cause.also):
            return None
        return _less(one, cause.amount_ns), cause.also
    if cause.also is not None and _is_unknown(cause.also):
        return _less(one, cause.also.amount_ns), replace(cause, also=None)
    return told


def _is_unknown(cause: Cause) -> bool:
    return cause.id in _STANDS_STILL and cause.event is None


def _less(one: Straggler, ns: float) -> Straggler:
    share = max(one.mean_excess_ns - ns, 0.0) / one.mean_excess_ns
    return replace(one, excess_ns=one.excess_ns * share, told_ns=one.told_ns * share, explained_ns=one.explained_ns * share)
