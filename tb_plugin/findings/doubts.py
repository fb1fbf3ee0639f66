"""What there is to doubt in a profile, in sentences: what it was recorded with, what it lacks, and how usual it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import length
from tb_plugin.trace.kinds import LAUNCH_KINDS, Kind
from tb_plugin.trace.scope.recorded import STEPS
from tb_plugin.trace.times.step_windows import queued_before

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.findings.facts import Facts

_OF_THE_HOST: Final = ("host", "input")
_OF_WAITING: Final = (*_OF_THE_HOST, "mixed", "communication")

_MANY_FRAMES: Final = 15
"""Python frames for each call to the device from which recording them is felt: 0.3 to 1 us each."""

_NOTES_STACK: Final = re.compile(r"(?:.*[/\\])?traceback\.py\(\d+\): format_stack\Z")
"""Samples: `torch/fx/traceback.py(497): format_stack`, of older torch `traceback.py(193): format_stack`."""

_NO_LAUNCH: Final = 0.05
"""Of device time: without a launch it is not known why a device was idle."""

_EARLY_NS: Final = 20_000
"""That much before its launch no work begins: the clocks of host and device differ."""

_OVERLAP: Final = 0.01
"""Of device time: a stream runs one thing after the other."""

_OUTLIER: Final = 1.5
"""Times the median: a step that is longer is a question of its own."""


def doubts(facts: Facts, bound: str) -> list[str]:
    """`bound`: what the verdict says that the step is bound by."""
    return [*_of_recording(facts, bound), *_of_the_device(facts, bound), *_of_steps(facts)]


def reads_counters(facts: Facts) -> bool:
    """Whether hardware counters were read, for which kernels run one at a time and again and again."""
    return facts.has(Kind.PROFILER_RANGE)


def _of_recording(facts: Facts, bound: str) -> Iterator[str]:
    if reads_counters(facts):
        yield (
            "Hardware counters were read: kernels ran one at a time, with pauses. No time in this file is trustworthy; record "
            "once without them."
        )
    if _detects_anomalies(facts):
        yield (
            "Anomaly detection was on (torch.autograd.set_detect_anomaly): each operator of the forward notes its stack. "
            "Times are not those of training without it; record once with it off."
        )
    n_frames, n_launches = len(facts.tree.of_kinds(Kind.PYTHON)), len(facts.tree.of_kinds(*LAUNCH_KINDS))
    if bound in _OF_THE_HOST and n_frames > _MANY_FRAMES * max(n_launches, 1):
        yield (
            f"{n_frames / max(n_launches, 1):.0f} Python frames were recorded for each call to the device: that slows the host. "
            "Record once with with_stack=False to be sure."
        )


def _detects_anomalies(facts: Facts) -> bool:
    """Whether an operator itself calls for a stack, in C++, as autograd has it do in that mode alone. Others who want a stack
    do so in a frame of their own; recordings without frames do not tell.
    """
    events = facts.trace.events
    above = events.nest_parent[facts.named(_NOTES_STACK.match, Kind.PYTHON)]
    return bool((events.kind[above[above != NONE]] == Kind.OPERATOR).any())


def _of_the_device(facts: Facts, bound: str) -> Iterator[str]:
    events, rows = facts.trace.events, facts.device_rows
    if len(rows) == 0 or bound not in _OF_WAITING:
        return
    all_ns = float(facts.duration(rows).sum())
    lost = np.setdiff1d(rows[events.launch[rows] == NONE], queued_before(facts.trace))
    no_launch = float(facts.duration(lost).sum()) / max(all_ns, 1.0)
    if no_launch > _NO_LAUNCH:
        yield f"{percent(no_launch)} of the device's work has no launch in the file: why it was idle is less sure."
    launched = rows[events.launch[rows] != NONE]
    early_ns = int((events.start_ns[events.launch[launched]] - events.start_ns[launched]).max(initial=0))
    if early_ns > _EARLY_NS:
        yield (
            f"Work of the device begins up to {format_ns(early_ns)} before its launch: the clocks differ, and why it was idle is "
            "less sure."
        )
    track = events.track[rows]
    on_streams_ns = sum(length(facts.union_of(rows[track == each])) for each in distinct(track).tolist())
    if all_ns - on_streams_ns > _OVERLAP * all_ns:
        yield (
            f"{percent((all_ns - on_streams_ns) / all_ns)} of the device's work overlaps other work of its own stream, which "
            "cannot be: its times are less sure."
        )


def _of_steps(facts: Facts) -> Iterator[str]:
    duration_ns, median_ns = facts.counted.duration_ns, facts.counted.median_ns
    if median_ns is not None and duration_ns.max() > _OUTLIER * median_ns:
        number = int(facts.trace.steps.number[facts.counted.places[duration_ns.argmax()]])
        yield (
            f"Step {number} takes {format_ns(int(duration_ns.max()))}, the usual one {format_ns(median_ns)}: shares are of all "
            f"together. Look at that step alone first (steps={number})."
        )
    if len(duration_ns) == 1:
        yield "One step was counted: how usual it is, nothing tells."
    elif len(duration_ns) == 0:
        yield STEPS.why_not(facts.trace)
