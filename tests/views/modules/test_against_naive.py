"""Times of modules equal those of a walk up torch's call tree, event by event, on real and on live profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.views.modules import VIEW
from tb_plugin.views.modules.result import Modules, ModulesParams
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace.modules.naive_modules import PREFIX, Naive
from tests.views.modules.checked import checked, checked_classes

if TYPE_CHECKING:
    from pathlib import Path


def ours(result: Modules, side: str) -> dict[str, int]:
    """Path, with " backward" for that phase, to self time in ns; without zeros."""
    found: dict[str, int] = {}
    for row in result.rows:
        times = getattr(row, side)
        if row.kind == "module":
            found |= {row.path: times.forward_self_ns, f"{row.path} backward": times.backward_self_ns}
        elif times is not None:
            found[row.path] = times.self_ns
    return {path: ns for path, ns in found.items() if ns}


def without_zeros(times: dict[str, int]) -> dict[str, int]:
    return {path: ns for path, ns in times.items() if ns}


@over(SAMPLES + real("h100_bert_small", "h100_owlv2", "h100_qwen", "mi300_qwen", "mi300_sglang_decode"))
def test_profiles_equal_the_naive_walk(path: Path) -> None:
    trace = trace_of(path)
    result = checked(VIEW.main.answer(trace, ModulesParams(group_by="instance")))
    naive = Naive(trace)
    assert {row.path: row.calls for row in result.rows if row.kind == "module"} == naive.calls()
    assert {path: ns for path, ns in ours(result, "host").items() if path != "not in a module"} == without_zeros(
        naive.host_self()
    )
    assert ours(result, "device") == without_zeros(naive.device_self())


@over(SAMPLES + real())
def test_every_profile_adds_up(path: Path) -> None:
    trace = trace_of(path)
    result = checked(VIEW.main.answer(trace, ModulesParams(group_by="instance")))
    checked_classes(result, VIEW.main.answer(trace, ModulesParams(group_by="class")))
    checked(VIEW.main.answer(trace, ModulesParams(group_by="class_path")))
    on_device = np.isin(trace.events.kind, DEVICE_KINDS)
    assert result.totals.device_ns == int((trace.events.end_ns - trace.events.start_ns)[on_device].sum())
    assert result.totals.kernels == int((trace.events.kind == Kind.KERNEL).sum())
    has_frames = any(trace.text(i).startswith(PREFIX) for i in np.unique(trace.events.name_id).tolist())
    assert (VIEW.main.missing(trace) is None) == has_frames


def test_checkpointed_blocks_are_one_row_with_their_recomputation(traces: Path) -> None:
    result = VIEW.main.answer(trace_of(traces / "mi300_resnet_ddp_checkpoint.json.gz"), ModulesParams(group_by="instance"))
    (root,) = [row for row in result.rows if row.kind == "module" and row.parent is None]
    assert (root.path, root.calls, root.recomputed) == ("DistributedDataParallel_0", 3, 0)
    block = next(row for row in result.rows if row.name == "BasicBlock_6")
    assert block.path.startswith("DistributedDataParallel_0/ResNet_0/CheckpointWrapper_")
    assert (block.calls, block.recomputed) == (3, 3)
    assert (block.device.backward_total_ns or 0) > (block.device.forward_total_ns or 0) > 0


@pytest.mark.torch
@pytest.mark.filterwarnings("default")  # torch's own: no accelerator here
def test_a_live_model_equals_the_naive_walk(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch records the profile")
    nn = torch.nn

    class Twice(nn.Module):  # type: ignore[name-defined, misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.shared = nn.Linear(6, 6)

        def forward(self, x: object) -> object:
            return self.shared(torch.relu(self.shared(x)))

    model = nn.Sequential(nn.Sequential(nn.Linear(4, 6), nn.ReLU()), Twice(), nn.Linear(6, 2))
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True) as profiler:
        for _ in range(2):
            model(torch.randn(3, 4)).square().sum().backward()
    path = tmp_path / "profile.json"
    profiler.export_chrome_trace(str(path))
    trace = trace_of(path)
    result = checked(VIEW.main.answer(trace, ModulesParams(group_by="instance")))

    calls = {row.path: row.calls for row in result.rows if row.kind == "module"}
    assert calls == {
        "Sequential_0": 2,
        "Sequential_0/Sequential_1": 2,
        "Sequential_0/Sequential_1/Linear_0": 2,
        "Sequential_0/Sequential_1/ReLU_0": 2,
        "Sequential_0/Twice_0": 2,
        "Sequential_0/Twice_0/Linear_1": 4,
        "Sequential_0/Linear_2": 2,
    }
    naive = Naive(trace)
    found = {path: ns for path, ns in ours(result, "host").items() if path != "not in a module"}
    assert found == without_zeros(naive.host_self())
    assert found["Sequential_0/Twice_0/Linear_1 backward"] > 0
    assert found["Sequential_0/Twice_0 backward"] > 0  # of its own relu
    assert result.has_backward


@pytest.mark.torch
@pytest.mark.filterwarnings("default")
def test_memory_is_what_torch_allocates(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch records the profile")
    nn = torch.nn

    class Keeps(nn.Module):  # type: ignore[name-defined, misc, unused-ignore]
        def forward(self, n: int) -> None:
            self.kept = torch.empty(n)

    class Scratch(nn.Module):  # type: ignore[name-defined, misc, unused-ignore]
        def forward(self, n: int) -> None:
            for _ in range(3):
                torch.empty(n)

    class Both(nn.Module):  # type: ignore[name-defined, misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.keeps, self.scratch = Keeps(), Scratch()

        def forward(self) -> None:
            self.keeps(1000)
            self.scratch(500)
            self.mine = torch.empty(250)

    model = Both()
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, with_stack=True, profile_memory=True) as profiler:
        model()
    path = tmp_path / "profile.json"
    profiler.export_chrome_trace(str(path))
    result = checked(VIEW.main.answer(trace_of(path), ModulesParams(group_by="instance")))
    assert result.has_host_memory
    assert not result.has_device_memory
    found = {row.path: row.host_memory for row in result.rows if row.kind == "module"}
    sizes = {
        path: (memory.allocated_self_bytes, memory.net_self_bytes, memory.allocated_total_bytes, memory.net_total_bytes)
        for path, memory in found.items()
        if memory
    }
    assert sizes == {
        "Both_0": (1000, 1000, 11_000, 5000),
        "Both_0/Keeps_0": (4000, 4000, 4000, 4000),
        "Both_0/Scratch_0": (6000, 0, 6000, 0),
    }
    torchs_own = sum(event.self_cpu_memory_usage for event in profiler.key_averages() if event.key == "aten::empty")
    assert torchs_own == 11_000  # torch lists releases outside of operators apart, as [memory]
