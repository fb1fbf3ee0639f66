"""The column "effect of 10 %" is a replay with the row at 0.9; where that is refused it says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.formats import reader
from tb_plugin.views.kernels import VIEW as KERNELS
from tb_plugin.views.modules import VIEW as MODULES
from tb_plugin.views.operators import VIEW as OPERATORS
from tb_plugin.views.whatif import VIEW as WHATIF
from tests.profiles import over, real
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.question import Question
    from tb_plugin.question.view import View
    from tb_plugin.trace.model import Trace

VIEWS = pytest.mark.parametrize("view", [OPERATORS, KERNELS, MODULES], ids=lambda view: view.id)

DEVICE_PACES = """
    thread 1 | ProfilerStep#1 0-300 | nn.Module: Net_0 5-45 | a 10-20 | cudaLaunchKernel 10-20 | b 30-40 | cudaLaunchKernel 30-40
    thread 1 | cudaDeviceSynchronize 50-272
    stream 7 | gemm 16-136 <- a | add 137-270 <- b
"""
UNKNOWN = "thread 1 | ProfilerStep#1 0-100 | nn.Module: Net_0 0-9 | a 0-1\nstream 7 | x 10-40 | gemm 50-60 <- a | y 60-80"


def asked(view: View[Any], trace: Trace, **params: str) -> Any:
    return view.main.answer(trace, view.main.params_from(params))


def effects(view: View[Any], **params: str) -> dict[str, int | None]:
    return {row.name: row.effect_ns for row in asked(view, trace_from_text(DEVICE_PACES), **params).rows}


def test_where_the_device_paces_a_tenth_of_a_kernel_is_what_the_step_gains() -> None:
    assert effects(KERNELS, effects="9") == {"gemm": 12_000, "add": 13_300}


def test_operators_and_modules_gain_what_they_launch_and_what_the_host_does() -> None:
    found = effects(OPERATORS, effects="9")
    assert (found["a"], found["b"], found["ProfilerStep*"]) == (12_000, 13_300, None)
    assert effects(MODULES, effects="9")["Net_0"] == pytest.approx(25_300, abs=1_500)


@VIEWS
def test_it_is_looked_for_where_it_is_asked_for_on_the_rows_that_last_longest(view: View[Any]) -> None:
    found = asked(view, trace_from_text(DEVICE_PACES))
    assert {row.effect_ns for row in found.rows} == {None}
    assert found.no_effect is None
    assert sum(ns is not None for ns in effects(view, effects="1").values()) == 1


@VIEWS
def test_where_a_replay_is_refused_it_says_why_and_never_zero(view: View[Any]) -> None:
    found = asked(view, trace_from_text(UNKNOWN), effects="9")
    assert {row.effect_ns for row in found.rows} == {row.effect_share for row in found.rows} == {None}
    assert "launches of 66.7 %" in found.no_effect
    question: Question[Any, Any] = view.main
    assert question.text is not None
    assert "Effect of 10 % not known: the launches of 66.7 %" in question.text(found)
    assert question.table is not None
    table = question.table(found)
    cells = {row[list(table.columns).index("effect_share")] for row in table.rows}
    assert cells == {f"not known: {found.no_effect}"}


@over(real("v100_resnet50_workers0_a"))
def test_on_a_recording_it_is_what_the_same_edit_gains(path: Path) -> None:
    trace = reader.read(path)
    row = asked(KERNELS, trace, effects="1").rows[0]
    what_if = asked(WHATIF, trace, edit=f"kernel:{row.name}=0.9", effects="0")
    assert what_if.change_ns == pytest.approx(-row.effect_ns, abs=2)
    assert row.effect_share == pytest.approx(row.effect_ns / what_if.trust.replayed_ns, rel=1e-3)
