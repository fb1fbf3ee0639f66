"""What the step gains if the calls of a row, with all that they call and launch, took 10 % less time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.replay.effects import FASTER
from tb_plugin.replay.less import Less
from tb_plugin.replay.row_effects import row_effects
from tb_plugin.trace.times.operator_times import STEP_KEY

if TYPE_CHECKING:
    from tb_plugin.compute.grouping import Groups
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.times.operator_times import OperatorTimes
    from tb_plugin.views.operators.result import OperatorRow, OperatorsParams


def with_effects(
    trace: Trace, params: OperatorsParams, times: OperatorTimes, groups: Groups, rows: list[OperatorRow]
) -> tuple[list[OperatorRow], str | None]:
    """(the rows, in the order of their groups; why none has an effect). Steps are no row that could be faster."""
    by_time = sorted(range(len(rows)), key=lambda at: (-rows[at].device_self_ns, -(rows[at].host_self_ns or 0)))
    asked = [at for at in by_time if rows[at].name != STEP_KEY][: params.effects]
    found = row_effects(
        trace,
        params.steps,
        asked,
        lambda at: Less(host=times.row[np.flatnonzero(groups.of == at)], host_factor=FASTER, launched_factor=FASTER),
    )
    for at, effect in found.of.items():
        rows[at] = msgspec.structs.replace(rows[at], effect_ns=effect.gain_ns, effect_share=effect.share)
    return rows, found.why_not
