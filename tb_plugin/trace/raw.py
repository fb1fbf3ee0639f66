"""What a reader hands over: rows in the order of the file, nothing linked yet. `build.py` makes a Trace of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tb_plugin.base.units import Int32Array, Int64Array
    from tb_plugin.trace.args import ArgsStore
    from tb_plugin.trace.model import Issue, TraceInfo


@dataclass(kw_only=True)
class RawTrack:
    """A (pid, tid) of the file with the names its metadata events give. Empty is "not given"."""

    pid: str
    tid: str
    process_name: str = ""
    process_labels: str = ""
    thread_name: str = ""
    sort_index: int = -1


@dataclass(frozen=True, kw_only=True)
class RawEvents:
    """One row per event with a place in time, in file order. Columns as in `model.Events`; times in ns of the file's clock."""

    start_ns: Int64Array
    end_ns: Int64Array
    name_id: Int32Array
    category_id: Int32Array
    kind: npt.NDArray[np.uint8]
    track: Int32Array
    correlation: Int64Array
    external_id: Int64Array
    sequence: Int64Array
    forward_thread: Int64Array
    shapes_id: Int32Array
    types_id: Int32Array
    order: Int32Array


@dataclass(frozen=True, kw_only=True)
class RawWork:
    """Columns as in `model.Work`, keyed by `order`; and which device and stream the events of `place_order` name."""

    order: Int32Array
    columns: dict[str, npt.NDArray[np.generic]]
    place_order: Int32Array
    device: Int64Array
    stream: Int64Array


@dataclass(kw_only=True)
class RawTrace:
    """Everything of one file."""

    n_orders: int  # elements of the file, those that are no events included
    strings: list[str]
    tracks: list[RawTrack]
    events: RawEvents
    work: RawWork
    memory_order: Int32Array
    memory: dict[str, npt.NDArray[np.generic]]
    flows: dict[str, npt.NDArray[np.generic]]
    unfinished_order: Int32Array  # events that say "finished": false
    args: ArgsStore
    info: TraceInfo
    issues: list[Issue] = field(default_factory=list)
