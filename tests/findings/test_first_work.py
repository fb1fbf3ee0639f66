"""Time before the first recorded work is told where work was launched in it; where nothing was, the device waits for the host."""

from __future__ import annotations

from tb_plugin.findings.checks import first_work
from tb_plugin.findings.facts import Facts
from tests.trace_text import trace_from_text


def run(launched_us: int) -> Facts:
    return Facts(
        trace_from_text(f"""
            thread 1 | first 0-1 | aten::mm {launched_us}-{launched_us + 5} | aten::add 790-795
            stream 7 | gemm 700-780 <- aten::mm | add 800-1000 <- aten::add
        """)
    )


def test_work_that_begins_long_after_its_launch_waits_for_what_is_cut_off() -> None:
    seen = first_work.find(run(100))
    assert seen is not None
    assert seen.gain_ns is None
    assert [evidence.value for evidence in seen.evidence] == [600_000]
    assert "gemm begins" in seen.what


def test_work_that_is_launched_just_before_it_begins_does_not() -> None:
    assert first_work.find(run(690)) is None
