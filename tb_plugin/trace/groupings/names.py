"""By name, and by name and input shapes. All steps have one name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.groupings.grouping import Grouping, Keys, Part, no_lack
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.trace.scope.recorded import SHAPES as RECORDED_SHAPES
from tb_plugin.trace.times.operator_times import STEP_KEY, name_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace


def named(trace: Trace, rows: Int64Array) -> dict[str, Part]:
    """The parts of a name. The kind tells a range from an operator of the same name."""
    return {
        "name": Part(name_keys(trace, rows), key_words(trace)),
        "kind": Part(trace.events.kind[rows], _kind),
    }


def key_words(trace: Trace) -> Callable[[int], str]:
    """The text of a number of `name_keys`."""
    strings = trace.strings
    return lambda key: strings[key] if key < len(strings) else STEP_KEY


def _kind(kind: int) -> str:
    # What most rows are is not said of each.
    return "" if kind in (Kind.OPERATOR, *DEVICE_KINDS) else Kind(kind).name.lower()


def _names(trace: Trace, rows: Int64Array) -> Keys:
    return Keys(parts=named(trace, rows))


def _shapes(trace: Trace, rows: Int64Array) -> Keys:
    shapes_id = trace.events.shapes_id[rows]
    missing = None if (shapes_id != NONE).any() else RECORDED_SHAPES.why_not(trace)
    return Keys(parts={**named(trace, rows), "input_shapes": Part(shapes_id, trace.strings.__getitem__)}, missing=missing)


NAME: Final = Grouping(id="name", title="name", keys=_names, lacks=no_lack)
SHAPES: Final = Grouping(id="shapes", title="name and input shapes", keys=_shapes, lacks=RECORDED_SHAPES.lack)
