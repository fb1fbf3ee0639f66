"""What a reader hands over: rows in the order of the file, nothing linked yet. `build.py` makes a Trace of it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from tb_plugin.base.units import Int32Array, Int64Array
    from tb_plugin.trace.args import ArgsStore
    from tb_plugin.trace.model import Issue, TraceInfo


_INT64 = ("start_ns", "end_ns", "correlation", "external_id", "sequence", "forward_thread")


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

    @classmethod
    def from_columns(cls, columns: Mapping[str, npt.NDArray[Any]]) -> RawEvents:
        """Of whatever integers. What is not given was not recorded; without `order` the rows are all there are in the file."""
        n = len(columns["start_ns"])
        given = {"order": np.arange(n), **columns}
        nothing = np.full(n, NONE, np.int64)
        dtypes = {"kind": np.uint8, **dict.fromkeys(_INT64, np.int64)}
        made: dict[str, Any] = {
            each.name: given.get(each.name, nothing).astype(dtypes.get(each.name, np.int32), copy=False) for each in fields(cls)
        }
        return cls(**made)


def _no_rows() -> Any:
    return np.empty(0, np.int64)


@dataclass(frozen=True, kw_only=True)
class RawWork:
    """Columns as in `model.Work`, keyed by `order`; and which device and stream the events of `place_order` name."""

    order: Int32Array = field(default_factory=_no_rows)
    columns: dict[str, npt.NDArray[np.generic]] = field(default_factory=dict)
    place_order: Int32Array = field(default_factory=_no_rows)
    device: Int64Array = field(default_factory=_no_rows)
    stream: Int64Array = field(default_factory=_no_rows)


@dataclass(kw_only=True)
class RawTrace:
    """Everything of one file. What has a default was not recorded where a reader gives nothing."""

    n_orders: int  # elements of the file, those that are no events included
    strings: list[str]
    tracks: list[RawTrack]
    events: RawEvents
    args: ArgsStore
    info: TraceInfo
    work: RawWork = field(default_factory=RawWork)
    memory_order: Int32Array = field(default_factory=_no_rows)
    memory: dict[str, npt.NDArray[np.generic]] = field(default_factory=dict)
    flows: dict[str, npt.NDArray[np.generic]] = field(default_factory=dict)
    unfinished_order: Int32Array = field(default_factory=_no_rows)  # events that say "finished": false
    issues: list[Issue] = field(default_factory=list)
