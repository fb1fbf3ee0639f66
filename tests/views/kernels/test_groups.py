from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.compute.largest import MOST_ROWS
from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.views.kernels import VIEW
from tb_plugin.views.kernels.copies import copy_kind
from tb_plugin.views.kernels.details import details
from tb_plugin.views.kernels.result import KernelDetailsParams, KernelsParams
from tests.trace_text import trace_from_text
from tests.views.kernels.drawing import with_work

STEP = """
    thread 1          | ProfilerStep#1 0-100 | aten::mm 0-15 | aten::add 20-30
    stream 7          | nvjet_gemm 5-15 <- aten::mm | nvjet_gemm 40-70 <- aten::mm | elementwise_kernel 70-75 <- aten::add
    stream 8          | attn_fwd 50-80 <- aten::add | ncclDevKernel_AllReduce 80-90 | Memcpy HtoD (Pageable -> Device) 91-95
    device 1 stream 7 | nvjet_gemm 0-10 | Memset (Device) 10-12
"""
GROUPS = ("name", "launch", "operator", "module", "stream", "category")


def rows_of(**query: str) -> list[tuple[str, int, int]]:
    result = VIEW.main.answer(trace_from_text(STEP), VIEW.main.params_from(query))
    return [(row.name, row.count, row.total_ns) for row in result.rows]


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("kind", ["kernel", "copy", "set", "all"])
def test_every_grouping_adds_up_to_the_same_time(group: str, kind: str) -> None:
    result = VIEW.main.answer(trace_from_text(STEP), VIEW.main.params_from({"group_by": group, "kind": kind}))
    plain = VIEW.main.answer(trace_from_text(STEP), VIEW.main.params_from({"kind": kind}))
    for part in (result.rows, result.categories):
        assert (sum(row.count for row in part), sum(row.total_ns for row in part)) == (plain.count, plain.total_ns)
    assert sum(row.share for row in result.rows) == pytest.approx(1)
    assert (result.matrix_ns, result.matrix_unknown_ns, result.busy_ns) == (
        plain.matrix_ns,
        plain.matrix_unknown_ns,
        plain.busy_ns,
    )


def test_by_operator_what_nobody_launched_is_one_row_without_a_name() -> None:
    assert rows_of(group_by="operator") == [("aten::mm", 2, 40_000), ("aten::add", 2, 35_000), ("", 2, 20_000)]


def test_by_stream_devices_are_told_apart() -> None:
    assert rows_of(group_by="stream") == [
        ("device 0, stream 7", 3, 45_000),
        ("device 0, stream 8", 2, 40_000),
        ("device 1, stream 7", 1, 10_000),
    ]


def test_by_category_and_one_category_alone() -> None:
    assert rows_of(group_by="category", kind="all") == [
        ("Matrix multiply", 3, 50_000),
        ("Attention", 1, 30_000),
        ("Communication", 1, 10_000),
        ("Elementwise", 1, 5_000),
        ("Copy", 1, 4_000),
        ("Set", 1, 2_000),
    ]
    only = VIEW.main.answer(trace_from_text(STEP), KernelsParams(category="attention"))
    assert [row.name for row in only.rows] == ["attn_fwd"]
    assert only.rows[0].share == 1
    assert sum(each.total_ns for each in only.categories) == 95_000  # the bar keeps showing the others


def test_by_module_where_none_was_recorded() -> None:
    result = VIEW.main.answer(trace_from_text(STEP), KernelsParams(group_by="module"))
    offered = {each.id: each.missing for each in result.groupings}
    assert ([row.name for row in result.rows], "with_stack=True" in (offered["module"] or "")) == ([""], True)


def test_by_module_work_is_in_the_innermost_module_around_its_launch() -> None:
    result = VIEW.main.answer(
        trace_from_text("""
            thread 1 | nn.Module: Net_0 0-50 | nn.Module: Linear_0 10-30 | aten::mm 12-20 | aten::add 35-40
            stream 7 | nvjet_gemm 30-40 <- aten::mm | elementwise_kernel 40-41 <- aten::add
        """),
        KernelsParams(group_by="module"),
    )
    assert [(row.name, row.total_ns) for row in result.rows] == [("Net_0/Linear_0", 10_000), ("Net_0", 1_000)]
    assert not any(each.missing for each in result.groupings)


def test_what_calls_do_not_agree_on_is_several() -> None:
    add = VIEW.main.answer(trace_from_text(STEP), KernelsParams(group_by="operator")).rows[1]
    assert (add.name, add.names, add.category, add.matrix_core) == ("aten::add", 2, None, "several")
    assert (add.matrix_ns, add.matrix_unknown_ns) == (30_000, 0)
    (row,) = VIEW.main.answer(
        trace_from_text("stream 7 | k 0-1 | Memset (Device) 1-2"), KernelsParams(kind="all", group_by="stream")
    ).rows
    assert (row.kind, row.matrix_core) == ("several", "unknown")  # sets have no say


def test_matrix_cores_are_yes_no_or_unknown() -> None:
    found = {row.name: row.matrix_core for row in VIEW.main.answer(trace_from_text(STEP), KernelsParams(kind="all")).rows}
    assert found == {
        "nvjet_gemm": "yes",
        "attn_fwd": "yes",
        "elementwise_kernel": "no",
        "ncclDevKernel_AllReduce": "no",
        "Memcpy HtoD (Pageable -> Device)": None,
        "Memset (Device)": None,
    }


def test_flops_are_unknown_only_where_there_may_be_some() -> None:
    rows = VIEW.main.answer(trace_from_text(STEP), KernelsParams(kind="all")).rows
    assert all(row.flops is None for row in rows)  # no shapes
    assert {row.name for row in rows if row.may_multiply} == {"nvjet_gemm", "attn_fwd"}
    of_streams = VIEW.main.answer(trace_from_text(STEP), KernelsParams(kind="all", group_by="stream")).rows
    assert [row.may_multiply for row in of_streams] == [True, True, True]  # each has one kernel that may


def test_registers_are_shown_where_all_calls_agree() -> None:
    trace = trace_from_text("stream 7 | k 0-10 | k 10-40")
    same = with_work(trace, "k", registers=[32, 32], shared_bytes=[0, 1024])
    (row,) = VIEW.main.answer(same, KernelsParams()).rows
    assert (row.registers, row.shared_bytes) == (32, None)


def test_launch_delay_is_a_median_of_calls_with_a_launch() -> None:
    trace = trace_from_text("""
        thread 1 | a 0-1 | b 10-11 | c 20-21
        stream 7 | k 4-8 <- a | k 11-12 <- b | k 60-61 <- c | k 70-71
    """)
    (row,) = VIEW.main.answer(trace, KernelsParams()).rows
    assert (row.launch_delay_median_ns, row.launch_delay_max_ns, row.queue_length) == (4_000, 40_000, 0)


def test_bandwidth_is_over_the_calls_that_have_bytes() -> None:
    name = "Memcpy HtoD (Pageable -> Device)"
    trace = with_work(trace_from_text(f"stream 7 | {name} 0-10 | {name} 10-40"), name, bytes=[1000, -1])
    (row,) = VIEW.main.answer(trace, KernelsParams(kind="copy")).rows
    assert (row.bytes, row.copy_kind) == (1000, "pageable host to device")
    assert row.bytes_per_s == pytest.approx(1000 / 10e-6)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Memcpy DtoH (Device -> Pinned)", "device to pinned host"),
        ("Memcpy DtoD (Device -> Device)", "device to device"),
        ("Memcpy HtoD (Host -> Device)", "host to device"),
        ("Memcpy PtoP (Device -> Device)", "peer to peer"),
        ("CopyDeviceToHost", "device to host"),
        ("Memcpy", None),
    ],
)
def test_copies_say_from_where_to_where(name: str, words: str | None) -> None:
    assert copy_kind(name) == words


@pytest.mark.parametrize("query", [{"steps": "1"}, {"devices": "1"}, {"streams": "8"}, {"inside": "aten::mm"}])
@pytest.mark.parametrize("group", GROUPS)
def test_under_a_filter_every_row_is_its_details(query: dict[str, str], group: str) -> None:
    trace = trace_from_text(STEP)
    params = VIEW.main.params_from({**query, "group_by": group, "kind": "all"})
    result = VIEW.main.answer(trace, params)
    assert result.rows
    for row in result.rows:
        found = details(
            trace, msgspec.convert({**query, "group_by": group, "kind": "all", "row": row.example}, KernelDetailsParams)
        )
        assert (found.count, found.total_ns) == (row.count, row.total_ns)
        for parts in (found.names, found.operators, found.streams, found.launches):
            assert (sum(p.count for p in parts), sum(p.total_ns for p in parts)) == (row.count, row.total_ns)
        assert found.spread is not None
        assert (found.spread.count, found.spread.max_ns) == (row.count, row.max_ns)
        assert [call.duration_ns for call in found.longest] == sorted((c.duration_ns for c in found.longest), reverse=True)
        assert found.longest[0].duration_ns == row.max_ns


def test_details_name_what_launched_the_work() -> None:
    trace = trace_from_text(STEP)
    gemm = VIEW.main.answer(trace, KernelsParams()).rows[0]
    found = details(trace, KernelDetailsParams(row=gemm.example))
    assert [(part.name, part.count, part.total_ns) for part in found.operators] == [("aten::mm", 2, 40_000), (None, 1, 10_000)]
    assert [part.name for part in found.streams] == ["device 0, stream 7", "device 1, stream 7"]
    assert (found.modules, found.call_sites) == ([], [])
    longest = found.longest[0]
    assert (longest.name, longest.start_ns, longest.duration_ns) == ("nvjet_gemm", 40_000, 30_000)
    assert trace.events.start_ns[longest.row] == 40_000


def test_details_keep_long_lists_short_and_whole() -> None:
    n = MOST_ROWS + 5
    ops = " | ".join(f"op{i} {i}-{i + 1}" for i in range(n))
    kernels = " | ".join(f"k {i + 1}-{i + 2} <- op{i}" for i in range(n))
    trace = trace_from_text(f"thread 1 | {ops}\nstream 7 | {kernels}")
    found = details(trace, KernelDetailsParams(row=VIEW.main.answer(trace, KernelsParams()).rows[0].example))
    assert len(found.operators) == MOST_ROWS + 1
    assert (found.operators[-1].is_rest, found.operators[-1].count) == (True, 5)
    assert sum(part.total_ns for part in found.operators) == n * 1000


def test_an_event_that_is_no_device_work_has_no_details() -> None:
    trace = trace_from_text(STEP)
    host = int(np.flatnonzero(~np.isin(trace.events.kind, DEVICE_KINDS))[0])
    with pytest.raises(NotFoundError):
        details(trace, KernelDetailsParams(row=host))
    with pytest.raises(UsageError, match="matmul"):
        VIEW.main.answer(trace, KernelsParams(category="gemm"))
