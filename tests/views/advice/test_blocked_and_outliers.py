"""Steps that are no usual ones, and queued work that does not begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.found import found
from tb_plugin.formats.reader import read
from tests.profiles import over, real
from tests.views.advice.asked import advice, gain_us
from tests.views.advice.asked import found as found_in

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.findings.same_time import Found


def steps(*lengths_us: int) -> str:
    host, device, at = [], [], 0
    for number, length in enumerate(lengths_us, 1):
        host += [f"ProfilerStep#{number} {at}-{at + length}", f"op{number} {at + length - 80}-{at + length - 79}"]
        device.append(f"k {at + length - 78}-{at + length - 5} <- op{number}")
        at += length
    return f"thread 1 | {' | '.join(host)}\nstream 7 | {' | '.join(device)}"


def test_what_long_steps_take_beyond_the_usual_one_is_told() -> None:
    finding = found_in(advice(steps(100, 101, 150, 99, 100, 130)), "outlier_steps")
    assert finding is not None
    assert finding.gain_ns is not None
    assert 75_000 <= finding.gain_ns <= 82_000
    assert finding.title.endswith("compare steps 3 and 6 with the rest")
    assert finding.beside == [1, 3]  # the usual one above the longest
    assert "waiting for the host" in finding.what


def test_one_long_step_is_named_alone() -> None:
    finding = found_in(advice(steps(100, 101, 160, 99, 100)), "outlier_steps")
    assert finding is not None
    assert finding.title.endswith("compare step 3 with the rest")


def test_several_long_steps_are_named_as_a_list() -> None:
    finding = found_in(advice(steps(100, 150, 151, 99, 100, 101, 152, 100, 99, 100)), "outlier_steps")
    assert finding is not None
    assert finding.title.endswith("compare steps 2-3, 7 with the rest")


def test_a_long_first_step_is_warm_up() -> None:
    finding = found_in(advice(steps(200, 100, 100, 101, 100)), "outlier_steps")
    assert finding is not None
    assert "warms up" in finding.title
    assert finding.beside == []


def test_steps_that_vary_and_too_few_steps_have_no_outliers() -> None:
    assert gain_us(steps(100, 104, 109, 96, 100), "outlier_steps") is None
    assert gain_us(steps(100, 120, 140, 160, 180), "outlier_steps") is None
    assert gain_us(steps(100, 100, 200), "outlier_steps") is None


def waiting(*longer_us: int) -> str:
    """Ten launches of 2 us in each step of 100 us; some are longer by what the host does at their end."""
    host, device, at = [], [], 0
    for number, longer in enumerate(longer_us, 1):
        host.append(f"ProfilerStep#{number} {at}-{at + 100 + longer}")
        for launch in range(10):
            host.append(f"op{number}_{launch} {at + 10 * launch}-{at + 10 * launch + 1}")
            device.append(f"k {at + 10 * launch + 1}-{at + 10 * launch + 7} <- op{number}_{launch}")
        at += 100 + longer
    return f"thread 1 | {' | '.join(host)}\nstream 7 | {' | '.join(device)}"


def test_long_steps_come_first_and_what_the_device_waits_for_in_them_is_no_habit() -> None:
    result = advice(waiting(0, 0, 60, 0, 50, 0))
    assert result.findings[0].id == "outlier_steps"
    assert result.verdict.changes[0].finding == "outlier_steps"
    waited = found_in(result, "host_bound")
    assert waited is not None
    assert waited.gain_ns is not None
    assert waited.gain_ns <= 4 * 40_000  # of the four usual steps


@pytest.mark.parametrize("longer_us", [20, 33, 34, 40])
def test_what_only_long_steps_wait_is_left_out_however_much_it_is_of_all(longer_us: int) -> None:
    """From 34 us on they are a tenth of all, and told first; below that by what else wants their time."""
    result = advice(waiting(0, 0, longer_us, 0, longer_us, 0))
    waited = found_in(result, "host_bound")
    assert waited is not None
    assert waited.gain_ns == 4 * 10 * 3_000
    outliers = found_in(result, "outlier_steps")
    apart = 2 * longer_us / (600 + 2 * longer_us) >= 0.1
    assert (outliers is not None) == apart
    assert ("outlier_steps" in [each.id for each in waited.also]) != apart


QUEUED = """
    thread 1 | ProfilerStep#1 0-1000 | ProfilerStep#2 1000-2000
    thread 1 | aten::mm 0-1 | aten::add 2-3 | aten::mm 1000-1001 | aten::add 1002-1003
    stream 7 | gemm 1-600 <- aten::mm | add 800-995 <- aten::add | gemm 1001-1600 <- aten::mm | add 1800-1995 <- aten::add
"""


def test_queued_work_that_does_not_begin_is_told_by_what_begins_then() -> None:
    finding = found_in(advice(QUEUED), "blocked")
    assert finding is not None
    assert finding.gain_ns == 400_000
    assert "each step has one of 200 us" in finding.what
    assert [evidence.text for evidence in finding.evidence] == ["device idle, with work launched", "of it before add"]


def test_work_that_begins_at_once_is_not_blocked() -> None:
    assert gain_us(QUEUED.replace("add 800-", "add 600-").replace("add 1800-", "add 1600-"), "blocked") is None


def seen(path: Path) -> dict[str, Found]:
    return {each.check.id: each for group in found(read(path)).seen for each in (group, *group.also)}


@over(real("v100_resnet50_workers4_a"))
def test_two_of_six_steps_of_a_recording_are_outliers(path: Path) -> None:
    told = seen(path)["outlier_steps"].seen
    # Its products and convolutions take longest, but a step without them would wait for the host: they come later.
    order = [each.check.id for each in found(read(path)).seen]
    assert order[0] == "outlier_steps"
    assert "mixed_precision" in order
    assert [round(evidence.value / 1e6) for evidence in told.evidence] == [56, 37]


@over(real("a100_rank0_queue"))
def test_the_gap_before_a_graph_is_told_and_that_each_step_has_it(path: Path) -> None:
    told = seen(path)["blocked"].seen
    assert told.gain_ns is not None
    assert round(told.gain_ns / 5e6) == 136
    assert "each step has one of 63" in told.what
    assert "first recorded work of a graph, Memset (Device)" in told.evidence[1].text
