"""By where in the code events come from: the user's line, the module, the whole call stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.groupings.grouping import Grouping, Keys, Part
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.memory.callers import operators_around
from tb_plugin.trace.modules.call_sites import call_sites
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.modules.stacks import stacks
from tb_plugin.trace.scope.recorded import FRAMES, MODULES, STACKS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.scope.recording import Recording


def _call_sites(trace: Trace, rows: Int64Array) -> Keys:
    sites = call_sites(trace)
    return _placed(trace, rows, sites.of_row.__getitem__, sites.texts, STACKS)


def _modules(trace: Trace, rows: Int64Array) -> Keys:
    paths = module_paths(trace)
    return _placed(trace, rows, paths.of_rows, paths.texts, MODULES)


def _placed(
    trace: Trace,
    rows: Int64Array,
    of_rows: Callable[[Int64Array], npt.NDArray[np.integer]],
    texts: Sequence[str],
    needs: Recording,
) -> Keys:
    if not texts:
        return Keys(parts={"name": Part(np.full(len(rows), NONE), str)}, missing=needs.why_not(trace))
    place = of_rows(rows).astype(np.int64)
    # Allocations with rounded times hang in no tree: then what holds for the operator open at that time.
    lost = np.flatnonzero((place == NONE) & (trace.events.kind[rows] == Kind.MEMORY))
    if len(lost):
        operator = operators_around(trace, rows[lost])
        place[lost] = np.where(operator == NONE, NONE, of_rows(operator))
    return Keys(parts={"name": Part(place, texts.__getitem__)})


def _stacks(trace: Trace, rows: Int64Array) -> Keys:
    found, strings = stacks(trace, rows), trace.strings

    def frames(stack: int) -> list[str]:
        return [strings[name] for name in found.frames(stack)]

    return Keys(parts={"name": Part(found.of, lambda stack: "\n".join(frames(stack)))}, missing=FRAMES.lack(trace), frames=frames)


CALL_SITE: Final = Grouping(id="call_site", title="call site", keys=_call_sites, lacks=STACKS.lack)
MODULE: Final = Grouping(id="module", title="module", keys=_modules, lacks=MODULES.lack)
STACK: Final = Grouping(id="stack", title="call stack", keys=_stacks, lacks=FRAMES.lack)
