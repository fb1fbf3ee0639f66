"""Every event has the module it ran in: eager, TorchScript, Lightning; forward and backward; host, device and memory."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import MODULE_NAMES
from tb_plugin.trace.modules import script as module_script
from tb_plugin.trace.modules.forward_backward import in_backward
from tb_plugin.trace.modules.paths import ModulePaths, module_paths
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace.modules.naive_modules import Naive
from tests.trace.numbered import numbered
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

EVALUATE = "autograd::engine::evaluate_function: "


def texts_of(paths: ModulePaths, rows: Int64Array) -> list[str]:
    """The path of each of these rows; empty for "in no module"."""
    return [paths.texts[path] if path != NONE else "" for path in paths.of_rows(rows).tolist()]


def of_names(trace: Trace, paths: ModulePaths | None = None) -> dict[str, str]:
    """Path by event name; the last event of a name counts."""
    paths = paths or module_paths(trace)
    names = [trace.text(i).partition("#")[0] for i in trace.events.name_id.tolist()]
    return dict(zip(names, texts_of(paths, np.arange(len(trace.events))), strict=True))


def test_host_and_device_work_have_the_innermost_module() -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-90 | nn.Module: Net_0 1-50 | nn.Module: Linear_0 10-30 | aten::linear 12-28 | aten::relu 32-40
        thread 1 | Optimizer.step 60-80
        stream 7 | gemm 20-70 <- aten::linear | adam 72-80 <- Optimizer.step | lost 82-85
    """)
    assert of_names(trace) == {
        "ProfilerStep": "",
        "nn.Module: Net_0": "Net_0",
        "nn.Module: Linear_0": "Net_0/Linear_0",
        "aten::linear": "Net_0/Linear_0",
        "aten::relu": "Net_0",
        "cudaLaunchKernel": "",
        "Optimizer.step": "",
        "gemm": "Net_0/Linear_0",
        "adam": "",
        "lost": "",
    }


def test_backward_operators_and_what_they_launch_have_the_module_of_their_forward_operator() -> None:
    trace = numbered(
        f"""
        thread 1 | nn.Module: Net_0 0-50 | nn.Module: Linear_0 5-25 | aten::linear#1 8-20 | aten::addmm#1 10-18
        thread 2 | {EVALUATE}AddmmBackward0#1 100-140 | AddmmBackward0#1 105-130 | aten::mm 110-120
        thread 2 | {EVALUATE}AccumulateGrad 150-160 | aten::add_ 152-158
        stream 7 | gemm 120-150 <- aten::mm | add 160-162 <- aten::add_
        """,
        dict.fromkeys((f"{EVALUATE}AddmmBackward0", "AddmmBackward0"), 1),
    )
    found = of_names(trace)
    assert {name: found[name] for name in ("aten::mm", "gemm", "aten::add_", "add")} == {
        "aten::mm": "Net_0/Linear_0",
        "gemm": "Net_0/Linear_0",
        "aten::add_": "",
        "add": "",
    }
    names = np.array([trace.text(i).partition("#")[0] for i in trace.events.name_id.tolist()])
    assert set(names[in_backward(trace)]) == {
        *(f"{EVALUATE}AddmmBackward0", "AddmmBackward0", "aten::mm", "gemm"),
        *(f"{EVALUATE}AccumulateGrad", "aten::add_", "add", "cudaLaunchKernel"),
    }


def test_a_module_is_chosen_by_path_by_class_and_by_its_name_in_the_model() -> None:
    trace = trace_from_text("""
        thread 1 | nn.Module: Net_0 0-90 | nn.Module: Block_0 10-30 | nn.Module: Linear_0 12-20
        thread 1 | nn.Module: Block_1 40-60 | nn.Module: Linear_1 42-50 | aten::mm 43-48 | nn.Module: Block_10 70-80
    """)
    named = {MODULE_NAMES: {"Block_0": "layers.0", "Linear_1": "layers.1.fc", "Block_1": 7}}  # what is no text is left out
    trace = dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, metadata=named))
    paths = module_paths(trace)
    assert dict(zip(paths.texts, paths.qualified, strict=True)) == {
        "Net_0": "",
        "Net_0/Block_0": "layers.0",
        "Net_0/Block_0/Linear_0": "",
        "Net_0/Block_1": "",
        "Net_0/Block_1/Linear_1": "layers.1.fc",
        "Net_0/Block_10": "",
    }
    names = np.array([trace.text(i) for i in trace.events.name_id.tolist()])

    def chosen(text: str) -> list[str]:
        return list(names[paths.rows_in(text)])

    assert chosen("Net_0/Block_1") == ["nn.Module: Block_1", "nn.Module: Linear_1", "aten::mm"]
    assert chosen("Net/Block/Linear") == ["nn.Module: Linear_0", "nn.Module: Linear_1", "aten::mm"]
    assert chosen("Linear") == chosen("Net/Block/Linear")
    assert chosen("layers.0") == ["nn.Module: Block_0", "nn.Module: Linear_0"]
    assert len(chosen("Net_0")) == len(names)
    assert chosen("Block_1") == chosen("Net_0/Linear_1") == chosen("") == []


def test_ranges_of_lightning_are_modules_with_their_names_in_the_model() -> None:
    trace = trace_from_text("""
        thread 1 | <[pl][profile][Strategy]SingleDeviceStrategy.training_step> 0-90 | aten::mse_loss 80-85
        thread 1 | <[pl][module]my.model.Encoder: encoder> 5-60 | <[pl][module]torch.nn.modules.linear.Linear: encoder.0.fc> 10-30
        thread 1 | aten::linear 12-28 | <[pl][module]my.model.Head: head> 62-70
    """)
    paths = module_paths(trace)
    assert paths.texts == ("encoder", "encoder/0.fc", "head")
    assert paths.class_names == ("Encoder", "Linear", "Head")
    assert paths.qualified == ("encoder", "encoder.0.fc", "head")
    assert of_names(trace, paths)["aten::linear"] == "encoder/0.fc"
    assert of_names(trace, paths)["aten::mse_loss"] == ""


def test_a_range_of_lightning_in_the_frame_of_the_same_call_names_it() -> None:
    trace = trace_from_text("""
        thread 1 | nn.Module: Net_0 0-90 | nn.Module: Linear_4 10-50 | <[pl][module]torch.nn.modules.linear.Linear: fc> 12-48
        thread 1 | aten::linear 20-30
    """)
    paths = module_paths(trace)
    assert (paths.texts, paths.qualified) == (("Net_0", "Net_0/Linear_4"), ("", "fc"))
    assert of_names(trace, paths)["aten::linear"] == "Net_0/Linear_4"


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("TOP(C)::forward.", [("", "C")]),
        ("TOP(C)::forward.A0(A)::forward.SELF(A)::forward_impl_.SELF(A)::my_new_method.", [("", "C"), ("A0", "A")]),
        ("TOP()::<forward op>.1(Sequential)::forward.0(ReLU)::forward.::relu.", [("1", "Sequential"), ("0", "ReLU")]),
        ("TOP(C)::forward.CALL_FUNCTION::f(Tensor)::f.", [("", "C")]),
        ("TOP()::defaults.", []),
        ("anything else", []),
    ],
)
def test_hierarchies_of_torchscript_are_read(text: str, modules: list[tuple[str, str]]) -> None:
    assert list(module_script.parse(text).modules) == modules


def test_a_profile_without_modules_has_no_paths() -> None:
    paths = module_paths(trace_from_text("thread 1 | aten::mm 0-10"))
    assert (len(paths), paths.of_row.tolist(), paths.rows_in("Net_0").tolist()) == (0, [NONE], [False])


@over(SAMPLES + real("h100_bert_small", "h100_owlv2", "mi300_qwen", "mi300_sglang_decode"))
def test_every_row_has_the_path_of_the_naive_walk(path: Path) -> None:
    trace = trace_of(path)
    paths, naive, events = module_paths(trace), Naive(trace), trace.events
    rows = np.flatnonzero(np.isin(events.kind, (Kind.OPERATOR, Kind.ANNOTATION, Kind.RUNTIME, Kind.KERNEL, Kind.MEMORY)))
    rows = rows[:: max(1, len(rows) // 2000)]
    anchor = np.where(
        events.launch[rows] != NONE, events.launch[rows], np.where(events.owner[rows] != NONE, events.owner[rows], rows)
    )
    assert texts_of(paths, rows) == [naive.path(row).removesuffix(" backward") for row in anchor.tolist()]


# Live profiles


class Recorded:
    def __init__(self, path: Path, step: Any, **options: bool) -> None:
        import torch

        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], **options) as profiler:
            step()
        profiler.export_chrome_trace(str(path))
        self.events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
        self.trace = trace_of(path)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")  # torch's own: no accelerator here, TorchScript is deprecated
def test_torchs_own_classes_give_exactly_its_strings(tmp_path: Path) -> None:
    """`test_module_hierarchy` of torch's test_profiler.py, its classes and its strings."""
    torch = pytest.importorskip("torch", reason="torch records the profile")
    from tests.trace.modules import script_model

    model = torch.jit.script(script_model.C())
    inputs = torch.rand(8, 8), torch.rand(8, 8)
    recorded = Recorded(tmp_path / "c.json", lambda: model(*inputs), with_modules=True)
    trace = recorded.trace
    found = module_script.hierarchies(trace)
    paths = module_paths(trace)
    of_operator: dict[str, set[tuple[str, str]]] = {}
    for row in np.flatnonzero(found.of_row != NONE).tolist():
        pair = (found.texts[found.of_row[row]], texts_of(paths, np.array([row]))[0])
        of_operator.setdefault(trace.text(int(trace.events.name_id[row])), set()).add(pair)
    top = "TOP(C)::forward."
    assert of_operator["aten::sub"] == {(f"{top}A0(A)::forward.", "C/A0")}
    assert of_operator["aten::mul"] == {(f"{top}A0(A)::forward.SELF(A)::forward_impl_.SELF(A)::my_new_method.", "C/A0")}
    assert of_operator["aten::add"] == {
        (f"{top}A0(A)::forward.SELF(A)::forward_impl_.", "C/A0"),
        (f"{top}SELF(C)::call_b.B0(B)::forward.", "C/B0"),
        (top, "C"),
    }
    in_file = sum("Module Hierarchy" in event.get("args", {}) for event in recorded.events)
    assert in_file == int((found.of_row != NONE).sum())
    assert dict(zip(paths.texts, paths.class_names, strict=True)) == {"C": "C", "C/A0": "A", "C/B0": "B"}
    assert dict(zip(paths.texts, paths.qualified, strict=True)) == {"C": "", "C/A0": "A0", "C/B0": "B0"}


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_a_scripted_part_of_an_eager_model_is_one_module_with_its_frame(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch records the profile")
    nn = torch.nn
    scripted = torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 4))))
    model = nn.Sequential(scripted, nn.Linear(4, 4))
    x = torch.rand(2, 4)
    with torch.no_grad():
        for _ in range(3):
            model(x)  # until the interpreter has settled
        trace = Recorded(tmp_path / "d.json", lambda: model(x), with_modules=True, with_stack=True).trace
    paths = module_paths(trace)
    script = "Sequential_0/RecursiveScriptModule_0"
    assert dict(zip(paths.texts, paths.class_names, strict=True)) == {
        "Sequential_0": "Sequential",
        script: "Sequential",
        f"{script}/0": "Linear",
        f"{script}/1": "Sequential",
        f"{script}/1/0": "ReLU",
        f"{script}/1/1": "Linear",
        "Sequential_0/Linear_0": "Linear",
    }
    operators = np.flatnonzero(trace.events.kind == Kind.OPERATOR)
    linears = operators[trace.events.name_id[operators] == trace.strings.index("aten::linear")]
    assert texts_of(paths, linears) == [f"{script}/0", f"{script}/1/1", "Sequential_0/Linear_0"]
