"""Host work by what operators compute: drawn, against a walk instant by instant, and on every profile without a device."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.formats import reader
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.times.breakdown import PARTS, activity, breakdowns
from tb_plugin.trace.times.operator_families import operator_families
from tb_plugin.trace.work.taxonomy import CATEGORIES, Category, category_of_operator, collective_kernels
from tb_plugin.views.overview import VIEW
from tests.profiles import SAMPLES, over, real
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.overview.result import StepRow, Window


def families(trace: Trace) -> tuple[dict[str, int], int]:
    """(us by category over all the profile, us of `other_host`)."""
    pieces = activity(trace, {}, collective_kernels(trace))
    window = (np.array([0]), np.array([max(trace.info.end_ns, 1)]))
    (row,) = operator_families(trace, pieces, *window).tolist()
    host = breakdowns(pieces, *window)[0, PARTS.index("other_host")]
    return {CATEGORIES[c].id: ns // 1000 for c, ns in enumerate(row) if ns}, int(host) // 1000


def naive(trace: Trace, until_us: int) -> dict[str, int]:
    """For each microsecond the first category, by number, of the innermost telling operators of all threads."""
    events, found = trace.events, dict[str, int]()
    rows = np.flatnonzero(events.kind == Kind.OPERATOR).tolist()
    for us in range(until_us):
        open_rows = [row for row in rows if events.start_ns[row] <= 1000 * us < events.end_ns[row]]
        of_threads = []
        for track in {int(events.track[row]) for row in open_rows}:
            inwards = sorted(
                (row for row in open_rows if events.track[row] == track),
                key=lambda row: (events.start_ns[row], -events.end_ns[row]),
            )
            told = [category_of_operator(trace.text(int(events.name_id[row]))) for row in inwards]
            of_threads.append(next((category for category in reversed(told) if category != Category.OTHER), None))
        if open_rows:
            first = min((category for category in of_threads if category is not None), default=Category.OTHER)
            name = CATEGORIES[first].id
            found[name] = found.get(name, 0) + 1
    return found


def test_the_innermost_operator_that_tells_decides() -> None:
    trace = trace_from_text("""
        thread 1 | aten::linear 0-10 | aten::addmm 2-8 | aten::empty 3-4
        thread 1 | aten::odd 20-30 | aten::add_ 22-26 | aten::conv2d 40-50 | aten::contiguous 42-45
        thread 2 | aten::softmax 25-35
    """)
    expected = {"matmul": 10, "elementwise": 3, "normalisation": 10, "other": 2, "convolution": 7, "copy": 3}
    # From 25 on a second thread normalises: of two threads the first category counts.
    assert families(trace) == (expected, 35)
    assert naive(trace, 60) == expected


def test_random_programs_equal_the_naive_walk() -> None:
    made = random.Random(3)
    names = ("aten::mm", "aten::add", "aten::odd", "aten::softmax", "aten::copy_", "aten::empty")
    for _ in range(30):
        lines = []
        for thread in (1, 2):
            events, at = [], made.randrange(5)
            while at < 60:
                length = made.randrange(4, 20)
                events.append(f"{made.choice(names)} {at}-{at + length}")
                if made.random() < 0.7:
                    events.append(f"{made.choice(names)} {at + 1}-{at + length - made.randrange(2)}")
                    if length > 6 and made.random() < 0.7:
                        events.append(f"{made.choice(names)} {at + 2}-{at + 4}")
                at += length + made.randrange(4)
            lines.append(f"thread {thread} | " + " | ".join(events))
        trace = trace_from_text("\n".join(lines))
        found, host = families(trace)
        assert found == naive(trace, 100)
        assert sum(found.values()) == host


@over(SAMPLES + real())
def test_they_sum_to_other_host_of_every_window(path: Path) -> None:
    result = VIEW.main.answer(reader.read(path), VIEW.main.params_from({}))
    windows: list[StepRow | Window] = [*result.steps, result.whole, *([result.average] if result.average else [])]
    for window in windows:
        has_device = result.whole.device_use_ns is not None
        assert sum(window.operators_ns.values()) == (0 if has_device else window.breakdown_ns.other_host)
        assert all(ns > 0 for ns in window.operators_ns.values())
