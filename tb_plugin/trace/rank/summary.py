"""What is kept of a rank: a few texts and ten small tables. Times are ns since `base_ns`, on the rank's own clock; NONE is "not
recorded".

    collectives    one row a collective; `start` NONE: issued, but not in the file
    steps          as trace.steps; without any the whole recording: whole_recording.py
    work           one row a step: step_work.py, passes.py
    computing      when kernels computed while the rank communicated: what hides waiting
    shapes         the kernels that took longest, by name, grid and block; operators where no device works
    ranges         what its own code marked, and what was computed in it: own_ranges.py
    device_waits   when its host waited for its device, a row a call: device_waits.py
    host_waits     when its host stood still for a functional collective or in a send or receive, beside its range: step_work.py
    stretches      what its host was in for long between launches: host_stretches.py
    memory         how much of its device's memory it held at most, one row a step: memory_peaks.py
    order, needs   what the host started, in order, and what waits for what: order.py; empty where that is not known
"""

from __future__ import annotations

import zlib
from typing import Final

import msgspec

from tb_plugin.trace.collectives.groups import ProcessGroup
from tb_plugin.trace.rank.packed import Packed
from tb_plugin.trace.rank.passes import PASSES
from tb_plugin.trace.rank.pause_events import IDLE_IN, PauseEvent
from tb_plugin.trace.rank.step_work import COPIES, IN_PAUSES, PAUSES

COLLECTIVES: Final = (
    *("start", "end", "issued", "group", "kind", "sequence", "size", "bytes_in", "bytes_out"),
    *("dtype", "stream", "peer", "step", "row", "dispatched"),
)
STEPS: Final = ("number", "start", "end", "complete")
WORK: Final = (
    *("computation", "communication", "exposed", "copy", "idle", "loader", "collection", *IDLE_IN),
    *("launch", "n_launches", *PAUSES, "pause_at", *IN_PAUSES, COPIES, *PASSES),
)
COMPUTING: Final = ("start", "end")
HOST_WAITS: Final = ("start", "end")
SHAPES: Final = ("step", "shape", "name", "count", "total", "median", "longest", "longest_at")
RANGES: Final = ("step", "name", "count", "total", "computing")


class RankSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One rank. Texts that are not recorded are None. `collectives.start` NONE: issued, but not in the file."""

    rank: int | None
    world_size: int | None
    host: str | None
    backend: str | None
    device: str | None
    device_index: int | None  # the lowest that worked
    torch_version: str | None
    trace_id: str | None
    base_ns: int  # Unix time of time 0
    start_ns: int
    end_ns: int
    resolution_ns: int
    n_events: int
    has_steps: bool
    is_on_host: bool  # no device worked: computation is operators outside of collectives
    has_ranges: bool  # operators, or annotations that are no steps: what says that the host was in its loader
    has_launches: bool  # events of the host that launch, anywhere in the file
    is_cut_off: bool
    computation_ns: int  # of the whole file: union of kernels that do not communicate
    communication_ns: int  # union of those that do
    overlap_ns: int  # both at once
    damage: list[str]  # sentences about the file that hold for all figures of it
    groups: list[ProcessGroup]
    n_groups_of_rank: int | None  # that the file's head lists with more than one member
    dtypes: list[str]
    names: list[str]  # of shapes
    pause_events: list[PauseEvent]
    collectives: Packed
    steps: Packed
    work: Packed
    computing: Packed
    shapes: Packed
    order: Packed
    needs: Packed
    # Not in summaries of version 21.
    inputs: dict[str, str] = {}  # by `shapes.shape` of the longest: shapes of the inputs, else grid and block of a kernel
    range_names: list[str] = []
    ranges: Packed | None = None  # None: not known
    # Not in summaries of version 23.
    wait_names: list[str] = []
    device_waits: Packed | None = None  # None: not known
    # Not in summaries of version 24.
    stretches: Packed | None = None  # None: not known
    # Not in summaries of version 27.
    memory: Packed | None = None  # None: not recorded, or not known
    host_waits: Packed | None = None  # None: such waits count as computing
    # Not in summaries of version 28.
    without_length: list[str] = []  # sentences: events that count as 0 ns, since the file says of them what cannot be

    def __repr__(self) -> str:
        """Its tables are thousands of characters. The last word is of all that is in it: `answers/desk.py` tells two by it."""
        number = "unknown" if self.rank is None else self.rank
        size, host = "" if self.world_size is None else f" of {self.world_size}", "" if self.host is None else f" on {self.host}"
        n_steps = self.steps.n_rows if self.has_steps else 0
        all_of_it = zlib.crc32(msgspec.msgpack.encode(self))
        return f"<rank {number}{size}{host}: {n_steps} steps, {self.collectives.n_rows} collectives, {all_of_it:08x}>"
