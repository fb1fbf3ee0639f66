from __future__ import annotations

import dataclasses

import numpy as np

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Live, Trace
from tb_plugin.views.operators import VIEW
from tb_plugin.views.operators.result import OperatorRow, Operators, OperatorsParams
from tests.trace_text import trace_from_text


def compute(text: str) -> Operators:
    return VIEW.main.answer(trace_from_text(text), OperatorsParams())


def times(result: Operators) -> dict[str, tuple[int, int | None, int | None, int, int]]:
    """Name to (calls, host self, host total, device self, device total), times in microseconds."""

    def us(ns: int | None) -> int | None:
        return None if ns is None else ns // 1000

    def row_times(row: OperatorRow) -> tuple[int, int | None, int | None, int, int]:
        return row.count, us(row.host_self_ns), us(row.host_total_ns), row.device_self_ns // 1000, row.device_total_ns // 1000

    return {row.name: row_times(row) for row in result.rows}


def test_self_time_is_without_what_was_called() -> None:
    found = times(
        compute("""
            thread 1 | ProfilerStep#1 0-100 | aten::linear 10-60 | aten::t 12-20 | aten::addmm 20-50
            stream 7 | gemm 70-95 <- aten::addmm | bias 95-99 <- aten::linear
        """)
    )
    assert found == {
        "ProfilerStep*": (1, 50, 100, 0, 29),
        "aten::linear": (1, 12, 50, 4, 29),
        "aten::t": (1, 8, 8, 0, 0),
        "aten::addmm": (1, 30, 30, 25, 25),
    }


def test_steps_are_one_row() -> None:
    found = times(compute("thread 1 | ProfilerStep#1 0-10 | ProfilerStep#2 10-30"))
    assert found == {"ProfilerStep*": (2, 30, 30, 0, 0)}


def test_python_frames_take_time_but_are_no_rows() -> None:
    found = times(compute("thread 1 | <range> 0-100 | net.py(3): forward 10-90 | aten::mm 20-50"))
    assert found == {"range": (1, 20, 100, 0, 0), "aten::mm": (1, 30, 30, 0, 0)}


def test_names_that_torch_hides_leave_their_time_to_their_parents() -> None:
    found = times(compute("thread 1 | aten::add 0-100 | aten::is_leaf 10-30 | aten::view 12-20"))
    assert found == {"aten::add": (1, 92, 100, 0, 0), "aten::view": (1, 8, 8, 0, 0)}


def test_an_operator_that_only_wraps_itself_counts_once() -> None:
    found = times(
        compute("""
            thread 1 | aten::mm 0-100 | aten::mm 10-90 | aten::mm 20-80 | aten::empty 30-40
            stream 7 | gemm 100-110 <- aten::empty
        """)
    )
    assert found == {"aten::mm": (1, 90, 100, 0, 10), "aten::empty": (1, 10, 10, 10, 10)}


def test_an_operator_that_calls_itself_among_others_counts_twice() -> None:
    assert times(compute("thread 1 | aten::to 0-100 | aten::to 10-40 | aten::copy_ 50-60"))["aten::to"] == (2, 90, 130, 0, 0)


def test_ranges_that_overlap_in_part_never_give_negative_time() -> None:
    result = compute("thread 1 | aten::cat 0-100 | <a> 0-90 | <b> 10-100")
    assert all(row.host_self_ns is not None and row.host_self_ns >= 0 for row in result.rows)


def test_device_work_without_a_launch_is_not_attributed() -> None:
    result = compute("""
        thread 1 | aten::mm 0-10
        stream 7 | gemm 5-25 <- aten::mm | lost 30-37
    """)
    assert times(result)["not attributed"] == (1, None, None, 7, 7)
    assert (result.totals.device_self_ns, result.totals.not_attributed_ns) == (27_000, 7_000)


def test_a_launch_without_an_operator_is_a_row_of_its_own() -> None:
    (row,) = compute("""
        thread 1 | cudaGraphLaunch 0-10
        stream 7 | gemm 5-25 <- cudaGraphLaunch
    """).rows
    assert (row.name, row.kind, row.device_self_ns) == ("cudaLaunchKernel", "launch", 20_000)


def test_asynchronous_ranges_have_no_self_time_and_hold_nothing() -> None:
    trace = trace_from_text("thread 1 | <gloo:all_reduce> 0-50 | aten::add 10-80 | aten::empty 20-30")
    row = int(np.flatnonzero(trace.events.end_ns == 50_000)[0])
    live = Live.from_columns({"row": np.array([row]), "is_async": np.array([True])})
    found = times(VIEW.main.answer(dataclasses.replace(trace, live=live), OperatorsParams()))
    assert found == {"gloo:all_reduce": (1, 0, 50, 0, 0), "aten::add": (1, 60, 70, 0, 0), "aten::empty": (1, 10, 10, 0, 0)}


def test_groups_by_shapes_split_a_name() -> None:
    trace = trace_from_text("thread 1 | aten::mm 0-10 | aten::mm 10-30 | aten::mm 30-60")
    strings = (*trace.strings, "[[2,2]]", "[[4,4]]")
    shapes = np.array([len(strings) - 2, len(strings) - 1, len(strings) - 1], np.int32)
    trace = dataclasses.replace(trace, strings=strings, events=dataclasses.replace(trace.events, shapes_id=shapes))
    result = VIEW.main.answer(trace, OperatorsParams(group_by="shapes"))
    assert [(row.input_shapes, row.count, row.host_self_ns) for row in result.rows] == [
        ("[[4,4]]", 2, 50_000),
        ("[[2,2]]", 1, 10_000),
    ]
    assert result.has_shapes
    assert len(VIEW.main.answer(trace, OperatorsParams()).rows) == 1


def test_an_empty_trace_says_how_to_record() -> None:
    trace = trace_from_text("")
    assert "ProfilerActivity.CPU" in (VIEW.main.missing(trace) or "")
    assert VIEW.main.answer(trace, OperatorsParams()).rows == []


def test_a_device_only_trace_is_all_not_attributed() -> None:
    trace = trace_from_text("stream 7 | gemm 0-10 | Memcpy HtoD 10-30")
    assert VIEW.main.missing(trace) is None
    (row,) = VIEW.main.answer(trace, OperatorsParams()).rows
    assert (row.kind, row.count, row.device_self_ns) == ("not_attributed", 2, 30_000)


def test_text_and_csv_have_every_row() -> None:
    result = compute("""
        thread 1 | aten::mm 0-10
        stream 7 | gemm 5-25 <- aten::mm | lost 30-37
    """)
    lines = VIEW.main.text(result).splitlines()
    assert [line.split()[-1] for line in lines[2:4]] == ["aten::mm", "attributed"]
    table = VIEW.main.table(result)
    assert dict(zip(table.columns, table.rows[0], strict=True))["device_self_ns"] == 20_000
    assert dict(zip(table.columns, table.rows[1], strict=True))["host_self_ns"] is None


def test_sums_match_a_naive_reference() -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | aten::a 1-40 | aten::b 2-20 | aten::b 3-10 | aten::c 4-6 | aten::c 12-14 | aten::b 21-30
        thread 2 | aten::a 5-50 | aten::b 6-49 | aten::b 7-8 | aten::c 9-10
        stream 7 | k1 50-60 <- aten::b | k2 60-64 <- aten::c | k3 70-80 <- aten::a
    """)
    found = {
        name: (calls, own, total) for name, (calls, _, _, own, total) in times(VIEW.main.answer(trace, OperatorsParams())).items()
    }
    assert {name: row for name, row in _naive_device(trace).items() if name in found} == found


def _naive_device(trace: Trace) -> dict[str, tuple[int, int, int]]:
    """Name to (calls, device self, device total) in us, by walking up from every kernel. No operator here wraps only itself."""
    events = trace.events
    rows = [row for row in range(len(events)) if events.kind[row] in (Kind.OPERATOR, Kind.ANNOTATION)]
    sums: dict[str, list[int]] = {}
    for row in rows:
        sums.setdefault(_name(trace, row), [0, 0, 0])[0] += 1
    for kernel in np.flatnonzero(events.kind == Kind.KERNEL).tolist():
        ns = int(events.end_ns[kernel] - events.start_ns[kernel]) // 1000
        above = int(events.owner[kernel])
        sums[_name(trace, above)][1] += ns
        while above >= 0:
            sums[_name(trace, above)][2] += ns
            above = int(events.nest_parent[above])
    return {name: (calls, own, total) for name, (calls, own, total) in sums.items()}


def _name(trace: Trace, row: int) -> str:
    name = trace.text(int(trace.events.name_id[row]))
    return "ProfilerStep*" if name.startswith("ProfilerStep#") else name
