"""What the step gains if a module, forward and backward and with all below it, took 10 % less time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.replay.effects import FASTER
from tb_plugin.replay.less import Less
from tb_plugin.replay.row_effects import row_effects
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, is_kind
from tb_plugin.trace.modules.paths import module_paths

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.modules.result import ModuleRow, ModulesParams


def with_effects(trace: Trace, params: ModulesParams, rows: list[ModuleRow]) -> tuple[list[ModuleRow], str | None]:
    """(the rows; why none has an effect). Filters but that for steps do not cut a module: it is faster as a whole."""
    modules = [at for at, row in enumerate(rows) if row.kind == "module"]
    # Of classes their heads are what is seen first.
    by_class = params.group_by != "instance" and any(rows[at].instances > 1 for at in modules)
    modules.sort(key=lambda at: (by_class and rows[at].parent is not None, -rows[at].device.total_ns, -_host_ns(rows[at])))
    found = row_effects(trace, params.steps, modules[: params.effects], lambda at: _faster(trace, rows[at].path))
    for at, effect in found.of.items():
        rows[at] = msgspec.structs.replace(rows[at], effect_ns=effect.gain_ns, effect_share=effect.share)
    return rows, found.why_not


def _host_ns(row: ModuleRow) -> int:
    return 0 if row.host is None else row.host.total_ns


def _faster(trace: Trace, path: str) -> Less:
    inside, kind = module_paths(trace).rows_in(path), trace.events.kind
    host, work = (np.flatnonzero(inside & is_kind(kind, kinds)) for kinds in (HOST_KINDS, DEVICE_KINDS))
    return Less(host=host, host_factor=FASTER, work=work, work_factor=FASTER)
