"""Each finding fires on a drawn trace that shows it, with the gain that the drawing has, and not where it must not."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.model import Device, Memory, Trace, Work
from tb_plugin.views.advice import VIEW
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tests.trace_text import trace_from_text
from tests.views.advice.asked import LOADER, WORKERS, advice, found, gain_us


def test_loading_counts_while_the_device_is_idle() -> None:
    text = f"""
        thread 1 | ProfilerStep#1 0-100 | {LOADER} 0-40 | aten::mm 45-50
        stream 7 | gemm 45-95 <- aten::mm
    """
    finding = found(advice(text), "data_loader")
    assert finding is not None
    assert (finding.gain_ns, finding.gain_share, finding.confidence) == (40_000, 0.4, "sure")
    assert [link.name for link in finding.rows] == [LOADER]


def test_loading_by_workers_asks_for_more_of_them() -> None:
    finding = found(advice(f"thread 1 | ProfilerStep#1 0-100 | {WORKERS} 0-40 | aten::mm 40-100"), "data_loader")
    assert finding is not None
    assert "more workers" in finding.title
    assert finding.confidence == "likely"


def test_loading_beside_the_device_costs_nothing() -> None:
    text = f"""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-2 | {LOADER} 3-40
        stream 7 | gemm 2-100 <- aten::mm
    """
    assert gain_us(text, "data_loader") is None


def launches(n: int, host_us: int, kernel_us: int) -> str:
    """`n` operators of `host_us`, each with a kernel that starts 1 us after it; on the device one after the other."""
    host = " | ".join(f"op{i} {host_us * i}-{host_us * i + host_us - 1}" for i in range(n))
    period = max(host_us, kernel_us)
    device = "\n".join(f"stream 7 | k {period * i + 1}-{period * i + 1 + kernel_us} <- op{i}" for i in range(n))
    return f"thread 1 | {host}\n{device}"


def test_short_kernels_that_wait_for_their_launch_are_host_bound() -> None:
    finding = found(advice(launches(60, host_us=10, kernel_us=2)), "host_bound")
    assert finding is not None
    # Between kernels of 2 us that start every 10 us, 1 us of it after their launch; and after the last.
    assert finding.gain_ns == 59 * 7_000 + 6_000
    assert "CUDA graphs" in finding.title
    assert finding.confidence == "likely"


def test_kernels_that_queue_up_are_not_host_bound() -> None:
    assert gain_us(launches(60, host_us=10, kernel_us=20), "host_bound") is None


SYNCHRONISING = """
    thread 1 | aten::mm 0-5 | aten::item 6-51 | cudaStreamSynchronize 10-50 | aten::add 60-65 | aten::sub 66-70
    stream 7 | gemm 2-48 <- aten::mm | add 62-90 <- aten::add | sub 90-99 <- aten::sub
"""


def test_a_wait_costs_the_idle_time_after_it() -> None:
    finding = found(advice(SYNCHRONISING), "synchronising")
    assert finding is not None
    assert finding.gain_ns == 12_000  # from 48, when the device was done, to the next launch at 60
    assert "aten::item" in finding.what


def test_what_the_user_wrote_for_a_wait_is_named() -> None:
    for operator, written in (("aten::item", ".item()"), ("aten::nonzero", "nonzero()"), ("aten::to", ".cpu()")):
        finding = found(advice(SYNCHRONISING.replace("aten::item", operator)), "synchronising")
        assert finding is not None
        assert written in finding.title


def test_a_wait_with_which_a_harness_ends_a_step_is_not_the_models() -> None:
    text = """
        thread 1 | ProfilerStep#1 0-100 | ProfilerStep#2 100-200 | aten::mm 0-5 | cudaDeviceSynchronize 10-90 | aten::mm 105-110
        stream 7 | gemm 2-85 <- aten::mm | gemm 107-195 <- aten::mm
    """
    assert gain_us(text, "synchronising") is None
    in_an_operator = text.replace("cudaDevice", "aten::item 9-91 | cudaDevice")
    assert gain_us(in_an_operator, "synchronising") is not None


def test_a_wait_gains_no_more_than_its_own_length() -> None:
    assert gain_us(SYNCHRONISING.replace("cudaStreamSynchronize 10-50", "cudaStreamSynchronize 47-50"), "synchronising") == 3


def test_the_wait_at_the_end_is_the_profilers_own() -> None:
    text = """
        thread 1 | aten::mm 0-5 | cudaDeviceSynchronize 10-50
        stream 7 | gemm 2-48 <- aten::mm
    """
    assert gain_us(text, "synchronising") is None


PAGEABLE = """
    thread 1 | aten::to 0-20 | aten::mm 21-25
    stream 7 | Memcpy HtoD (Pageable -> Device) 5-20 <- aten::to | gemm 22-100 <- aten::mm
"""


def test_pageable_copies_count_without_kernels_beside() -> None:
    assert gain_us(PAGEABLE, "pageable_copies") == 15
    assert gain_us(PAGEABLE, "exposed_copies") is None
    assert gain_us(PAGEABLE + "stream 8 | gemm_b 0-12", "pageable_copies") == 8


def test_pinned_copies_are_a_finding_of_their_own() -> None:
    pinned = PAGEABLE.replace("Pageable", "Pinned")
    assert gain_us(pinned, "pageable_copies") is None
    assert gain_us(pinned, "exposed_copies") == 15
    assert gain_us(pinned + "stream 8 | gemm_b 0-30", "exposed_copies") is None


COLLECTIVE = """
    thread 1 | aten::mm 0-5 | c10d::allreduce_ 6-9
    stream 7 | gemm 2-60 <- aten::mm
    stream 20 | ncclDevKernel_AllReduce 40-100 <- c10d::allreduce_
"""


def test_communication_counts_where_nothing_computes() -> None:
    assert gain_us(COLLECTIVE, "exposed_communication") == 40
    assert gain_us(COLLECTIVE.replace("gemm 2-60", "gemm 2-99"), "exposed_communication") is None


def test_what_was_not_recorded_is_said() -> None:
    assert any(lack.what == "blocks per SM" for lack in advice(COLLECTIVE).not_checked)


@pytest.mark.parametrize(
    ("kernel", "occupancy", "blocks", "fires"),
    [
        ("vectorized_elementwise_kernel", 10, 4, True),
        ("vectorized_elementwise_kernel", 60, 4, False),
        ("vectorized_elementwise_kernel", 10, 0.5, False),  # too small a grid is another finding
        ("vectorized_elementwise_kernel", np.nan, 4, False),
        ("ampere_sgemm_128x64_tn", 10, 4, False),  # has few warps on purpose
    ],
)
def test_kernels_that_move_memory_want_warps(kernel: str, occupancy: float, blocks: float, fires: bool) -> None:
    trace = trace_from_text(f"thread 1 | aten::add 0-5\nstream 7 | {kernel} 0-100 <- aten::add")
    row = [trace.text(int(name_id)) for name_id in trace.events.name_id].index(kernel)
    columns = {"row": row, "blocks_per_sm": blocks, "occupancy_percent": occupancy}
    work = Work.from_columns({name: np.array([value]) for name, value in columns.items()})
    finding = found(compute(dataclasses.replace(trace, work=work), AdviceParams()), "low_occupancy")
    assert (finding is not None) == fires
    assert finding is None or (finding.gain_ns, finding.evidence[1].value) == (None, 0.1)


def test_memory_from_the_driver_counts_after_the_first_step() -> None:
    steps = "thread 1 | ProfilerStep#1 0-100 | ProfilerStep#2 100-200"
    finding = found(advice(f"{steps} | cudaFree 120-130 | cudaMalloc 130-140"), "allocator")
    assert finding is not None
    assert finding.gain_ns == 20_000
    assert "retrying" in finding.title
    assert gain_us(f"{steps} | cudaMalloc 20-40", "allocator") is None
    assert gain_us(f"{steps} | cudaFreeAsync 120-140", "allocator") is None


@pytest.mark.parametrize(("reserved", "device_type", "fires"), [(95, 1, True), (50, 1, False), (95, 0, False)])
def test_a_device_with_nearly_full_memory_is_told(reserved: int, device_type: int, fires: bool) -> None:
    trace = on("NVIDIA A100", "8.0", "thread 1 | aten::mm 0-10")
    devices = (msgspec.structs.replace(trace.info.devices[0], memory_bytes=100),)
    column = {"row": 0, "device_type": device_type, "device_index": 0, "total_reserved": reserved, "total_allocated": 10}
    memory = Memory.from_columns({name: np.array([value]) for name, value in column.items()})
    trace = dataclasses.replace(trace, memory=memory, info=msgspec.structs.replace(trace.info, devices=devices))
    finding = found(compute(trace, AdviceParams()), "memory_limit")
    assert (finding is not None) == fires
    assert finding is None or "95 B of 100 B (95.0 %)" in finding.what


def test_data_parallel_is_not_distributed_data_parallel() -> None:
    assert found(advice("thread 1 | DataParallel.forward 0-10 | aten::mm 10-20"), "data_parallel")
    assert not found(advice("thread 1 | DistributedDataParallel.forward 0-10 | aten::mm 10-20"), "data_parallel")


def typed(trace: Trace, types: dict[str, str], shapes: dict[str, str] | None = None) -> Trace:
    """The trace with these input types and shapes on the operators of these names."""
    strings = list(trace.strings)
    columns: dict[str, Any] = {"types_id": trace.events.types_id.copy(), "shapes_id": trace.events.shapes_id.copy()}
    for column, texts in (("types_id", types), ("shapes_id", shapes or {})):
        for name, text in texts.items():
            strings.append(text)
            columns[column][trace.events.name_id == trace.strings.index(name)] = len(strings) - 1
    return dataclasses.replace(trace, strings=tuple(strings), events=dataclasses.replace(trace.events, **columns))


EXTRA_COPY = """
    thread 1 | x.py(1): zeros 0-10 | aten::zeros 1-9 | aten::zero_ 4-8
    thread 1 | x.py(2): to 11-40 | aten::to 12-39 | aten::_to_copy 13-38 | aten::copy_ 14-36
    stream 7 | Memcpy HtoD (Pageable -> Device) 20-30 <- aten::copy_
"""


def test_a_tensor_filled_on_the_host_and_copied_is_an_extra_copy() -> None:
    types = {"aten::copy_": '["float","float"]'}
    finding = found(compute(typed(trace_from_text(EXTRA_COPY), types), AdviceParams()), "extra_copy")
    assert finding is not None
    assert (finding.gain_ns, finding.source, finding.function) == (27_000, "x.py:2", "to")
    computed = EXTRA_COPY.replace("aten::zero_", "aten::exp_")
    assert found(compute(typed(trace_from_text(computed), types), AdviceParams()), "extra_copy") is None


def test_one_operation_per_element_is_a_loop() -> None:
    def loop(n: int) -> str:
        return "thread 1 | " + " | ".join(
            f"aten::select {10 * i}-{10 * i + 4} | aten::fill_ {10 * i + 5}-{10 * i + 9}" for i in range(n)
        )

    assert gain_us(loop(12), "loop_indexing") == 119
    assert gain_us(loop(9), "loop_indexing") is None


def on(device: str, capability: str, text: str) -> Trace:
    trace = trace_from_text(text)
    devices = (Device(index=0, name=device, compute_capability=capability),)
    return dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, devices=devices))


def test_float32_matrix_kernels_could_use_tf32() -> None:
    text = """
        thread 1 | aten::mm 0-5
        stream 7 | ampere_sgemm_128x64_tn 0-80 <- aten::mm
    """
    finding = found(compute(on("NVIDIA A100", "8.0", text), AdviceParams()), "fp32_matmul")
    assert finding is not None
    assert finding.gain_ns == 70_000
    assert found(compute(on("Tesla V100", "7.0", text), AdviceParams()), "fp32_matmul") is None
    assert found(compute(on("AMD Instinct MI300X", "9.4", text), AdviceParams()), "fp32_matmul") is None
    tf32 = text.replace("ampere_sgemm_128x64_tn", "ampere_tf32_s1688gemm_128x64")
    assert found(compute(on("NVIDIA A100", "8.0", tf32), AdviceParams()), "fp32_matmul") is None


def test_an_optimizer_that_launches_per_tensor_is_advised_only_with_a_device() -> None:
    frame = "thread 1 | torch/optim/adam.py(9): _single_tensor_adam 0-50 | aten::add_ 10-20"
    assert gain_us(f"{frame}\nstream 7 | add 15-60 <- aten::add_", "single_tensor_optimizer") == 60
    assert gain_us(f"{frame} | aten::mm 60-70\nstream 7 | gemm 65-80 <- aten::mm", "single_tensor_optimizer") is None


def test_a_synchronous_loader_is_told_once() -> None:
    frames = (
        "thread 1 | torch/utils/data/dataloader.py(1): __iter__ 0-9 | torch/utils/data/dataloader.py(2): _get_iterator 1-8 "
        "| torch/utils/data/dataloader.py(3): __init__ 2-7 | aten::mm 20-90"
    )
    assert found(advice(frames), "synchronized_loader")
    slow = advice(f"{frames} | {LOADER} 100-150")
    assert [finding.id for finding in slow.findings] == ["data_loader"]
    checked = frames.replace("(3): __init__", "(3): check_worker_number_rationality")
    assert not found(advice(checked), "synchronized_loader")


def test_gradients_are_zeroed_or_dropped() -> None:
    zeroed = "thread 1 | torch/optim/optimizer.py(9): zero_grad 0-30 | aten::zero_ 5-10 | aten::mm 40-100"
    assert gain_us(zeroed, "zeroed_gradients") == 30
    assert gain_us(zeroed.replace("aten::zero_", "aten::detach_"), "zeroed_gradients") is None


def test_a_bias_before_a_batch_norm_is_useless() -> None:
    trace = trace_from_text("thread 1 | nn.Module: Conv2d_0 0-10 | aten::conv2d 1-9 | nn.Module: BatchNorm2d_0 11-20")
    biased = typed(trace, {"aten::conv2d": '["float","float","float","ScalarList"]'})
    assert found(compute(biased, AdviceParams()), "conv_bias")
    assert not found(compute(typed(trace, {"aten::conv2d": '["float","float","","ScalarList"]'}), AdviceParams()), "conv_bias")


@pytest.mark.parametrize(("size", "type_", "fires"), [(15, "c10::Half", True), (16, "c10::Half", False), (15, "float", False)])
def test_half_precision_wants_multiples_of_eight(size: int, type_: str, fires: bool) -> None:
    trace = trace_from_text("""
        thread 1 | aten::mm 0-5
        stream 7 | gemm 2-90 <- aten::mm
    """)
    typed_trace = typed(trace, {"aten::mm": f'["{type_}","{type_}"]'}, {"aten::mm": f"[[32,{size}],[{size},64]]"})
    assert (found(compute(typed_trace, AdviceParams()), "matmul_dims") is not None) == fires


def test_the_largest_gain_comes_first_and_the_text_names_all() -> None:
    result = advice(f"""
        thread 1 | {LOADER} 0-40 | DataParallel.forward 40-50 | aten::to 50-60
        stream 7 | Memcpy HtoD (Pageable -> Device) 60-80 <- aten::to
    """)
    assert [finding.id for finding in result.findings] == ["data_loader", "pageable_copies", "data_parallel"]
    shown = VIEW.main.text(result)
    for finding in result.findings:
        assert finding.title in shown
    assert "with_stack=True" in shown
    assert len(VIEW.main.table(result).rows) == len(result.findings)


def test_a_trace_without_anything_to_say_says_what_it_checked() -> None:
    result = advice("thread 1 | aten::mm 0-10")
    assert result.findings == []
    assert "gradients set to zero instead of None" in result.nothing_found
    assert "0 findings" in VIEW.main.text(result)


COMPILED = """
    thread 1 | entire_frame_compile 0-40 | <entire_frame_compile_data: fn_name=f, compile_id=0/0> 1-2
    thread 1 | _compile.compile_inner (dynamo_timed) 2-39 | Torch-Compiled Region: 0/0 41-49
    thread 1 | TorchDynamo Cache Lookup 50-51
    thread 1 | entire_frame_compile 52-72 | <entire_frame_compile_data: fn_name=f, compile_id=0/1> 53-54
    thread 1 | Torch-Compiled Region: 0/1 73-100
"""


def test_compiling_again_is_told_apart_from_compiling_once() -> None:
    finding = found(advice(COMPILED), "recompilation")
    assert finding is not None
    assert finding.gain_ns == 60_000
    assert "Compiled again: 1 function, 1 time in all" in finding.what
    assert [link.name for link in finding.rows] == ["entire_frame_compile"] * 2
    once = found(advice(COMPILED.replace("compile_id=0/1", "compile_id=1/0")), "recompilation")
    assert once is not None
    assert (once.confidence, once.title[:12]) == ("sure", "Record after")
    assert gain_us(COMPILED.replace("entire_frame_compile ", "work ").replace("(dynamo_timed)", ""), "recompilation") is None


def test_compiling_is_known_by_its_frames_too() -> None:
    frames = (
        "thread 1 | torch/_dynamo/convert_frame.py(1633): _compile 0-40 | re/__init__.py(272): _compile 50-60 | aten::mm 70-100"
    )
    assert gain_us(frames, "recompilation") == 40


def allocations(*rows: tuple[int, int, int]) -> Trace:
    """(bytes, allocated, reserved) in MiB on a device, one a microsecond."""
    trace = trace_from_text("thread 1 | " + " | ".join(f"aten::empty {i}-{i + 1}" for i in range(len(rows))))
    column = {name: np.array([row[place] << 20 for row in rows]) for place, name in enumerate(("bytes", "total_allocated"))}
    column["total_reserved"] = np.array([row[2] << 20 for row in rows])
    ones = np.ones(len(rows), np.int64)
    memory = Memory.from_columns({"row": np.arange(len(rows)), "device_type": ones, "device_index": 0 * ones, **column})
    return dataclasses.replace(trace, memory=memory)


def test_memory_that_is_free_in_pieces_is_told() -> None:
    finding = found(compute(allocations((8, 8, 10), (-6, 2, 10), (6, 8, 16)), AdviceParams()), "fragmentation")
    assert finding is not None
    assert (finding.gain_ns, finding.n_rows) == (None, 1)
    assert "8.0 MiB" in finding.what or "8 MiB" in finding.what or "8.00 MiB" in finding.what
    for rows in (((8, 8, 10), (6, 14, 16)), ((8, 8, 10), (-6, 2, 10), (6, 8, 10))):
        result = compute(allocations(*rows), AdviceParams())
        assert found(result, "fragmentation") is None
        assert any("in pieces" in check for check in result.nothing_found)


def with_bytes(trace: Trace, n_bytes: int) -> Trace:
    names = [trace.text(int(name_id)) for name_id in trace.events.name_id]
    rows = np.array([row for row, name in enumerate(names) if name.startswith("Memcpy")])
    return dataclasses.replace(trace, work=Work.from_columns({"row": rows, "bytes": np.full(len(rows), n_bytes)}))


def test_many_small_copies_cost_their_calls() -> None:
    host = " | ".join(f"copy{i} {4 * i}-{4 * i + 3}" for i in range(25))
    device = "\n".join(f"stream 7 | Memcpy HtoD (Pinned -> Device) {4 * i + 2}-{4 * i + 3} <- copy{i}" for i in range(25))
    trace = trace_from_text(f"thread 1 | {host}\n{device}")
    # Launches of a drawing have no length: give them that of their operator.
    events = trace.events
    is_call = np.array([trace.text(int(name_id)) == "cudaLaunchKernel" for name_id in events.name_id])
    trace = dataclasses.replace(
        trace, events=dataclasses.replace(events, end_ns=np.where(is_call, events.start_ns + 2000, events.end_ns))
    )
    finding = found(compute(with_bytes(trace, 64), AdviceParams()), "small_copies")
    assert finding is not None
    assert finding.gain_ns == 25 * 2000
    assert found(compute(with_bytes(trace, 1 << 20), AdviceParams()), "small_copies") is None
    assert found(compute(trace, AdviceParams()), "small_copies") is None  # sizes were not recorded
