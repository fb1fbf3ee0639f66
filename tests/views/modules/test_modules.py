from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from tb_plugin.trace.args import ArgsWriter
from tb_plugin.views.modules import VIEW
from tb_plugin.views.modules.result import ModuleRow, Modules, ModulesParams
from tests.trace.numbered import numbered
from tests.trace_text import trace_from_text
from tests.views.modules.checked import checked, checked_classes

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

EVALUATE = "autograd::engine::evaluate_function: "


def compute(text: str, **params: str) -> Modules:
    """Each module a row, where nothing else is asked for."""
    params = {"group_by": "instance"} | params
    return checked(VIEW.main.answer(trace_from_text(text), VIEW.main.params_from(params)))


def us(ns: int | None) -> int | None:
    return None if ns is None else ns // 1000


def host(result: Modules) -> dict[str, tuple[int | None, int | None, int | None]]:
    """Path to (calls, host forward self, host forward total), in microseconds; modules only."""
    return {
        row.path: (row.calls, us(row.host.forward_self_ns), us(row.host.forward_total_ns))
        for row in result.rows
        if row.host and row.kind == "module"
    }


def row_of(result: Modules, path: str) -> ModuleRow:
    return next(row for row in result.rows if row.path == path)


NET = """
    thread 1 | nn.Module: Net_0 0-100 | net.py(3): forward 2-98 | nn.Module: Linear_0 10-30 | aten::linear 12-28
    thread 1 | nn.Module: Linear_0 40-50 | nn.Module: ReLU_0 50-60 | aten::relu 52-58
    stream 7 | gemm 20-44 <- aten::linear | relu 60-70 <- aten::relu
"""


def test_a_path_is_one_row_and_its_calls_are_counted() -> None:
    assert host(compute(NET)) == {"Net_0": (1, 60, 100), "Net_0/Linear_0": (2, 30, 30), "Net_0/ReLU_0": (1, 10, 10)}


def test_device_work_belongs_to_the_innermost_module_around_its_launch() -> None:
    result = compute(NET)
    times = {row.path: (us(row.device.self_ns), us(row.device.total_ns), row.kernels_total) for row in result.rows}
    assert times == {
        "Net_0": (0, 34, 2),
        "Net_0/Linear_0": (24, 24, 1),
        "Net_0/ReLU_0": (10, 10, 1),
        "not in a module": (0, 0, 0),
    }
    assert row_of(result, "Net_0/Linear_0").class_name == "Linear"


def test_the_same_module_under_two_parents_is_two_rows() -> None:
    found = host(compute("thread 1 | nn.Module: A_0 0-10 | nn.Module: X_0 2-5 | nn.Module: B_0 20-30 | nn.Module: X_0 21-25"))
    assert found == {"A_0": (1, 7, 10), "A_0/X_0": (1, 3, 3), "B_0": (1, 6, 10), "B_0/X_0": (1, 4, 4)}


def test_calls_that_touch_are_neighbours() -> None:
    found = host(compute("thread 1 | nn.Module: A_0 0-10 | nn.Module: B_0 10-20 | nn.Module: C_0 10-20"))
    assert found == {"A_0": (1, 10, 10), "B_0": (1, 0, 10), "B_0/C_0": (1, 10, 10)}


def test_what_is_in_no_module_makes_the_sums_whole() -> None:
    result = compute("""
        thread 1 | ProfilerStep#1 0-200 | nn.Module: A_0 10-60 | aten::mm 20-30 | Optimizer.step 100-150
        thread 2 | aten::unseen 0-500
        stream 7 | gemm 30-70 <- aten::mm | adam 110-140 <- Optimizer.step | lost 150-153
    """)
    outside, lost = result.rows[-2:]
    assert (outside.kind, lost.kind) == ("outside", "not_attributed")
    assert outside.host is not None
    assert (us(outside.host.self_ns), us(outside.device.self_ns), outside.kernels_self) == (150, 30, 1)
    assert outside.host.forward_self_ns is None
    assert lost.device.backward_self_ns is None
    assert (lost.host, us(lost.device.self_ns), lost.kernels_self) == (None, 3, 1)
    assert (us(result.totals.host_ns), us(result.totals.device_ns)) == (200, 73)


def test_ranges_that_overlap_modules_in_part_take_nothing_from_them() -> None:
    found = host(compute("thread 1 | nn.Module: A_0 0-50 | <range> 40-90 | nn.Module: B_0 60-100 | aten::mm 70-80"))
    assert found == {"A_0": (1, 50, 50), "B_0": (1, 40, 40)}


def backward_of(forward_text: str, backward_text: str, *names: str) -> Modules:
    trace = numbered(f"{forward_text}\n{backward_text}", dict.fromkeys(names, 1))
    return checked(VIEW.main.answer(trace, ModulesParams(group_by="instance")))


def test_backward_belongs_to_the_module_of_the_forward_operator() -> None:
    result = backward_of(
        "thread 1 | nn.Module: Net_0 0-50 | nn.Module: Linear_0 5-25 | aten::linear#1 8-20 | aten::addmm#1 10-18",
        f"""
        thread 2 | {EVALUATE}AddmmBackward0#1 100-140 | AddmmBackward0#1 105-130 | aten::mm 110-120
        thread 2 | {EVALUATE}AccumulateGrad 150-160 | aten::add_ 152-158
        stream 7 | gemm 120-150 <- aten::mm | add 160-162 <- aten::add_
        """,
        f"{EVALUATE}AddmmBackward0",
        "AddmmBackward0",
    )
    linear, outside = row_of(result, "Net_0/Linear_0"), row_of(result, "not in a module")
    assert linear.host is not None
    assert linear.host.backward_self_ns == 40_000
    assert linear.device.backward_self_ns == 30_000
    assert (linear.host.forward_self_ns, linear.device.forward_self_ns) == (20_000, 0)
    assert row_of(result, "Net_0").device.backward_total_ns == 30_000
    assert outside.host is not None
    assert (outside.host.backward_self_ns, outside.device.backward_self_ns) == (10_000, 2_000)
    assert result.has_backward


def test_a_module_recomputed_in_the_backward_pass_is_its_first_row_and_backward_time() -> None:
    result = backward_of(
        """
        thread 1 | nn.Module: Net_0 0-50 | nn.Module: Block_0 5-45 | nn.Module: ReLU_0 10-20 | aten::relu#1 12-18
        """,
        f"""
        thread 2 | {EVALUATE}ReluBackward0#1 100-200 | nn.Module: Block_0 110-160 | nn.Module: ReLU_0 120-150 | aten::relu 130-140
        stream 7 | relu 140-147 <- aten::relu
        """,
        f"{EVALUATE}ReluBackward0",
    )
    relu = row_of(result, "Net_0/Block_0/ReLU_0")
    assert [row.path for row in result.rows] == ["Net_0", "Net_0/Block_0", "Net_0/Block_0/ReLU_0", "not in a module"]
    assert (relu.calls, relu.recomputed, relu.device.backward_self_ns) == (1, 1, 7_000)
    assert relu.host is not None
    assert relu.host.backward_self_ns == 80_000  # the autograd range without Block_0, and its own call
    block = row_of(result, "Net_0/Block_0")
    assert block.host is not None
    assert block.host.backward_self_ns == 20_000


LAYERS = """
    thread 1 | ProfilerStep#1 0-200 | nn.Module: Net_0 0-100 | nn.Module: Block_0 10-40 | nn.Module: Linear_0 12-30
    thread 1 | nn.Module: Block_1 50-90 | nn.Module: Linear_1 52-60 | aten::mm 53-58 | nn.Module: ReLU_0 70-80
    thread 1 | ProfilerStep#2 300-400 | nn.Module: Net_0 310-350 | nn.Module: Block_1 320-345 | aten::relu 330-340
    stream 7 | gemm 60-75 <- aten::mm | relu 340-347 <- aten::relu
"""


def test_siblings_of_a_class_are_one_row_and_nothing_is_lost() -> None:
    each, together = compute(LAYERS), compute(LAYERS, group_by="class_path")
    rows = {row.path: row for row in together.rows}
    assert list(rows) == ["Net", "Net/Block", "Net/Block/Linear", "Net/Block/ReLU", "not in a module"]
    facts = {path: (row.instances, row.calls, row.operators_total, us(row.device.total_ns)) for path, row in rows.items()}
    assert facts == {
        "Net": (1, 2, 2, 22),
        "Net/Block": (2, 3, 2, 22),
        "Net/Block/Linear": (2, 2, 1, 15),
        "Net/Block/ReLU": (1, 1, 0, 0),
        "not in a module": (0, None, 0, 0),
    }
    assert together.totals == each.totals
    assert {row.path: row.instances for row in each.rows if row.kind == "module"} == dict.fromkeys(
        ("Net_0", "Net_0/Block_0", "Net_0/Block_0/Linear_0", "Net_0/Block_1", "Net_0/Block_1/Linear_1", "Net_0/Block_1/ReLU_0"), 1
    )


NESTED = """
    thread 1 | nn.Module: Net_0 0-100 | nn.Module: Block_0 10-60 | nn.Module: Block_1 20-50 | aten::mm 25-40
    thread 1 | nn.Module: Block_2 70-90 | nn.Module: Linear_0 75-85
    stream 7 | gemm 30-44 <- aten::mm
"""


def test_a_class_sums_its_modules_and_one_in_another_of_its_class_counts_once() -> None:
    classes = checked_classes(compute(NESTED), VIEW.main.answer(trace_from_text(NESTED), ModulesParams()))
    block = row_of(classes, "Block")
    assert block.host
    assert (block.instances, block.calls, us(block.host.self_ns), us(block.host.total_ns)) == (3, 3, 60, 70)
    assert (us(block.device.self_ns), us(block.device.total_ns)) == (14, 14)
    inside = [row.name for row in classes.rows if row.parent == block.id]
    assert inside == ["Block_0", "Block_1", "Block_2"]
    assert [row.name for row in classes.rows if row.parent is None] == ["Block", "Net", "Linear", "not in a module"]


def test_the_same_module_at_two_places_is_one_instance() -> None:
    net = """
        thread 1 | nn.Module: Net_0 0-100 | nn.Module: A_0 10-40 | nn.Module: Linear_0 20-30
        thread 1 | nn.Module: B_0 50-90 | nn.Module: Linear_0 60-80
    """
    linear = row_of(VIEW.main.answer(trace_from_text(net), ModulesParams(group_by="class")), "Linear")
    assert (linear.instances, linear.calls) == (1, 2)
    assert VIEW.main.answer(trace_from_text(net), ModulesParams()).group_by == "instance"


def test_a_row_leads_to_its_first_and_its_longest_call_and_finds_all_by_name() -> None:
    block = row_of(compute(LAYERS), "Net_0/Block_1")
    assert (us(block.first_start_ns), us(block.longest_start_ns), us(block.longest_end_ns)) == (50, 50, 90)
    assert block.calls_pattern == "^nn\\.Module: Block_1$"
    blocks = row_of(compute(LAYERS, group_by="class_path"), "Net/Block")
    assert (us(blocks.first_start_ns), us(blocks.longest_start_ns)) == (10, 50)
    found = [name for name in ("Block_0", "Block_12", "Block_x") if re.search(blocks.calls_pattern, f"nn.Module: {name}")]
    assert found == ["Block_0", "Block_12"]


def test_a_selection_counts_what_is_in_it() -> None:
    result = compute(LAYERS, steps="2")
    assert host(result) == {"Net_0": (1, 15, 40), "Net_0/Block_1": (1, 25, 25)}
    assert (us(result.totals.host_ns), us(result.totals.device_ns)) == (100, 7)
    block = row_of(result, "Net_0/Block_1")
    assert (us(block.first_start_ns), us(block.longest_start_ns)) == (320, 320)

    result = compute(LAYERS, module="Net_0/Block_1")
    assert host(result) == {
        "Net_0": (None, 0, 65),  # around what is selected: how often it was called is another question
        "Net_0/Block_1": (2, 47, 65),
        "Net_0/Block_1/Linear_1": (1, 8, 8),
        "Net_0/Block_1/ReLU_0": (1, 10, 10),
    }
    assert us(row_of(result, "not in a module").device.total_ns) == 0


def test_calls_inside_torchscript_are_not_recorded() -> None:
    trace = with_hierarchies(
        "thread 1 | forward 0-90 | aten::linear 10-40 | aten::addmm 12-30 | aten::relu 50-60",
        {
            "forward": "TOP(Net)::forward.",
            "aten::linear": "TOP(Net)::forward.fc(Linear)::forward.",
            "aten::addmm": "TOP(Net)::forward.fc(Linear)::forward.",
            "aten::relu": "TOP(Net)::forward.SELF(Net)::act.",
        },
    )
    result = checked(VIEW.main.answer(trace, ModulesParams(group_by="instance")))
    assert VIEW.main.missing(trace) is None
    assert host(result) == {"Net": (None, 60, 90), "Net/fc": (None, 30, 30)}
    assert not result.has_calls
    row = row_of(result, "Net/fc")
    assert (row.qualified, row.class_name, row.calls_pattern, row.operators_self) == ("fc", "Linear", "", 1)
    assert [line.split()[-1] for line in VIEW.main.text(result).splitlines()[2:4]] == ["Net", "fc"]


def with_hierarchies(text: str, of_names: dict[str, str]) -> Trace:
    """A drawing whose operators say where they ran in a scripted model."""
    trace = trace_from_text(text)
    texts = [""] * (max(trace.events.order.tolist()) + 1)
    for order, name_id in zip(trace.events.order.tolist(), trace.events.name_id.tolist(), strict=True):
        texts[order] = of_names.get(trace.text(name_id), "")
    writer = ArgsWriter()
    writer.add(msgspec.json.encode([{"Module Hierarchy": text} for text in texts]), len(texts))
    info = msgspec.structs.replace(trace.info, with_modules=True)
    return dataclasses.replace(trace, args=writer.finish(), info=info)


def test_without_frames_it_says_how_to_record() -> None:
    for text in ("", "thread 1 | aten::mm 0-10", "stream 7 | gemm 0-10"):
        trace: Trace = trace_from_text(text)
        assert "with_stack=True" in (VIEW.main.missing(trace) or "")
        checked(VIEW.main.answer(trace, ModulesParams(group_by="instance")))
    assert VIEW.main.missing(trace_from_text(NET)) is None


def test_text_and_csv_have_every_row() -> None:
    result = compute(NET)
    lines = VIEW.main.text(result).splitlines()
    assert [line.split("%")[-1].strip() for line in lines[2:5]] == ["Net_0", "· Linear_0", "· ReLU_0"]
    assert "no backward operators" in lines[-1]
    table = VIEW.main.table(result)
    row = dict(zip(table.columns, table.rows[1], strict=True))
    assert (row["path"], row["host_forward_self_ns"], row["device_total_ns"]) == ("Net_0/Linear_0", 30_000, 24_000)


def test_without_modules_the_text_has_no_total_of_threads_that_run_them() -> None:
    without, with_some = trace_from_text("thread 1 | aten::mm 0-10"), trace_from_text(NET)
    assert VIEW.main.text(VIEW.main.answer(without, ModulesParams())) == "No modules are in what was recorded."
    assert "on the threads that run modules" in VIEW.main.text(VIEW.main.answer(with_some, ModulesParams()))
