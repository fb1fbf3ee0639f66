"""Whose communication it is: by dimension of the job and by module, as far as one profile tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.intervals import length
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.trace.scope.recorded import MODULES
from tb_plugin.trace.times.breakdown import not_recorded
from tb_plugin.trace.times.exposed_parts import exposed_parts
from tb_plugin.views.overview.result import CommunicationPart, CommunicationParts

if TYPE_CHECKING:
    from typing import Literal

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.times.exposed_parts import TimesOfParts
    from tb_plugin.views.overview.result import Window
    from tb_plugin.views.overview.scope import Scope

MOST_MODULES: Final = 12
"""Rows, with what belongs to none and the others."""

_NOT_ATTRIBUTED: Final = "not attributed"
_ONLY_CALLS: Final = (
    "Not told by dimension and module: only calls that start collectives were recorded, and of these themselves neither kernels "
    "nor ranges of gloo, MPI or UCC."
)
_ON_A_THREAD: Final = "Which module started a collective is not recorded: the host carries them out on threads of their own."


def parts_lack(trace: Trace, window: Window, parts: CommunicationParts | None) -> str | None:
    """Why communication on the host is not told by dimension and module, where there is some."""
    is_told = parts is not None or "communication" in not_recorded(trace)
    return None if is_told or window.communication_ns is not None or not window.breakdown_ns.communication else _ONLY_CALLS


def communication_parts(
    trace: Trace, work: dict[int, Int64Array], is_collective: BoolArray, scope: Scope
) -> CommunicationParts | None:
    found = exposed_parts(trace, work, is_collective, scope.kept_at_any_time, scope.steps.time, scope.counted)
    if found is None:
        return None
    lack = None
    if found.modules is None:
        lack = MODULES.lack(trace) or _ON_A_THREAD
    return CommunicationParts(
        exposed_ns=found.exposed_ns,
        hidden_ns=found.hidden_ns,
        window_ns=length(scope.steps.time) * found.n_devices,
        on_host=found.is_on_host,
        steps=scope.counted_steps,
        dimensions=[_dimension(found.dimensions, at) for at in range(len(found.dimensions.names))],
        modules=[] if found.modules is None else _modules(found.modules),
        modules_lack=lack,
    )


def _dimension(of: TimesOfParts, at: int) -> CommunicationPart:
    name = of.names[at] or NOT_RECORDED
    return _part(of, np.array([at]), name, "by_use" if of.by_use[at] else "nothing" if name == NOT_RECORDED else "described")


def _modules(of: TimesOfParts) -> list[CommunicationPart]:
    """The first ones; what belongs to none is always one of them."""
    every = range(len(of.names))
    shown, rest = list(every), list[int]()
    if len(every) > MOST_MODULES:
        shown = [at for at in every if of.names[at] is None] + [at for at in every if of.names[at] is not None]
        shown = sorted(shown[: MOST_MODULES - 1])
        rest = sorted(set(every) - set(shown))
    rows = [_module(of, at) for at in shown]
    return [*rows, _part(of, np.array(rest), f"{len(rest)} other modules", "others")] if rest else rows


def _module(of: TimesOfParts, at: int) -> CommunicationPart:
    name = of.names[at]
    return _part(of, np.array([at]), _NOT_ATTRIBUTED if name is None else name, "nothing" if name is None else "module")


def _part(
    of: TimesOfParts, at: Int64Array, name: str, told: Literal["described", "by_use", "module", "nothing", "others"]
) -> CommunicationPart:
    known = of.bytes[at][of.bytes[at] != NONE]
    return CommunicationPart(
        name=name,
        exposed_ns=int(of.exposed_ns[at].sum()),
        hidden_ns=int(of.hidden_ns[at].sum()),
        count=int(of.count[at].sum()),
        bytes=int(known.sum()) if len(known) else None,
        n_unsized=int(of.n_unsized[at].sum()),
        told=told,
    )
