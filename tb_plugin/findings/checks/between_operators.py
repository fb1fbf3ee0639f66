"""Without a device: is no operator open for most of the time? Then Python is what takes it, and stacks would name its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import HOST, STACKS, WHOLE
from tb_plugin.trace.times.breakdown import PARTS, activity, breakdowns

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_MUCH: Final = 0.3
"""Of the time. Operators that take a few microseconds have as much between them."""


def find(facts: Facts) -> Seen | None:
    if len(facts.device_rows) or facts.has(Kind.PYTHON):
        return None
    t0_ns, t1_ns = facts.window
    parts = breakdowns(activity(facts.trace, {}, facts.is_collective), t0_ns, t1_ns).sum(axis=0)
    nothing_ns = int(parts[PARTS.index("idle")])
    if facts.share(nothing_ns) < _MUCH:
        return None
    return Seen(
        title="Record with with_stack=True: most of the time no operator runs, and Python stacks would say what does",
        what=f"For {format_ns(nothing_ns)} ({percent(facts.share(nothing_ns))}) of {format_ns(facts.window_ns)} no operator ran. "
        f"{STACKS.why_not(facts.trace)}",
        evidence=[Evidence(text="time without an operator", value=nothing_ns, unit="ns")],
        gain_ns=None,
        gain_how="unknown: Python code, waiting for another process and calls that are no operators look alike.",
        confidence="sure",
    )


CHECK: Final = Check(
    id="between_operators",
    looks_for="time between operators that only stacks explain",
    needs=(HOST, WHOLE),
    find=find,
    code="profile(activities=[ProfilerActivity.CPU], with_stack=True)",
    unless="the process waits for others by design, as a parameter server does.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
)
