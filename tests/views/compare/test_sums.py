"""What one profile says of itself, against loops over its events."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path  # noqa: TC003  pytest reads the annotation

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.trace.times.idle import USES
from tb_plugin.trace.work.alike_operators import ALIKE, alike_operator
from tb_plugin.views.compare import SUMS
from tb_plugin.views.compare.sums.pieces import call_of, pieces
from tb_plugin.views.compare.sums.result import SumsParams
from tb_plugin.views.compare.sums.windows import windows
from tests.profiles import DEVICES, SAMPLES, over, real
from tests.views.compare.drawn import sums

SMALL = real("v100_resnet50_workers0_a", "h100_qwen", "mi300_qwen", "a100_nccl", "mi300_vllm_decode_graph")


def test_an_instant_that_two_share_counts_half_for_each() -> None:
    found = sums(
        "thread 1 | ProfilerStep#1 0-100 | aten::mm 1-2 | aten::add 3-4\n"
        "stream 7 | gemm 10-20 <- aten::mm\nstream 8 | add_k 15-25 <- aten::add"
    )
    wall = {call.operator: call.kernels[0].wall_ns for call in found.calls}
    assert wall == {"mm": [7_500], "add": [7_500]}
    assert found.steps[0].uses[0] == 15_000


def test_work_counts_in_the_step_that_it_lies_in_and_is_named_by_the_launch() -> None:
    found = sums(
        "thread 1 | ProfilerStep#1 0-50 | aten::mm 1-2 | ProfilerStep#2 50-100 | aten::add 60-61\n"
        "stream 7 | gemm 40-70 <- aten::mm | add_k 75-80 <- aten::add"
    )
    wall = {call.operator: (call.kernels[0].wall_ns, call.calls) for call in found.calls}
    assert wall == {"mm": ([30_000, 0], [1, 0]), "add": ([0, 5_000], [0, 1])}


def test_the_outermost_operator_counts_and_what_wraps_a_program_does_not() -> None:
    found = sums(
        "thread 1 | ProfilerStep#1 0-90 | DistributedDataParallel.forward 0-80 | aten::linear 10-30 | aten::addmm 15-20\n"
        "stream 7 | gemm 40-50 <- aten::addmm | lost 60-65"
    )
    assert [(call.operator, call.name) for call in found.calls] == [("", ""), ("linear", "aten::linear")]


def test_without_a_device_the_host_is_compared() -> None:
    found = sums("thread 1 | ProfilerStep#1 0-100 | aten::mm 10-30 | aten::add 40-45")
    assert (found.basis, found.steps[0].uses) == ("host", [25_000, 75_000])
    assert {call.operator: call.kernels[0].wall_ns for call in found.calls} == {"mm": [20_000], "add": [5_000]}


def test_every_rule_of_names_fits_its_sample() -> None:
    for rule in ALIKE:
        assert rule.pattern.search(alike_operator(rule.sample)) is None or rule.becomes, rule
    assert alike_operator("aten::cudnn_convolution") == alike_operator("aten::miopen_convolution") == "convolution"
    assert alike_operator("aten::_efficient_attention_forward") == "scaled_dot_product_attention"
    assert alike_operator("autograd::engine::evaluate_function: AddmmBackward0") == alike_operator("AddmmBackward")
    assert alike_operator("aten::native_batch_norm") == alike_operator("aten::batch_norm") == "batch_norm"
    assert len({alike_operator(name) for name in ("aten::add", "aten::add_", "aten::mul")}) == 3


@over(SAMPLES + SMALL)
def test_wall_shares_sum_to_the_busy_time_of_each_step(path: Path) -> None:
    found = SUMS.answer(reader.read(path), SumsParams())
    for place, step in enumerate(found.steps):
        assert sum(kernel.wall_ns[place] for call in found.calls for kernel in call.kernels) == step.uses[0]
        assert sum(step.parts) == sum(step.uses) == step.duration_ns
        if found.lines:
            assert sum(line.idle_ns[place] for line in found.lines) == step.uses[USES.index("waiting_for_host")]


def test_each_instant_of_waiting_is_of_the_innermost_event_of_the_thread_that_launches_next() -> None:
    found = sums("""
        thread 1 | ProfilerStep#0 0-100  | aten::cat 10-40  | aten::sum 20-30   | aten::mm 60-62
        thread 1 | ProfilerStep#1 100-200 | aten::cat 110-150 | aten::mm 160-162
        stream 7 | gemm 70-90 <- aten::mm | gemm 170-200 <- aten::mm
    """)
    waiting = {line.text: [ns // 1000 for ns in line.idle_ns] for line in found.lines}
    # Nothing is launched in 0-60 and 90-160; from the launch on it is a launch gap.
    assert waiting == {"aten::cat": [20, 40], "aten::sum": [10, 0], "Python between operators": [40, 20]}


@over(DEVICES + SMALL)
def test_wall_shares_are_those_of_a_sweep_over_all_edges(path: Path) -> None:
    trace = reader.read(path)
    found, events = SUMS.answer(trace, SumsParams()), trace.events
    work = np.flatnonzero(np.isin(events.kind, list(DEVICE_KINDS))).tolist()
    devices = {int(trace.tracks.device[events.track[row]]) for row in work}
    if len(work) > 20_000 or len(devices) != 1:
        return
    expected: dict[str, float] = defaultdict(float)
    spans = [(step.start_ns, step.start_ns + step.duration_ns) for step in found.steps]
    edges = sorted({*(int(events.start_ns[row]) for row in work), *(int(events.end_ns[row]) for row in work), *sum(spans, ())})
    place = {edge: i for i, edge in enumerate(edges)}
    running: list[list[int]] = [[] for _ in edges]
    for row in work:
        for i in range(place[int(events.start_ns[row])], place[int(events.end_ns[row])]):
            running[i].append(row)
    for i, rows in enumerate(running[:-1]):
        if rows and any(start <= edges[i] < end for start, end in spans):
            for row in rows:
                expected[trace.text(int(events.name_id[row]))] += (edges[i + 1] - edges[i]) / len(rows)
    mine: dict[str, int] = defaultdict(int)
    for call in found.calls:
        for kernel in call.kernels:
            mine[kernel.name] += sum(kernel.wall_ns)
    assert mine.keys() == expected.keys()
    slack = len(found.steps) * 2
    assert all(
        abs(mine[name] - expected[name]) <= slack * max(1, sum(k.name == name for c in found.calls for k in c.kernels))
        for name in mine
    )
    assert NONE not in mine.values()


def test_undisturbed_is_the_sum_of_each_calls_fastest_step() -> None:
    found = sums(
        "thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | aten::add 10-19 | aten::mm 20-24 | "
        "ProfilerStep#2 100-200 | aten::mm 100-104 | aten::add 110-113 | aten::mm 120-124"
    )
    assert found.undisturbed_ns == 4_000 + 3_000 + 4_000
    many = [" | ".join(f"aten::mm {t0 + 5 * i}-{t0 + 5 * i + 4}" for i in range(9)) for t0 in (0, 100)]
    once = sums(f"thread 1 | ProfilerStep#1 0-100 | {many[0]} | ProfilerStep#2 100-200 | {many[1]} | aten::add 180-188")
    assert once.undisturbed_ns == 9 * 4_000 + 8_000 // 2


@over(SMALL)
def test_undisturbed_is_that_of_a_loop_over_all_pieces(path: Path) -> None:
    trace = reader.read(path)
    found = windows(trace, "")
    basis, cut = pieces(trace, found)
    call = call_of(trace, basis, cut.row)
    events, fastest, ordinals = trace.events, defaultdict(list), Counter()  # type: ignore[var-annotated]
    kept = [i for i in range(len(cut.row)) if found.kind[cut.window[i]] == 0]
    for i in sorted(kept, key=lambda i: (cut.start_ns[i], cut.wall_ns[i])):
        window = int(cut.window[i])
        key = (int(events.name_id[call[i]]) if call[i] != NONE else NONE, int(events.name_id[cut.row[i]]))
        fastest[key, ordinals[key, window]].append(float(cut.wall_ns[i]))
        ordinals[key, window] += 1
    expected = sum(min(times) * len(times) for times in fastest.values()) / int((found.kind == 0).sum())
    answer = SUMS.answer(trace, SumsParams())
    assert answer.undisturbed_ns == round(expected)
    assert 0 < answer.undisturbed_ns <= np.mean([step.uses[0] for step in answer.steps if step.kind == 0]) + 1
