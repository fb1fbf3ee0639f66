"""A view without an answer says so in the words of `trace.scope.recorded`, with the option that records it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.trace.model import Issue
from tb_plugin.trace.scope.recorded import DEVICE, HOST, MEMORY, MODULES
from tb_plugin.views import kernels, memory, modules, operators
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.question.view import View
    from tb_plugin.trace.scope.recording import Recording

LACKS_ALL = "thread 1 | cudaFree 0-5"
NEEDS = pytest.mark.parametrize(
    ("view", "recording"),
    [(operators.VIEW, HOST), (kernels.VIEW, DEVICE), (modules.VIEW, MODULES), (memory.VIEW, MEMORY)],
    ids=["operators", "kernels", "modules", "memory"],
)


@NEEDS
def test_the_option_is_named(view: View[Any], recording: Recording) -> None:
    sentence = view.main.missing(trace_from_text(LACKS_ALL))
    assert sentence == recording.lack(trace_from_text(LACKS_ALL))
    assert sentence is not None
    assert recording.how in sentence


@NEEDS
def test_of_a_file_that_is_cut_off_no_option_is_asked_for(view: View[Any], recording: Recording) -> None:
    cut = dataclasses.replace(trace_from_text(LACKS_ALL), issues=(Issue(kind="truncated", text="the file ends early"),))
    sentence = view.main.missing(cut)
    assert sentence is not None
    assert sentence.startswith("The file is cut off")
    assert recording.how not in sentence


@pytest.mark.parametrize(
    ("view", "text"),
    [
        (operators.VIEW, "thread 1 | aten::mm 0-5"),
        (operators.VIEW, "stream 7 | gemm 0-5"),
        (kernels.VIEW, "stream 7 | gemm 0-5"),
        (modules.VIEW, "thread 1 | nn.Module: Net_0 0-5"),
    ],
)
def test_a_profile_with_an_answer_lacks_nothing(view: View[Any], text: str) -> None:
    assert view.main.missing(trace_from_text(text)) is None
