"""Who lacks rows of its collectives: it may have been in these while nothing ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.job.why.lacking_rows import lacks_rows

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOSTLY: Final = 0.5


def lacks_collectives(of: Analysed) -> BoolArray:
    """[rank, step]: whether kernels of its collectives are not in its file, so that it may have been in these while nothing ran;
    of half of the ranks in a step: of all.
    """
    lost = lacks_rows(of.job, of.own)
    lost |= lost.mean(axis=0) >= _MOSTLY
    return lost
