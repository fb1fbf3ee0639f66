"""Of device work: by what launched it, by the shape of the launch, by the stream it ran on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.groupings.grouping import Grouping, Keys, Part, no_lack
from tb_plugin.trace.groupings.names import key_words, named
from tb_plugin.trace.times.operator_times import name_keys
from tb_plugin.trace.work.launch_shapes import LAUNCH_SHAPE, launch_shapes

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace


def _launching(trace: Trace, rows: Int64Array) -> Part:
    """The operator, range or call that each row belongs to."""
    owner = trace.events.owner[rows]
    known = owner != NONE
    key = np.full(len(rows), NONE, np.int64)
    key[known] = name_keys(trace, owner[known])
    return Part(key, key_words(trace))


def _operators(trace: Trace, rows: Int64Array) -> Keys:
    return Keys(parts={"name": _launching(trace, rows)})


def _launches(trace: Trace, rows: Int64Array) -> Keys:
    shapes = launch_shapes(trace, rows).T
    shape = {title: Part(of, _labelled(title)) for title, of in zip(LAUNCH_SHAPE, shapes, strict=True)}
    return Keys(parts={**named(trace, rows), "operator": _launching(trace, rows), **shape})


def _labelled(title: str) -> Callable[[int], str]:
    return lambda number: f"{title} {number}"


def _streams(trace: Trace, rows: Int64Array) -> Keys:
    device, stream = trace.tracks.device, trace.tracks.stream
    places = group_by(device, stream)  # of tracks, of which there are few

    def text(place: int) -> str:
        track = places.first[place]
        return f"device {device[track]}, stream {stream[track]}"

    return Keys(parts={"name": Part(places.of[trace.events.track[rows]], text)})


OPERATOR: Final = Grouping(id="operator", title="operator", keys=_operators, lacks=no_lack)
LAUNCH: Final = Grouping(id="launch", title="launch shape and operator", keys=_launches, lacks=no_lack)
STREAM: Final = Grouping(id="stream", title="stream", keys=_streams, lacks=no_lack)
