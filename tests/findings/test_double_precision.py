"""Products in float64 on the host are told with half of their time; those in float32, small ones and beside a device are not."""

from __future__ import annotations

import pytest

from tb_plugin.findings.checks import double_precision
from tb_plugin.findings.facts import Facts
from tests.trace_text import trace_from_text, with_inputs

DRAWN = "thread 1 | ProfilerStep#1 0-100 | aten::linear 0-{0} | aten::addmm 2-{0} | aten::add 50-90"


def run(element: str, *, until: int = 40, device: str = "") -> Facts:
    trace = trace_from_text(f"{DRAWN.format(until)}\n{device}")
    of_both = ("[[4, 4], [4, 4]]", f'["{element}", "{element}"]')
    return Facts(with_inputs(trace, dict.fromkeys(("aten::linear", "aten::addmm", "aten::add"), of_both)))


def test_half_of_their_time_is_to_gain_and_an_inner_operator_is_part_of_the_outer() -> None:
    seen = double_precision.find(run("double"))
    assert seen is not None
    assert seen.gain_ns == 20_000
    assert [evidence.value for evidence in seen.evidence] == [1, 40_000]


@pytest.mark.parametrize(
    "facts", [run("float"), run("double", until=9), run("double", device="stream 7 | gemm 5-30 <- aten::addmm")]
)
def test_others_are_silent(facts: Facts) -> None:
    assert double_precision.find(facts) is None


def test_where_no_types_were_recorded_nothing_is_told() -> None:
    assert double_precision.find(Facts(trace_from_text(DRAWN.format(40)))) is None
