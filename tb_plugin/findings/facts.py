"""What many checks ask of a profile, each computed once: the window, when devices and loaders were busy, rows by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct, in_both, numbered
from tb_plugin.compute.intervals import EMPTY, Merged, clip, covers, intersect, length, subtract, union
from tb_plugin.compute.nesting import marked_around
from tb_plugin.findings.idle_lines import IdleLine, idle_lines
from tb_plugin.findings.launch_pace import LaunchPace, launch_pace
from tb_plugin.findings.outlying import unusual_time
from tb_plugin.findings.transfer import Transfers, transfers
from tb_plugin.trace.kinds import DATA_LOADER_NAME, DEVICE_KINDS, Kind
from tb_plugin.trace.patterns.call_tree import CallTree
from tb_plugin.trace.scope.counted_steps import CountedSteps, counted_steps
from tb_plugin.trace.scope.recorded import LAUNCHES, WHOLE
from tb_plugin.trace.times.idle import Use, use_pieces, when_used
from tb_plugin.trace.times.start_up import last_of_start_up
from tb_plugin.trace.work.device_peaks import device_at, device_peak
from tb_plugin.trace.work.matrix_operators import FLOAT_TYPES
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.compute.coverage import Pieces
    from tb_plugin.trace.model import Device, Trace
    from tb_plugin.trace.vendors.peak import Peak

Rows = npt.NDArray[np.integer]

_WORTH_LEAVING_OUT: Final = 0.2
"""Of the time: where it counts, the verdict says from here on to look at the recording first."""


@dataclass(frozen=True)
class Facts:
    """A profile and what was derived from it. All intervals are in ns of the trace."""

    trace: Trace
    steps: str = ""  # the filter for steps, as `3-5,8`

    @cached_property
    def counted(self) -> CountedSteps:
        """The steps that gains are of."""
        return counted_steps(self.trace, self.steps)

    @cached_property
    def window(self) -> Merged:
        """The time that gains are counted in and shares are of: that of the steps; without steps the recording from the end
        of the process's start on. Without `before_work`: what the device did then is not in the file.
        """
        return subtract(self._since_start_up, self.before_work)

    @cached_property
    def before_work(self) -> Merged:
        """When work was queued and the busiest device's first recorded one had not begun, from 20 % of the time on: work from
        before the recording may have run then. Less is counted as unknown, as the overview has it.
        """
        time, busy = self._since_start_up, self.busy
        if not len(time.start) or not len(busy.start) or not all(each.is_there(self.trace) for each in (LAUNCHES, WHOLE)):
            return EMPTY
        queued = clip(when_used(self._uses, "unknown", time), int(time.start[0]), max(int(busy.start[0]), int(time.start[0])))
        return queued if length(queued) >= _WORTH_LEAVING_OUT * length(time) else EMPTY

    @cached_property
    def _since_start_up(self) -> Merged:
        time, last = self.counted.time, last_of_start_up(self.trace)
        if last == NONE:
            return time
        return intersect(time, union(self.trace.events.end_ns[[last]], np.array([self.trace.info.end_ns])))

    @cached_property
    def window_ns(self) -> int:
        return length(self.window)

    @cached_property
    def device_rows(self) -> Int64Array:
        """Kernels, copies and sets."""
        return self.tree.of_kinds(*DEVICE_KINDS)

    @cached_property
    def busiest(self) -> Int64Array:
        """Work of the device with the most of it: the one whose idle time counts."""
        if len(self.device_rows) == 0:
            return self.device_rows
        events = self.trace.events
        # By place among those that there are: a device's number is the file's, and may be anything.
        _, device = numbered(self.trace.tracks.device[events.track[self.device_rows]])
        busy = np.bincount(device, weights=events.duration_ns(self.device_rows))
        mine: Int64Array = self.device_rows[device == busy.argmax()]
        return mine

    @cached_property
    def device(self) -> Device | None:
        """The busiest device; None where the file does not describe it."""
        rows = self.busiest
        return device_at(self.trace, int(self.trace.tracks.device[self.trace.events.track[rows[0]]])) if len(rows) else None

    @cached_property
    def peak(self) -> Peak | None:
        """What that device can do at most, where it is known."""
        return device_peak(self.device)

    def flop_rate(self, element: str) -> float | None:
        """FLOP/s at most in an element type as files write it (`c10::Half`), on the units that would take it; of floats TF32
        where there is that.
        """
        if self.peak is None or element not in FLOAT_TYPES:
            return None
        column = FLOAT_TYPES[element]
        rate: float | None = (column == "fp32" and self.peak.tf32) or getattr(self.peak, column)
        return rate

    @cached_property
    def busy(self) -> Merged:
        """When the busiest device worked."""
        return self.union_of(self.busiest)

    @cached_property
    def _uses(self) -> Pieces:
        return use_pieces(self.trace, self.busiest)

    def when(self, use: Use) -> Merged:
        """When the busiest device was at this use (`trace.times.idle`), in the window: what the overview shows of it."""
        return when_used(self._uses, use, self.window)

    @cached_property
    def idle(self) -> Merged:
        """When the busiest device did nothing, in the window: also before its first and after its last work."""
        return subtract(self.window, self.busy)

    def next_work(self, time_ns: Int64Array) -> Int64Array:
        """For each of these times the busiest device's work that begins next; NONE where none does."""
        start_ns = self.trace.events.start_ns
        work = self.busiest[np.argsort(start_ns[self.busiest], kind="stable")]
        following: Int64Array = np.append(work, NONE)[np.searchsorted(start_ns[work], time_ns)]
        return following

    @cached_property
    def is_collective(self) -> BoolArray:
        return collective_kernels(self.trace)

    @property
    def may_wait_for_ranks(self) -> bool:
        """Whether time in a collective may be waiting for another rank, which one rank's profile cannot tell from moving data:
        also where the size of the job was not recorded.
        """
        return self.trace.info.world_size != 1

    @cached_property
    def transfers(self) -> Transfers:
        """Collectives of the busiest device in the window."""
        return transfers(self.trace, self.in_window(self.busiest[self.is_collective[self.busiest]]))

    @cached_property
    def computation(self) -> Merged:
        """Kernels of the busiest device that are not communication."""
        rows = self.busiest
        is_kernel = self.trace.events.kind[rows] == Kind.KERNEL
        return self.union_of(rows[is_kernel & ~self.is_collective[rows]])

    @cached_property
    def launch_pace(self) -> LaunchPace | None:
        """How fast the host launches to the busiest device, in steps of usual length; None where no kernel has a launch."""
        kernels = self.busiest[self.trace.events.kind[self.busiest] == Kind.KERNEL]
        waiting, idle = (subtract(time, self.unusual) for time in (self.when("waiting_for_host"), self.idle))
        return launch_pace(self.trace, self.in_window(kernels), subtract(waiting, self.union_of(self.loader_rows)), idle)

    @cached_property
    def unusual(self) -> Merged:
        """Steps that take longer than the others: `outlier_steps` tells of them."""
        return unusual_time(self.counted)

    @cached_property
    def host_lines(self) -> list[IdleLine]:
        """The user's lines that the main thread was in, most time first: together the window. For recordings without a device."""
        return idle_lines(self.trace, self.busiest, self.window)

    @cached_property
    def tree(self) -> CallTree:
        return CallTree(self.trace)

    @cached_property
    def loader_rows(self) -> Int64Array:
        return self.named(DATA_LOADER_NAME.match, Kind.ANNOTATION, Kind.OPERATOR)

    def is_loading(self, times: Merged) -> bool:
        """Whether most of these times lies inside a data loader: only there do its workers help."""
        return 2 * length(intersect(times, self.union_of(self.loader_rows))) > length(times)

    def named(self, is_wanted: Callable[[str], object], *kinds: Kind) -> Int64Array:
        """Rows of these kinds whose name satisfies the predicate."""
        return self.tree.named(is_wanted, *kinds)

    def has(self, *kinds: Kind) -> bool:
        return not self._kinds.isdisjoint(kinds)

    @cached_property
    def _kinds(self) -> set[int]:
        return set(np.flatnonzero(np.bincount(self.trace.events.kind)).tolist())

    def name(self, row: int) -> str:
        return self.tree.name(row)

    def duration(self, rows: Rows) -> Int64Array:
        return self.trace.events.duration_ns(rows)

    def union_of(self, rows: Rows) -> Merged:
        return union(self.trace.events.start_ns[rows], self.trace.events.end_ns[rows])

    def in_window(self, rows: Rows) -> Int64Array:
        """Those that lie in the window, at least in part."""
        start, end = self.trace.events.start_ns[rows], self.trace.events.end_ns[rows]
        if len(self.window.start) == 0:
            return np.zeros(0, np.int64)
        place = (
            np.searchsorted(self.window.start, np.maximum(end - 1, start), side="right") - 1
        )  # the last to begin before the end
        return np.asarray(rows, np.int64)[(place >= 0) & (start < self.window.end[np.maximum(place, 0)])]

    def window_part(self, merged: Merged) -> int:
        """How much of the window this covers, ns."""
        return length(intersect(merged, self.window))

    def share(self, ns: float) -> float:
        return ns / self.window_ns if self.window_ns else 0.0

    def work_of(self, rows: Rows) -> Int64Array:
        """Device work launched from inside these host events."""
        tracks = self.trace.events.track[rows]
        found = [self.launched_on(track, self.union_of(rows[tracks == track])) for track in distinct(tracks).tolist()]
        return np.sort(np.concatenate([np.zeros(0, np.int64), *found]))

    def launched_on(self, track: int, when: Merged) -> Int64Array:
        """Device work launched by a thread at these times."""
        work, launch = self._launched
        events = self.trace.events
        launched: Int64Array = work[(events.track[launch] == track) & covers(when, events.start_ns[launch])]
        return launched

    @cached_property
    def _launched(self) -> tuple[Int64Array, Int64Array]:
        """(device work with a launch in the file, the rows of the launches)."""
        launch = self.trace.events.launch[self.device_rows]
        return self.device_rows[launch != NONE], launch[launch != NONE].astype(np.int64)

    def launching(self, rows: Rows) -> tuple[Int64Array, Int64Array]:
        """Those of these host events that launched work of the busiest device that lies in the window, and that work.

        The device may run a step long after the host went through it: host events of that step lie before the window.
        """
        events = self.trace.events
        marked = np.zeros(len(events), np.bool_)
        marked[rows] = True
        # What was launched meanwhile, on the same threads: few, and only they are followed to what is around them.
        work = self.in_window(in_both(self.work_of(rows), self.busiest))
        by = marked_around(events.nest_parent, marked, events.launch[work])
        return distinct(by[by != NONE]), work[by != NONE]

    def cost_ns(self, rows: Rows) -> int:
        """Time of the window in which these host events or the device work that they launched ran."""
        return self.window_part(self.union_of(np.concatenate((np.asarray(rows, np.int64), self.work_of(rows)))))
