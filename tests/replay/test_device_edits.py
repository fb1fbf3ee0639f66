"""Edits of device work by what it computes: chains and attention fused, half types, larger batches; and their laws."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.formats import reader
from tb_plugin.replay.edited import edited
from tb_plugin.replay.edits import parse
from tb_plugin.replay.graph import graph_of
from tb_plugin.replay.replay import Durations, Replayed, replay
from tb_plugin.replay.trust import baseline
from tb_plugin.replay.what_if import what_if
from tb_plugin.trace.model import Device
from tests.profiles import real
from tests.trace_text import trace_from_text, with_inputs

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

US = 1000
V100 = Device(index=0, name="Tesla V100-SXM2-32GB")
LARGE = ("[[4096,4096],[4096,4096]]", '["float","float"]')
INPUTS = {
    "aten::mul": LARGE,
    "aten::div": LARGE,
    "aten::add": LARGE,
    "aten::mm": LARGE,
    "aten::baddbmm": ("[[12,128,128],[12,128,64],[12,64,128]]", '["c10::Half","c10::Half","c10::Half"]'),
    "aten::_softmax": ("[[12,128,128]]", '["c10::Half"]'),
    "aten::bmm": ("[[12,128,128],[12,128,64]]", '["c10::Half","c10::Half"]'),
}
KERNELS = {"aten::mm": "volta_sgemm", "aten::baddbmm": "gemm_h", "aten::bmm": "gemm_h", "aten::_softmax": "softmax_h"}


def program(*calls: tuple[str, int], host_us: int = 10) -> Trace:
    """Operators one after the other, `host_us` each, with a kernel of so many us; the step ends with a wait for all."""
    done, host, device = 0, [], []
    inputs = {}
    for place, (plain, lasts) in enumerate(calls):
        at, name = place * host_us, f"{plain}.T{place}"
        if plain in INPUTS:
            inputs[name] = INPUTS[plain]
        done = max(at + 5, done + 1) + lasts
        host += [f"{name} {at}-{at + host_us}", f"cudaLaunchKernel {at}-{at + host_us}"]
        device.append(f"{KERNELS.get(plain, 'elementwise_kernel')} {done - lasts}-{done} <- {name}")
    until = max(done, len(calls) * host_us) + 4
    host.append(f"cudaDeviceSynchronize {len(calls) * host_us}-{until}")
    drawn = f"thread 1 | ProfilerStep#1 0-{until} | {' | '.join(host)}\nstream 7 | {' | '.join(device)}"
    return with_inputs(trace_from_text(drawn), inputs, V100)


def replayed(trace: Trace, *edits: str) -> tuple[Replayed, Replayed]:
    """(as recorded, with the edits)."""
    graph = graph_of(trace)
    as_is, changed = replay(graph, [Durations.none(graph), edited(graph, [parse(each) for each in edits])])
    return as_is, changed


def test_a_chain_is_one_kernel_of_the_bytes_that_come_from_outside() -> None:
    _, fused = replayed(program(("aten::mul", 900), ("aten::div", 900), ("aten::add", 900), ("aten::mm", 500)), "fuse=0")
    tensor = 4 * 4096 * 4096
    # Three kernels move 9 tensors and hand on 2; 80 % of the rate of the best kernel in the file.
    expected_ns = (9 - 4) * tensor / (0.8 * 3 * tensor / (900 * US))
    assert fused.lasts.work_ns.tolist() == [pytest.approx(expected_ns, abs=2), 0, 0, 500 * US]
    assert fused.lasts.is_gone.tolist() == [False, True, True, False]
    assert (fused.lasts.call_ns == 0).sum() >= 2  # their launches


def test_a_chain_of_kernels_that_are_fast_already_does_not_become_longer() -> None:
    trace = program(("aten::mul", 900), ("aten::add", 1), ("aten::div", 1), ("aten::add", 1), ("aten::mm", 5))
    as_is, fused = replayed(trace, "fuse=0")
    assert fused.work_end_ns[0] <= as_is.work_end_ns[3]
    assert fused.work_end_ns[4] <= as_is.work_end_ns[4]


def test_without_sizes_a_chain_cannot_be_fused() -> None:
    trace = program(("aten::sub", 90), ("aten::sub", 90), ("aten::sub", 90))
    with pytest.raises(NotFoundError, match="record_shapes"):
        replayed(trace, "fuse=0")
    with pytest.raises(NotFoundError, match="no three kernels"):
        replayed(program(("aten::mm", 90)), "fuse=0")


ATTENTION = (("aten::baddbmm", 200), ("aten::div", 100), ("aten::_softmax", 100), ("aten::bmm", 200))


def test_attention_is_one_kernel_at_its_roof() -> None:
    _, fused = replayed(program(*ATTENTION, ("aten::mm", 50), *ATTENTION), "attention=0")
    flops, n_bytes = 4 * 12 * 128 * 128 * 64, 2 * 12 * 64 * 256 * 2
    expected_us = max(flops / (0.35 * 125e6), n_bytes / 900e3)  # V100: 125 TFLOP/s of half, 900 GB/s
    assert (fused.lasts.work_ns[[0, 5]] / US).tolist() == pytest.approx([expected_us] * 2, rel=0.01)
    assert fused.lasts.is_gone.tolist() == [False, True, True, True, False, False, True, True, True]


def test_attention_that_is_fused_already_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="attention"):
        replayed(program(("aten::mm", 50)), "attention=0")


def test_half_types_take_products_to_their_peak_and_halve_what_moves_memory() -> None:
    _, half = replayed(program(("aten::mm", 12_000), ("aten::mul", 900)), "precision=0")
    ratio = 15.7 / 125 / 0.6
    assert half.lasts.work_ns.tolist() == [pytest.approx(ratio * 12_000 * US, rel=0.01), 450 * US]


def test_half_types_change_nothing_that_is_half_already() -> None:
    with pytest.raises(NotFoundError, match="float32"):
        replayed(program(("aten::baddbmm", 100), ("aten::_softmax", 10)), "precision=0")


def test_a_batch_grows_what_two_shapes_tell() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-400 | aten::mm 0-10 | aten::mm_ 20-30 | aten::mm 40-50
        stream 7 | gemm 5-65 <- aten::mm | gemm 66-166 <- aten::mm_ | gemm 167-227 <- aten::mm
    """
    small, large = ("[[64,64],[64,64]]", '["float","float"]'), ("[[192,64],[64,64]]", '["float","float"]')
    trace = with_inputs(trace_from_text(drawn), {"aten::mm": small, "aten::mm_": large}, V100)
    place = trace.strings.index("aten::mm_")
    names = np.where(trace.events.name_id == place, trace.strings.index("aten::mm"), trace.events.name_id)
    trace = dataclasses.replace(trace, events=dataclasses.replace(trace.events, name_id=names))
    # 64 rows take 60 us, 192 take 100: 40 us are fixed.
    _, doubled = replayed(trace, "batch=2")
    assert (doubled.lasts.work_ns / US).tolist() == pytest.approx([80, 160, 80])
    with pytest.raises(NotFoundError, match="one shape"):
        replayed(program(("aten::mm", 90), ("aten::mm", 90)), "batch=2")


def test_a_line_is_its_own_time_without_what_it_calls() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-200 | train.py(9): step 0-200 | model.py(3): forward 50-100 | a 60-70 | cudaLaunchKernel 60-70
        stream 7 | k 66-75 <- a
    """
    base = baseline(trace_from_text(drawn))
    found = what_if(base, [[parse("line:train.py(9): step=0")], [parse("line:model.py(3): forward=0")], [parse("python=0")]])
    assert [int(base.replayed_ns[0] - ns[0]) // US for ns in found.alone_ns] == [150, 50, 185]
    with pytest.raises(NotFoundError, match="line"):
        edited(base.graph, [parse("line:train.py(1): main=0")])


def test_a_copy_from_pinned_memory_does_not_hold_the_host() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-300 | to 10-110 | cudaMemcpyAsync 10-110 | next 120-130 | cudaLaunchKernel 120-130
        stream 7 | Memcpy HtoD (Pageable -> Device) 20-115 <- to | gemm 126-280 <- next
    """
    base = baseline(trace_from_text(drawn))
    name = "copy:Memcpy HtoD (Pageable -> Device)=0"
    assert int(what_if(base, [[parse(name)]]).together_ns[0]) == 210 * US  # 90 us of the call


@pytest.mark.parametrize(
    "text", ["batch=0", "precision=0.5", "fuse=0.3", "attention=2", "batch", "finding=0", "line=0", "python:x=0"]
)
def test_what_an_edit_cannot_mean_is_one_error_that_says_what_is_allowed(text: str) -> None:
    with pytest.raises(UsageError, match="="):
        parse(text)


def test_a_module_may_be_named_as_such() -> None:
    assert str(parse("fuse:module=model.Block_0")) == "fuse:model.Block_0=0"


@st.composite
def computing(draw: st.DrawFn) -> Trace:
    """Chains, attention and products, on a host that is slower or faster than the device."""
    groups = st.sampled_from([(("aten::mul", 900), ("aten::add", 700), ("aten::div", 800)), ATTENTION, (("aten::mm", 300),)])
    calls = [call for group in draw(st.lists(groups, min_size=1, max_size=5)) for call in group]
    return program(*calls, host_us=draw(st.sampled_from([10, 150, 1500])))


@settings(max_examples=40)
@given(computing(), st.sampled_from(["fuse", "attention", "precision"]))
def test_laws(trace: Trace, subject: str) -> None:
    """A factor of 1 is the replay; the edit never takes longer; the step lasts as long as what is left of stream and host."""
    graph = graph_of(trace)
    try:
        changed = edited(graph, [parse(f"{subject}=0")])
    except NotFoundError:
        return
    as_is, same, less = replay(graph, [Durations.none(graph), edited(graph, [parse(f"{subject}=1")]), changed])
    assert same.work_end_ns.tolist() == as_is.work_end_ns.tolist()
    assert same.point_ns.tolist() == as_is.point_ns.tolist()
    assert (less.point_ns <= as_is.point_ns + len(graph.calls.row)).all()
    start, end = less.windows()
    lasts = int(end.max() - start.min())
    assert lasts >= less.lasts.work_ns.sum()
    assert lasts >= less.lasts.gap_ns.sum() + less.lasts.call_ns[~graph.waits].sum()
    assert less.lasts.work_ns.sum() <= as_is.lasts.work_ns.sum()


@settings(max_examples=30)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=6, unique=True), st.floats(0.2, 4), st.floats(0.2, 4))
def test_laws_of_a_batch(sizes: list[int], first: float, second: float) -> None:
    """One time as large is the replay; a larger one never takes less; twice as large takes at most twice as long."""
    host = " | ".join(f"op_{size} {20 * at}-{20 * at + 10}" for at, size in enumerate(sizes))
    work = " | ".join(f"gemm {100 * at + 200}-{100 * at + 210 + 5 * size} <- op_{size}" for at, size in enumerate(sizes))
    shapes = {f"op_{size}": (f"[[{64 * size},64]]", '["float"]') for size in sizes}
    trace = with_inputs(trace_from_text(f"thread 1 | ProfilerStep#1 0-2000 | {host}\nstream 7 | {work}"), shapes, V100)
    names = np.array(
        [trace.strings.index(f"op_{sizes[0]}") if text.startswith("op_") else at for at, text in enumerate(trace.strings)]
    )
    trace = dataclasses.replace(trace, events=dataclasses.replace(trace.events, name_id=names[trace.events.name_id]))
    graph = graph_of(trace)
    less, more = sorted((first, second))
    recorded, one, *grown = (graph.work.duration_ns, *(edited(graph, [parse(f"batch={k!r}")]).work_ns for k in (1.0, less, more)))
    assert one.tolist() == recorded.tolist()
    assert (grown[0] <= grown[1]).all()
    assert (grown[1] <= np.maximum(more, 1) * recorded + 1).all()


MEASURED = {
    "v100_resnet50_workers0_a": {
        "operator:Optimizer.zero_grad#SGD.zero_grad=0": 6.0,
        "host:Optimizer.step#SGD.step=0.05\noperator:Optimizer.step#SGD.step=0.5": 14.8,
        "loader=0": 59.6,
        "copy:Memcpy HtoD (Pageable -> Device)=0": 1.9,
    },
    "v100_resnet50_workers4_a": {
        "operator:Optimizer.zero_grad#SGD.zero_grad=0": 6.5,
        "host:Optimizer.step#SGD.step=0.05\noperator:Optimizer.step#SGD.step=0.5": 3.9,
        "copy:Memcpy HtoD (Pageable -> Device)=0": 3.2,
    },
    "h100_owlv2": {"attention=0": 358.0, "loader=0": 619.0, "attention=0\nloader=0": 977.0},
}
"""ms of a step that another implementation of the same replay gave."""


@pytest.mark.parametrize("name", MEASURED)
def test_gains_on_recordings_are_those_measured_elsewhere(name: str) -> None:
    (path, *_) = real(name) or (None,)
    if path is None:
        pytest.skip("the recording is not there")
    base = baseline(reader.read(path))
    asked = [[parse(line) for line in text.splitlines()] for text in MEASURED[name]]
    gains = [float((base.replayed_ns - ns).mean()) / 1e6 for ns in what_if(base, [*asked, []]).alone_ns]
    assert gains == pytest.approx([*MEASURED[name].values(), 0.0], rel=0.1)
