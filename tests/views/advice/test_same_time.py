"""Advice and overview speak of the same time: a finding claims what the overview shows of it, and no two the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.compute.intervals import intersect, length
from tb_plugin.findings.facts import Facts
from tb_plugin.trace.times.idle import USES
from tb_plugin.views.advice import VIEW as ADVICE
from tb_plugin.views.overview import VIEW as OVERVIEW
from tests.profiles import DEVICES, TRACES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

USE_OF = {"host_bound": "waiting_for_host", "host_line": "waiting_for_host", "synchronising": "synchronisation"}


def gains(trace: Trace) -> dict[str, int]:
    result = ADVICE.main.answer(trace, ADVICE.main.params_from({}))
    return {finding.id: finding.gain_ns for finding in result.findings if finding.gain_ns is not None}


def used(trace: Trace, use: str) -> int:
    """In all steps, as the overview shows it."""
    result = OVERVIEW.main.answer(trace, OVERVIEW.main.params_from({}))
    shown = [step.device_use_ns for step in result.steps if step.complete] or [result.whole.device_use_ns]
    return sum(getattr(each, use, 0) for each in shown)


def test_kernels_that_queue_are_not_host_bound_however_late_they_were_launched() -> None:
    """60 kernels of 10 us, each launched when the one before is done, each starting 990 us after its launch."""
    host = " | ".join(f"op{i} {1000 * i}-{1000 * i + 5}" for i in range(60))
    device = " | ".join(f"k {1000 * i + 990}-{1000 * i + 1000} <- op{i}" for i in range(60))
    trace = trace_from_text(f"thread 1 | {host}\nstream 7 | {device}")
    assert "host_bound" not in gains(trace)
    assert used(trace, "blocked") == 59 * 990_000


def test_a_device_that_waits_before_its_first_work_waits_for_a_line() -> None:
    host = " | ".join(f"op{i} {600 + 6 * i}-{600 + 6 * i + 1}" for i in range(60))
    device = " | ".join(f"k {602 + 6 * i}-{608 + 6 * i} <- op{i}" for i in range(60))
    trace = trace_from_text(f"thread 1 | ProfilerStep#1 0-1000 | {host}\nstream 7 | {device}")
    assert gains(trace)["host_line"] == used(trace, "waiting_for_host") == 638_000


RANKS = [path for folder in sorted(TRACES.glob("distributed/*")) for path in sorted(folder.glob("*.json.gz"))[:2]]


@pytest.mark.slow
@pytest.mark.beside
@pytest.mark.parametrize("path", RANKS, ids=lambda path: f"{path.parent.name}-{path.name.split('.')[0]}")
def test_gains_of_waiting_are_those_of_the_overview_for_every_rank(path: Path) -> None:
    _claims_what_is_shown(trace_of(path))


@over(DEVICES + real())
def test_gains_of_waiting_are_those_of_the_overview(path: Path) -> None:
    _claims_what_is_shown(trace_of(path))


def _claims_what_is_shown(trace: Trace) -> None:
    found, facts = gains(trace), Facts(trace)
    for check, use in USE_OF.items():
        assert found.get(check, 0) <= used(trace, use)
    when = [facts.when(use) for use in USES]
    assert sum(map(length, when)) == facts.window_ns
    assert all(length(intersect(one, other)) == 0 for one in when for other in when if one is not other)
