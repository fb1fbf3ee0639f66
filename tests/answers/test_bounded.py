"""No reply is larger than a page can take, and what was left out is said."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.answers import bodies
from tb_plugin.answers.bounded import encoded, fitting
from tb_plugin.answers.notes import NO_EVENT, NO_ROW
from tb_plugin.answers.questions import of_one
from tb_plugin.base.errors import OverBudgetError
from tb_plugin.question.outline import TextTable
from tb_plugin.views.timeline.result import CallsParams, TimelineCalls
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class Row(msgspec.Struct, frozen=True, kw_only=True):
    name: str


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    rows: list[Row]
    long_tail: list[int]


def test_a_list_is_cut_where_it_no_longer_fits() -> None:
    reply = Reply(title="a", rows=[Row(name=f"{n:06}") for n in range(1000)], long_tail=list(range(10)))
    shown, said = fitting(reply, 10_000)
    assert said == [f"Rows: the first {len(shown.rows)} of 1,000, for all are too much for one page."]
    assert shown.rows == reply.rows[: len(shown.rows)]
    assert 9_700 < len(msgspec.json.encode(shown.rows)) <= 10_000
    assert shown.long_tail == reply.long_tail
    assert fitting(reply) == (reply, [])


def test_one_row_that_is_too_large_is_no_row() -> None:
    shown, said = fitting(Reply(title="a", rows=[Row(name="x" * 20_000)], long_tail=[1, 2]), 10_000)
    assert (shown.rows, shown.long_tail) == ([], [1, 2])
    assert said == ["Rows: the first 0 of 1, for all are too much for one page."]


def test_what_is_no_list_is_refused_where_it_is_too_large() -> None:
    with pytest.raises(OverBudgetError, match="more than 8 MB"):
        encoded(Reply(title="x" * (9 << 20), rows=[], long_tail=[]))


def test_a_call_tree_has_as_many_calls_as_fit_and_says_of_how_many() -> None:
    around = " | ".join(f"aten::op{n} {n}-{n + 1}" for n in range(1, 60))
    trace = trace_from_text(f"thread 1 | aten::all 0-100 | {around}")
    start = trace.info.start_ns
    question = of_one("view/timeline/calls")
    params = CallsParams(t0_ns=start, t1_ns=start + 100_000, q="aten")
    found = msgspec.json.decode(bodies.body(question, trace, params, "sent", max_bytes=8_000), type=TimelineCalls)
    assert 0 < len(found.nodes) < found.n_nodes == 60
    assert found.hits == list(range(len(found.nodes)))
    assert all(node.parent in (None, *range(place)) for place, node in enumerate(found.nodes))


def test_the_rest_of_a_long_csv_is_counted_in_its_last_row() -> None:
    table = TextTable(columns=["name"], rows=[["x" * 99]] * 1000)
    *rows, last = csv.reader(io.StringIO(bodies.csv_text(table, 10_000)))
    assert last == ["... and 900 more rows, which are too much for one file"]
    assert len(rows) == 1 + 100
    assert len(list(csv.reader(io.StringIO(bodies.csv_text(table))))) == 1001


DRAWING = """
    thread 1 | ProfilerStep#4 0-100 | aten::linear 10-40 | aten::relu 50-60
    stream 7 | gemm 50-90 <- aten::linear
"""


def notes(view: str, **words: str) -> list[str]:
    question = of_one(view)
    reply = msgspec.json.decode(bodies.body(question, trace_from_text(DRAWING), question.params_from(words), "sent"))
    assert reply["result"] is not None
    found: list[str] = reply["notes"]
    return found


@pytest.mark.parametrize("view", ["view/overview", "view/operators", "view/kernels"])
def test_filters_that_leave_nothing_say_so(view: str) -> None:
    assert notes(view) == notes(view, steps="4") == []
    assert notes(view, inside="never called") == [NO_EVENT]


def test_filters_that_leave_nothing_of_a_views_kind_say_so() -> None:
    assert notes("view/kernels", inside="relu") == [NO_ROW]
    assert notes("view/operators", inside="relu") == []


def test_thousands_of_tracks_fit_on_a_page() -> None:
    question = of_one("view/timeline")
    trace = _tracks(4_000)
    data = bodies.body(question, trace, question.params_from({}), "sent")
    assert len(data) < 9 << 20
    reply = msgspec.json.decode(data)
    assert len(reply["result"]["tracks"]) == 4_000
    assert reply["notes"] == []


def _tracks(n: int) -> Trace:
    return trace_from_text("\n".join(f"device {place} stream 7 | gemm {place}-{place + 5}" for place in range(n)))
