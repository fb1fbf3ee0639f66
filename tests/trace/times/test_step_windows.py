"""The one rule of when a step begins and ends, on drawings and on made programs of which one event is missing."""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.trace.steps import assign
from tb_plugin.trace.times.idle import LONGEST_LAUNCH_GAP_NS
from tb_plugin.trace.times.step_windows import step_windows
from tb_plugin.trace.work.taxonomy import collective_kernels
from tests.profiles import DEVICES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def steps_us(text: str) -> list[tuple[float, float]]:
    windows = step_windows(trace_from_text(text))
    return [(start / 1000, end / 1000) for start, end in zip(windows.start_ns.tolist(), windows.end_ns.tolist(), strict=True)]


ONE_LONG_STEP = """
    thread 1 | ProfilerStep#1 0-10000 | aten::mm 110-120
    stream 7 | gemm 200-9200 <- aten::mm
"""


@pytest.mark.parametrize(
    "lost",
    ["stream 7 | lost 9900-9950", "stream 8 | lost 9900-9950", "stream 8 | lost 5000-5010", "stream 7 | lost 9200-10000"],
)
def test_work_without_a_launch_does_not_collapse_the_step_that_it_starts_in(lost: str) -> None:
    assert steps_us(ONE_LONG_STEP) == [(0, 10000)]
    assert steps_us(f"{ONE_LONG_STEP}\n{lost}") == [(0, 10000)]


def test_a_device_whose_launches_are_not_recorded_tells_nothing_of_before() -> None:
    many = " | ".join(f"k {1000 * i + 10}-{1000 * i + 900}" for i in range(13))
    drawn = f"""
        thread 1 | ProfilerStep#1 0-13336 | aten::mm 13320-13321
        stream 7 | {many} | gemm 13325-13335 <- aten::mm
    """
    assert steps_us(drawn) == [(0, 13336)]


def test_what_was_queued_before_the_recording_delays_the_first_step() -> None:
    """`c` is the step's own, on another stream, and does not end the queue; nor does a short gap."""
    drawn = """
        thread 1 | ProfilerStep#1 0-100 | aten::c 1-2 | aten::mm 10-20
        stream 7 | lost 0-20 | lost 22-30 | gemm 30-90 <- aten::mm
        stream 8 | c 2-3 <- aten::c
    """
    assert steps_us(drawn) == [(30, 100)]


def test_a_step_that_prepares_its_input_begins_with_its_range_whatever_launch_is_lost() -> None:
    host = "thread 1 | ProfilerStep#1 0-1000 | aten::a 690-691 | aten::b 692-693"
    assert steps_us(f"{host}\nstream 7 | a 695-700 <- aten::a | b 700-900 <- aten::b") == [(0, 1000)]
    ((start, end),) = steps_us(f"{host}\nstream 7 | a 695-700 | b 700-900 <- aten::b")
    assert end == 1000
    assert start == 5 + LONGEST_LAUNCH_GAP_NS / 1000  # `a`, and a wait as between queued kernels


def test_a_pause_in_a_queue_delays_the_first_step_once_enough_launches_stand_behind_it() -> None:
    """The 16th of 17 is launched at 16: from there on the pause counts; if one of them is lost, from the 17th."""
    host = " | ".join(f"op{n} {n}-{n}" for n in range(1, 18))
    own = " | ".join(f"k {510 + 10 * n}-{520 + 10 * n} <- op{n}" for n in range(1, 18))
    drawn = f"thread 1 | ProfilerStep#1 0-1000 | {host}\nstream 7 | lost 0-5 | lost 500-520 | {own}"
    assert steps_us(drawn) == [(5 + (500 - 16) + 20, 1000)]
    assert steps_us(drawn.replace(" <- op1 ", " ")) == [(5 + (500 - 17) + 30, 1000)]
    fewer = drawn.replace(" <- op1 ", " ").replace(" <- op2 ", " ")
    assert steps_us(fewer) == [(5 + 30 + 40, 1000)]


def test_where_the_device_is_behind_a_step_is_its_period() -> None:
    """The host launches every 100 us, the device needs 150."""
    host = " | ".join(f"ProfilerStep#{i} {100 * i}-{100 * i + 100} | op{i} {100 * i + 1}-{100 * i + 2}" for i in range(5))
    device = " | ".join(f"k {150 * i + 300}-{150 * i + 450} <- op{i}" for i in range(5))
    trace = trace_from_text(f"thread 1 | {host}\nstream 7 | lost 0-300 | {device}")
    windows = step_windows(trace)
    assert (windows.start_ns // 1000).tolist() == [300, 450, 600, 750, 900]
    assert (windows.end_ns - windows.start_ns).tolist() == [150_000] * 5
    assert windows.is_behind


def test_a_long_copy_beside_later_steps_takes_no_time_from_their_own_work() -> None:
    """What is left to it is the time in which it ran alone: 10 us of each step."""
    host = " | ".join(f"ProfilerStep#{i} {100 * i}-{100 * i + 100} | op{i} {100 * i + 1}-{100 * i + 2}" for i in range(5))
    device = " | ".join(f"k {100 * i + 5}-{100 * i + 95} <- op{i}" for i in range(5))
    assert steps_us(f"thread 1 | {host}\nstream 7 | {device}\nstream 8 | Memcpy DtoH 110-480 <- op1") == [
        (0, 100),
        (100, 230),
        (230, 320),
        (320, 410),
        (410, 500),
    ]


def test_a_step_whose_work_has_no_launch_lasts_until_what_started_in_it_is_done() -> None:
    assert steps_us("""
        thread 1 | ProfilerStep#1 0-100 | ProfilerStep#2 100-200
        stream 7 | a 10-50 | b 90-110 | c 150-230
    """) == [(0, 110), (110, 230)]


class Made(NamedTuple):
    """A program as it would be recorded: steps, and work with the time of its launch; without one if before the recording.

    What runs on stream 9 communicates.
    """

    steps: list[tuple[int, int]]
    work: list[tuple[int, int, int, int | None]]  # stream, start, end, launch

    def idle_from(self, place: int) -> int:
        """Since when nothing computed before it began."""
        start = self.work[place][1]
        others = [*self.work[:place], *self.work[place + 1 :]]
        return max([0, *(min(end, start) for stream, begun, end, _ in others if stream != 9 and begun < start)])

    def without(self, place: int, *, launch_alone: bool) -> Made:
        stream, start, end, _ = self.work[place]
        lost = [(stream, start, end, None)] if launch_alone else []
        return Made(self.steps, [*self.work[:place], *lost, *self.work[place + 1 :]])

    def edges(self) -> np.ndarray:
        drawn = [f"thread 1 | ProfilerStep#{i} {start}-{end}" for i, (start, end) in enumerate(self.steps)]
        drawn += [f"thread 1 | op{place} {at}-{at}" for place, (*_, at) in enumerate(self.work) if at is not None]
        drawn += [
            f"stream {stream} | {'ncclDevKernel_AllReduce_Sum_f32_RING_LL' if stream == 9 else 'k'} {start}-{end}"
            + ("" if at is None else f" <- op{place}")
            for place, (stream, start, end, at) in enumerate(self.work)
        ]
        windows = step_windows(trace_from_text("\n".join(drawn)))
        return np.concatenate((windows.start_ns, windows.end_ns)) / 1000


@st.composite
def programs(draw: st.DrawFn) -> Made:
    """A host that launches in order, a stream that computes, two more that wait for it now and then; queues of any depth."""
    free = {7: 0, 8: 0, 9: 0}
    work: list[tuple[int, int, int, int | None]] = []
    at = draw(st.integers(0, 5))
    for length in draw(st.lists(st.integers(5, 60), max_size=6)):  # the queue from before
        free[7] = max(free[7], at) + draw(st.integers(0, 3)) + length
        work.append((7, free[7] - length, free[7], None))
    steps = []
    now = 0
    for _ in range(draw(st.integers(1, 4))):
        begin = now
        now += draw(st.integers(1, 40))  # input is prepared
        for is_beside in draw(st.permutations([*[False] * draw(st.integers(3, 6)), *[True] * draw(st.integers(0, 2))])):
            now += draw(st.integers(1, 4))
            stream, length = (draw(st.integers(8, 9)), draw(st.integers(1, 30))) if is_beside else (7, draw(st.integers(5, 40)))
            ready = max(free[7], now) if is_beside and draw(st.booleans()) else now
            start = max(free[stream], ready) + draw(st.integers(1, 3))
            free[stream] = start + length
            work.append((stream, start, start + length, now))
        now += draw(st.integers(1, 30))
        if draw(st.integers(0, 3)) == 0:  # it waits for the device
            now = max(now, *free.values())
        steps.append((begin, now))
        now += draw(st.integers(0, 2))
    return Made(steps, work)


def test_one_event_between_two_streams_moves_a_step_by_no_more_than_itself() -> None:
    """What stands behind it stands in the gaps between the step's own kernels, too: those are the step's, not its."""
    queued = [(7, 3 + 6 * n, 8 + 6 * n, 2 + n) for n in range(5)] + [(7, 35 + 6 * n, 40 + 6 * n, 34 + n) for n in range(6)]
    made = Made([(0, 32), (32, 74)], [*queued, (8, 71, 72, 40), (8, 73, 74, 41)])
    moved = np.abs(made.without(11, launch_alone=True).edges() - made.edges())
    assert moved.max() <= 73 - 70


@settings(max_examples=60)
@given(made=programs(), launch_alone=st.booleans(), data=st.data())
def test_no_single_event_moves_a_step_by_more_than_itself(made: Made, launch_alone: bool, data: st.DataObject) -> None:
    """Itself: its length, and how long nothing computed before it."""
    place = data.draw(st.integers(0, len(made.work) - 1))
    moved = np.abs(made.without(place, launch_alone=launch_alone).edges() - made.edges())
    assert moved.max() <= made.work[place][2] - made.idle_from(place)


WITH_DEVICE_STEPS = (
    *("a100_2ranks_rank0", "a100_2ranks_rank1", "a100_nccl", "a100_rank0_queue", "h100_bert_small", "h100_owlv2", "h100_qwen"),
    *("mi300_qwen", "mi300_resnet_ddp_checkpoint", "v100_ns_resolution", "v100_resnet50_workers0_a", "v100_resnet50_workers4_a"),
)


@over(DEVICES + real(*WITH_DEVICE_STEPS))
def test_no_single_event_of_a_recording_moves_a_step_by_more_than_itself(path: Path) -> None:
    """A kernel is lost, or the call that launched it: of the first, the last and any."""
    trace = trace_of(path)
    events = trace.events
    work = np.flatnonzero(np.isin(events.kind, DEVICE_KINDS))
    by_end = work[np.argsort(events.end_ns[work])]
    for row in (*work[:3], *by_end[-3:], *random.Random(5).sample(work.tolist(), 40)):
        others, (begin, end) = work[work != row], (events.start_ns[row], events.end_ns[row])
        before = others[(events.start_ns[others] < begin) & ~collective_kernels(trace)[others]]
        idle_from = np.minimum(events.end_ns[before], begin).max(initial=min(begin, trace.steps.start_ns[0]))
        for lost in ("kernel", "launch"):
            assert _moved(trace, _without(trace, row, lost)) <= end - idle_from, (row, lost)


def _without(trace: Trace, row: int, lost: str) -> Trace:
    events = trace.events
    kind, launch, step = events.kind.copy(), events.launch.copy(), events.step.copy()
    if lost == "kernel":
        kind[row] = Kind.INSTANT
    launch[row] = NONE
    table = {"start_ns": trace.steps.start_ns, "end_ns": trace.steps.end_ns}
    names = ("start_ns", "end_ns", "track", "name_id", "external_id")
    times = {name: getattr(events, name) for name in names}
    step[row] = assign(table, {**times, "kind": kind, "launch": launch})[row]
    return dataclasses.replace(trace, events=dataclasses.replace(events, kind=kind, launch=launch, step=step))


def _moved(before: Trace, after: Trace) -> int:
    """How far the step edge that moved most did, ns."""
    edges = [np.concatenate(step_windows(trace)[:2]) for trace in (before, after)]
    return int(np.abs(edges[1] - edges[0]).max())
