"""Does a replay with nothing changed give the recorded steps? Where it does not, or proves nothing, no estimate is made.

A small error proves little by itself: what a host paces replays exactly, whatever the device does, and so does what is kept late
for no known reason. So it is also replayed by constants alone, and counted how much is not explained and how much was not moved.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.intervals import intersect, length, union
from tb_plugin.replay.graph import Graph, graph_of
from tb_plugin.replay.replay import Durations, Replayed, replay
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import LAUNCH_KINDS, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.counted_steps import counted_steps
from tb_plugin.trace.scope.recording import is_cut_off
from tb_plugin.trace.times.step_windows import step_windows, timed_work

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_MOST_ERROR: Final = 0.03
_MOST_ERROR_OF_CONSTANTS: Final = 0.05
_MOST_UNEXPLAINED: Final = 0.2
_MOST_NOT_LAUNCHED: Final = 0.1
_MOST_CUT_OFF: Final = 0.01
_LAUNCH: Final = re.compile(r"Launch\w*Kernel")
MOST_NODES: Final = 1_000_000
"""A replay takes 4 us and 100 bytes a node."""


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A profile replayed with nothing changed. Shares are 0 to 1; errors are of the recorded time, negative: too short."""

    graph: Graph
    places: Int64Array  # of the steps that count
    recorded_ns: Int64Array  # of each of them
    replayed: Replayed
    replayed_ns: Int64Array
    error: float  # of the mean step
    worst_error: float  # of the single step that is furthest off
    constants_error: float  # of the mean step, if nothing is kept late for no known reason
    unexplained_share: float  # of the steps: something begins late then, for no known reason
    not_launched_share: float  # of device time in the steps (and before, where it outlasts one): its launch is not in the file
    n_anchored: int  # pieces of device work that stay where they were
    refused: str | None  # why no estimate is made

    @property
    def window_ns(self) -> tuple[int, int]:
        """From the first to the last step that counts, as replayed."""
        start, end = self.replayed.windows()
        return int(start[self.places].min()), int(end[self.places].max())


def why_not(trace: Trace) -> str | None:
    """Why a profile cannot be replayed at all."""
    graph = graph_of(trace)
    cut = _cut_off(trace, graph)
    if cut is not None:
        return cut
    if not (graph.calls.begins != NONE).any():
        return "no host events were recorded, so nothing says when work was launched"
    if len(graph.work.row) == 0 and (graph.calls.row != NONE).any():
        return "launches were recorded, but no device work"
    if len(graph.first_edge) > MOST_NODES:
        return f"more than {MOST_NODES} calls and pieces of device work"
    return None


def _cut_off(trace: Trace, graph: Graph) -> str | None:
    """Why a file that is cut off lacks too much of its device: nothing of it, or what was launched."""
    if not is_cut_off(trace):
        return None
    if len(graph.work.row) == 0 and trace.info.devices:
        return "the file is cut off, and no device activity is in the part that could be read"
    calls = np.flatnonzero(is_kind(trace.events.kind, LAUNCH_KINDS))
    calls = calls[rows_named(trace, calls, lambda name: _LAUNCH.search(name) is not None)]
    share = 1 - float(np.isin(calls, trace.events.launch[graph.work.row]).mean()) if len(calls) else 0.0
    if share > _MOST_CUT_OFF:
        return f"the file is cut off, and what {percent(share)} of the launches started is not in the part that could be read"
    work_ns, none = graph.work.duration_ns, graph.work.call == NONE
    lost = float(work_ns[none].sum() / max(work_ns.sum(), 1))
    if lost > _MOST_NOT_LAUNCHED:
        return f"the file is cut off, and the launches of {percent(lost)} of the device's time are not in what could be read"
    return None


def is_refused(trace: Trace, steps: str = "") -> bool:
    """Whether it is refused for what can be told before anything is replayed: first of all before there is a graph."""
    work, counted = timed_work(trace), counted_steps(trace, steps)
    if len(counted.places) and len(work.start_ns):
        windows = (times[counted.places] for times in counted.windows[:2])
        begin, end = (int(find(times)) for find, times in zip((np.min, np.max), windows, strict=True))
        if _not_launched(trace, work.start_ns, work.end_ns, ~work.is_launched, begin, end) > _MOST_NOT_LAUNCHED:
            return True
    return why_not(trace) is not None or _recorded(graph_of(trace), steps).unexplained >= _MOST_UNEXPLAINED


class _Recorded(NamedTuple):
    """What a graph says of the recorded steps."""

    places: Int64Array
    lasts_ns: Int64Array  # of each
    unexplained: float
    not_launched: float


def _recorded(graph: Graph, steps: str) -> _Recorded:
    return _of_steps(graph, steps) if steps else _of_all(graph.trace)


@once_per_trace
def _of_all(trace: Trace) -> _Recorded:
    """Whether it is refused is asked first, then what a replay has to give."""
    return _of_steps(graph_of(trace), "")


def _of_steps(graph: Graph, steps: str) -> _Recorded:
    trace, work = graph.trace, graph.work
    places = counted_steps(trace, steps).places if len(trace.steps) else np.zeros(1, np.int64)
    start, end = recorded(graph).windows()
    start, end = start[places], end[places]
    # Without steps the start is no part of the one step, but what is not told of it is not told.
    window = union(start if len(trace.steps) else np.minimum(start, graph.calls.start_ns.min()), end)
    late = np.concatenate((graph.late_ns[graph.node_of_work], graph.late_ns[graph.base[1::2]] * graph.is_base[1::2]))
    until = np.concatenate((work.start_ns, graph.calls.end_ns))
    return _Recorded(
        places=places,
        lasts_ns=end - start,
        unexplained=length(intersect(union(until - late, until), window)) / max(length(window), 1),
        not_launched=_not_launched(trace, work.start_ns, work.end_ns, work.call == NONE, int(start.min()), int(end.max())),
    )


def baseline(trace: Trace, steps: str = "") -> Baseline:
    """`steps`: the filter, as `3-5,8`. Only where `why_not` has nothing to say. Raises UsageError and NotFoundError."""
    return _baseline(trace, steps) if steps else _of_all_steps(trace)


@once_per_trace
def _of_all_steps(trace: Trace) -> Baseline:
    """Advice and What if begin with the same."""
    return _baseline(trace, "")


def _baseline(trace: Trace, steps: str) -> Baseline:
    graph = graph_of(trace)
    places, recorded_ns, unexplained, not_launched = _recorded(graph, steps)
    as_is = Durations.none(graph)
    replayed, by_constants = replay(graph, [as_is, dataclasses.replace(as_is, keeps_late=False)])
    replayed_ns = step_ns(replayed, places)
    errors = replayed_ns / np.maximum(recorded_ns, 1) - 1
    error, constants_error = (
        float(of.sum() / max(recorded_ns.sum(), 1)) - 1 for of in (replayed_ns, step_ns(by_constants, places))
    )
    return Baseline(
        graph=graph,
        places=places,
        recorded_ns=recorded_ns,
        replayed=replayed,
        replayed_ns=replayed_ns,
        error=error,
        worst_error=float(errors[np.abs(errors).argmax()]),
        constants_error=constants_error,
        unexplained_share=unexplained,
        not_launched_share=not_launched,
        n_anchored=int((graph.work.call == NONE).sum()),
        refused=_refusal(error, constants_error, unexplained, not_launched),
    )


def _not_launched(trace: Trace, start_ns: Int64Array, end_ns: Int64Array, has_none: BoolArray, begin: int, end: int) -> float:
    """Of the device's time from `begin` to `end`, how much has no launch in the file.

    Where the device began the first step only after the host had ended it, the queue that the recording began with is longer than
    a step: all steps run out of it, and no edit shows what paces them. Then what ran before them counts too.
    """
    is_behind = len(trace.steps) > 0 and bool(step_windows(trace).start_ns[0] > trace.steps.end_ns[0])
    since = np.iinfo(np.int64).min if is_behind else begin
    inside = np.maximum(np.minimum(end_ns, end) - np.maximum(start_ns, since), 0)
    return float(inside[has_none].sum() / max(inside.sum(), 1))


def recorded(graph: Graph) -> Replayed:
    """The recording itself, as if it were a replay."""
    calls = graph.calls
    return Replayed(
        graph=graph,
        lasts=Durations.none(graph),
        point_ns=np.stack((calls.start_ns, calls.end_ns), axis=1).reshape(-1),
        work_end_ns=graph.work.end_ns,
        node_ns=np.zeros(0, np.int64),
        weight_ns=np.zeros(0, np.int64),
    )


def step_ns(replayed: Replayed, places: Int64Array) -> Int64Array:
    """How long these steps last in a replay."""
    start, end = replayed.windows()
    lasts: Int64Array = (end - start)[places]
    return lasts


def _refusal(error: float, constants_error: float, unexplained: float, not_launched: float) -> str | None:
    if not_launched > _MOST_NOT_LAUNCHED:
        return f"the launches of {percent(not_launched)} of the device's time are not in the file"
    if unexplained >= _MOST_UNEXPLAINED:
        return f"in {percent(unexplained)} of the time something waits for what the file does not tell"
    if abs(error) > _MOST_ERROR:
        return f"the replay is {percent(abs(error))} {'longer' if error > 0 else 'shorter'} than the recorded steps"
    if abs(constants_error) >= _MOST_ERROR_OF_CONSTANTS:
        return f"without delays that nothing explains the replay is {percent(abs(constants_error))} off"
    return None
