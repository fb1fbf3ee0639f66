"""Every event comes from the innermost frame of the user's own code around it, or around its forward operator or launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tb_plugin.trace.modules.call_sites import call_sites, is_user_frame, split_frame
from tb_plugin.trace.modules.forward_backward import forward_backward
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace.numbered import numbered
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def sites(trace: Trace) -> dict[str, str]:
    found = call_sites(trace)
    texts = (*found.texts, "")
    names = [trace.text(i).partition("#")[0] for i in trace.events.name_id.tolist()]
    return dict(zip(names, (texts[i] for i in found.of_row.tolist()), strict=True))


def test_frames_of_torch_and_of_what_wraps_user_code_are_no_call_sites() -> None:
    assert is_user_frame("model.py(12): forward")
    assert is_user_frame("src/torch_models/net.py(1): <lambda>")
    for name in ("torch/nn/modules/linear.py(114): forward", "contextlib.py(79): inner", "nn.Module: Linear_0", "<string>(2): f"):
        assert not is_user_frame(name)
    assert split_frame("a(1).py(12): f (x)") == ("a(1).py", 12, "f (x)")
    with pytest.raises(ValueError, match="no Python frame"):
        split_frame("aten::mm")


def test_an_event_comes_from_the_innermost_user_frame_around_its_launch() -> None:
    trace = trace_from_text("""
        thread 1 | train.py(3): step 0-90 | model.py(7): forward 5-50 | torch/nn/functional.py(9): linear 10-40
        thread 1 | aten::linear 12-38
        thread 1 | aten::sum 60-70
        thread 2 | aten::unseen 0-10
        stream 7 | gemm 40-60 <- aten::linear
    """)
    found = sites(trace)
    assert found["aten::linear"] == found["gemm"] == found["torch/nn/functional.py(9): linear"] == "model.py(7): forward"
    assert found["aten::sum"] == found["train.py(3): step"] == "train.py(3): step"
    assert found["aten::unseen"] == ""


def test_backward_operators_come_from_where_their_forward_operators_do() -> None:
    trace = numbered(
        """
        thread 1 | train.py(3): step 0-500 | model.py(7): forward 5-25 | aten::linear#1 8-20 | train.py(9): custom 200-490
        thread 1 | evaluate2#1 210-250 | Backward2#1 215-245 | aten::sum 220-240
        thread 2 | evaluate#1 100-140 | Backward#1 105-130 | aten::mm 110-120 | evaluate#9 150-160 | aten::add_ 152-158
        stream 7 | gemm 120-150 <- aten::mm
        """,
        dict.fromkeys(("evaluate", "Backward", "evaluate2", "Backward2"), 1),
    )
    found = sites(trace)
    forward = "model.py(7): forward"
    assert [found[name] for name in ("evaluate", "Backward", "aten::mm", "gemm")] == [""] + [forward] * 3  # evaluate#9 is last
    assert [found[name] for name in ("evaluate2", "Backward2", "aten::sum")] == [forward] * 3
    assert found["aten::add_"] == ""


def test_user_code_that_a_backward_operator_calls_is_nearer() -> None:
    trace = numbered(
        """
        thread 1 | model.py(7): forward 5-25 | MyFunction#1 8-20
        thread 2 | MyFunctionBackward#1 100-140 | my_function.py(20): backward 105-130 | aten::mm 110-120
        """,
        {"MyFunctionBackward": 1},
    )
    found = sites(trace)
    assert (found["MyFunctionBackward"], found["aten::mm"]) == ("model.py(7): forward", "my_function.py(20): backward")


@over(SAMPLES + real("h100_bert_small", "h100_qwen", "mi300_resnet_ddp_checkpoint"))
def test_profiles_equal_the_naive_walk(path: Path) -> None:
    trace = trace_of(path)
    events, found = trace.events, call_sites(trace)
    forward, parent = forward_backward(trace).forward, events.parent

    def walk(row: int) -> str:
        if events.launch[row] != NONE or events.owner[row] != NONE:
            row = int(events.launch[row] if events.launch[row] != NONE else events.owner[row])
        while row != NONE:
            if is_user_frame(trace.text(int(events.name_id[row]))):
                return trace.text(int(events.name_id[row]))
            row = int(forward[row] if forward[row] != NONE else parent[row])
        return ""

    rows = np.arange(0, len(events), max(1, len(events) // 1500))
    texts = (*found.texts, "")
    assert [texts[i] for i in found.of_row[rows].tolist()] == [walk(row) for row in rows.tolist()]


def test_stacks_of_2021_are_call_sites_too(traces: Path) -> None:
    trace = trace_of(traces / "v100_resnet50_workers0_a.json.gz")
    found = call_sites(trace)
    convolutions = np.flatnonzero(trace.events.name_id == trace.strings.index("aten::conv2d"))
    texts = {found.texts[i].rpartition("/")[2] for i in found.of_row[convolutions].tolist()}
    assert texts <= {f"resnet.py({line}): forward" for line in range(90, 240)} | {
        f"resnet.py({line}): _forward_impl" for line in range(220, 260)
    }
    backward = np.flatnonzero(forward_backward(trace).forward != NONE)
    assert (found.of_row[backward] != NONE).mean() > 0.9


@pytest.mark.torch
@pytest.mark.filterwarnings("default")  # torch's own: no accelerator here
def test_a_live_loop_is_told_apart_by_function(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch records the profile")

    def forward(x: object) -> object:
        return torch.mul(x, x)

    def step() -> None:
        forward(torch.ones(3, requires_grad=True)).sum().backward()  # type: ignore[attr-defined]

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True) as profiler:
        step()
    profiler.export_chrome_trace(str(tmp_path / "p.json"))
    found = sites(reader.read(tmp_path / "p.json"))
    function = {name: split_frame(text)[2] for name, text in found.items() if text}
    assert (function["aten::mul"], function["MulBackward0"], function["SumBackward0"]) == ("forward", "forward", "step")
