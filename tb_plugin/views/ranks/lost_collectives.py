"""Who lacks rows of its collectives: it may have been in these while nothing ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.views.ranks.analysed import Analysed

_MOSTLY: Final = 0.5


def lacks_collectives(of: Analysed) -> BoolArray:
    """[rank, step]: whether kernels of its collectives are not in its file, so that it may have been in these while nothing ran;
    of half of the ranks in a step: of all.
    """
    rows = of.job.rows
    lost = np.zeros(of.own.step.shape, np.bool_)
    gone = np.flatnonzero(~rows.is_there & np.isin(rows.step, of.own.number))
    lost[rows.rank[gone], np.searchsorted(of.own.number, rows.step[gone])] = True
    lost |= (np.bincount(rows.rank[rows.is_there], minlength=len(lost)) == 0)[:, None]
    lost |= lost.mean(axis=0) >= _MOSTLY
    return lost
