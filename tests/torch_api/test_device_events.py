"""Device times: torch's own EventList, given the events of whole files one by one, has the same sums and the same table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.torch_api.device import CPU_MEMORY, DEVICE_MEMORY
from tb_plugin.torch_api.profile import Profile
from tb_plugin.trace.device_types import DeviceType
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind
from tests.profiles import GPUS, over, real, trace_of
from tests.torch_api.averages import NUMBERS
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def test_a_kernel_counts_for_its_operator_and_all_around_it() -> None:
    profile = Profile(
        trace_from_text("""
        thread 1 | ProfilerStep#3 0-100 | aten::linear 0-90 | aten::addmm 10-80 | aten::relu 91-95
        stream 7 | gemm   40-70 <- aten::addmm
        stream 7 | gemm   70-72 <- aten::linear
        stream 8 | ncclA  10-15
        """)
    )
    found = {(row.key, row.device_type): (row.self_device_time_total, row.device_time_total) for row in profile.key_averages()}
    assert found[("aten::addmm", DeviceType.CPU)] == (30, 30)
    assert found[("aten::linear", DeviceType.CPU)] == (2, 32)
    assert found[("ProfilerStep*", DeviceType.CPU)] == (0, 32)
    assert found[("aten::relu", DeviceType.CPU)] == (0, 0)
    assert found[("gemm", DeviceType.CUDA)] == (32, 32)
    assert found[("ncclA", DeviceType.CUDA)] == (5, 5)
    linear = next(event for event in profile.events() if event.key == "aten::linear")
    assert linear.kernels == [("gemm", 0, 2.0)]
    table = profile.key_averages().table(sort_by="cuda_time_total")
    assert "CUDA time avg" in table
    assert table.endswith("Self CPU time total: 100.000us\nSelf CUDA time total: 37.000us\n")


@pytest.mark.torch
@over(GPUS + real("h100_bert_small", "mi300_vllm_decode_graph", "mi300_sglang_decode"))
def test_whole_files(path: Path) -> None:
    pytest.importorskip("torch", reason="torch is the reference")
    trace = trace_of(path)
    profile = Profile(trace)
    profile.events().with_flops = False  # torch computes them while it records: there is no reference here
    expected = _torch_event_list(trace)
    averages = expected.key_averages()
    assert any(row.self_device_time_total > 0 for row in averages)
    found = {key: numbers.expected for key, numbers in _sums(profile.key_averages()).items()}
    assert found == _sums(averages)
    assert profile.key_averages().table("self_cuda_time_total", 5) == averages.table("self_cuda_time_total", 5)
    assert [getattr(profile.total_average(), name) for name in NUMBERS] == pytest.approx(
        [getattr(expected.total_average(), name) for name in NUMBERS], rel=1e-12
    )


def _sums(averages: Any) -> dict[Any, Any]:
    """Numbers by key. Close, not equal: among events of one nanosecond torch's order is that of its own recording."""
    return {
        (row.key, str(row.device_type), bool(row.is_user_annotation)): pytest.approx([getattr(row, name) for name in NUMBERS])
        for row in averages
    }


def _torch_event_list(trace: Trace) -> Any:
    """`_parse_kineto_results` of torch/autograd/profiler.py, event by event, for files whose External id names an operator."""
    from torch.autograd import DeviceType as TorchDevice
    from torch.autograd.profiler_util import EventList, FunctionEvent, _filter_name

    events = trace.events
    on_device = (*DEVICE_KINDS, Kind.SYNC, Kind.DEVICE_ANNOTATION, Kind.PROFILER_RANGE)
    spans = [row for row in range(len(events)) if trace.text(int(events.name_id[row])).startswith("PyTorch Profiler")]
    zero = int(events.start_ns[spans[0]]) if spans else trace.info.start_ns
    memory = [
        (int(events.start_ns[row]), int(kind), int(size))
        for row, kind, size in zip(trace.memory.row, trace.memory.device_type, trace.memory.bytes, strict=True)
    ]
    used: set[int] = set()
    found, by_id = [], {}
    for row in range(len(events)):
        kind, name = events.kind[row], trace.text(int(events.name_id[row]))
        if kind not in (*HOST_KINDS, *on_device, Kind.OVERHEAD) or _filter_name(name):
            continue
        start, end = int(events.start_ns[row]), int(events.end_ns[row])
        inside = [place for place, record in enumerate(memory) if start <= record[0] <= end] if kind not in on_device else []
        used.update(inside)
        event = FunctionEvent(
            id=row,
            name="ProfilerStep*" if name.startswith("ProfilerStep#") else name,
            overload_name="",
            thread=int(events.track[row]),
            start_us=(start - zero) / 1000,
            end_us=(end - zero) / 1000,
            stack=[],
            input_shapes=[],
            use_device="cuda",
            cpu_memory_usage=sum(memory[place][2] for place in inside if memory[place][1] in CPU_MEMORY),
            device_memory_usage=sum(memory[place][2] for place in inside if memory[place][1] in DEVICE_MEMORY),
            device_type=TorchDevice.CUDA if kind in on_device else TorchDevice.CPU,
            is_async=kind == Kind.ANNOTATION and name.startswith("nccl:"),
            is_user_annotation=kind in (Kind.ANNOTATION, Kind.DEVICE_ANNOTATION),
            flops=0,
        )
        found.append(event)
        if kind in (Kind.OPERATOR, Kind.ANNOTATION) and events.external_id[row] > 0 and not event.is_async:
            by_id[int(events.external_id[row])] = event
    for event in found:
        operator = by_id.get(int(events.external_id[event.id]))
        if operator and event.device_type == TorchDevice.CUDA and events.kind[event.id] != Kind.DEVICE_ANNOTATION:
            operator.append_kernel(event.name, 0, event.time_range.elapsed_us())
    for place, (time_ns, kind, size) in enumerate(memory):
        if place not in used:
            at = (time_ns - zero) / 1000
            sizes = {"cpu_memory_usage": size * (kind in CPU_MEMORY), "device_memory_usage": size * (kind in DEVICE_MEMORY)}
            found.append(FunctionEvent(-1, "[memory]", -1, at, at, overload_name="", use_device="cuda", flops=0, **sizes))
    found.sort(key=lambda event: [event.time_range.start, -event.time_range.end])
    result = EventList(found, use_device="cuda", profile_memory=bool(trace.info.profile_memory), with_flops=False)
    result._build_tree()
    return result
