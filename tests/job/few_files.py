"""Late ranks of a made-up job, out of how long each of its ranks works in each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.late.stragglers import stragglers
from tb_plugin.job.own.layout import JobLayout
from tb_plugin.job.own.own_time import ALSO, PARTS, OwnTime

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.late.stragglers import Straggler

MS: Final = 1_000_000


def found_in(work: Float64Array, stage: Int64Array | None = None, /, **idle: Float64Array) -> list[Straggler]:
    """`stage`: of each rank; `idle`: of what of it events tell."""
    return found_of({"computation": work, **idle}, stage)


def found_of(told: dict[str, Float64Array], stage: Int64Array | None = None) -> list[Straggler]:
    """`told`: of computation and what is idle."""
    work = told["computation"]
    none, nothing = np.full(len(work), NONE), np.zeros_like(work)
    own = nothing + sum(told.values())
    parts = dict.fromkeys((*PARTS, *ALSO), nothing) | {"idle": own - work} | told
    of = OwnTime(number=np.arange(work.shape[1]), step=1.5 * own, wait=own / 2, untold=nothing, own=own, parts=parts)
    place = JobLayout(stage=none if stage is None else stage, replica=none, tensor=none, context=none, node=none, sizes={})
    return stragglers(of, place, with_idle=True)
