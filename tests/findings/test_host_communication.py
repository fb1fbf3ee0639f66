"""A process without a device that waits in collectives is told; what is computed beside them is not counted."""

from __future__ import annotations

from tb_plugin.findings.checks import host_communication
from tb_plugin.findings.facts import Facts
from tests.trace_text import trace_from_text


def run(computes: str, device: str = "") -> Facts:
    return Facts(
        trace_from_text(f"""
            thread 1 | ProfilerStep#1 0-100 | {computes}
            thread 2 | <gloo:all_reduce> 20-80
            {device}
        """)
    )


def test_what_no_operator_hides_is_to_gain() -> None:
    seen = host_communication.find(run("aten::mm 0-30"))
    assert seen is not None
    assert seen.gain_ns == 50_000
    assert [evidence.value for evidence in seen.evidence] == [60_000, 50_000, 1]


def test_hidden_ones_and_those_beside_a_device_are_silent() -> None:
    assert host_communication.find(run("aten::mm 0-70")) is None
    assert host_communication.find(run("aten::mm 0-30", "stream 7 | gemm 0-10 <- aten::mm")) is None


def test_an_operator_computes_nothing_while_it_waits_for_a_functional_collective() -> None:
    seen = host_communication.find(run("aten::mm 0-10 | aten::add 10-90 > _c10d_functional::wait_tensor 12-80"))
    assert seen is not None
    assert seen.gain_ns is not None
    assert seen.gain_ns >= 50_000
