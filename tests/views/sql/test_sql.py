"""SQL over a profile: answers are those of plain loops, and what a stranger asks ends in one sentence."""

from __future__ import annotations

import importlib
import sqlite3
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.base.errors import OverBudgetError, UsageError
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind
from tb_plugin.views.sql import VIEW, parts
from tb_plugin.views.sql.tables import TABLES
from tb_plugin.views.sql.text import table, text
from tests.profiles import SAMPLES, params, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.sql.result import SqlAnswer

pytestmark = pytest.mark.skipif(not hasattr(sqlite3.Connection, "setlimit"), reason="Python 3.10 cannot limit SQLite")

compute = importlib.import_module("tb_plugin.views.sql.compute")  # the view has a function of this name

DRAWN = """
    thread 1 | ProfilerStep#3 0-100 | aten::linear 0-40 | aten::mm 10-30
    stream 7 | gemm_a 15-55 <- aten::mm
    stream 8 | Memcpy 60-70
"""


@pytest.fixture(scope="module")
def drawn() -> Trace:
    return trace_from_text(DRAWN)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What never ends does so after less than it may take."""
    monkeypatch.setattr(compute, "MAX_S", 0.2)


@pytest.fixture(params=params(SAMPLES))
def sample(request: pytest.FixtureRequest) -> Trace:
    return trace_of(request.param)


def ask(trace: Trace, statement: str) -> SqlAnswer:
    answer: SqlAnswer = VIEW.main.answer(trace, VIEW.main.params_from({"statement": statement}))
    return answer


ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n)"


def rows(trace: Trace, statement: str) -> list[list[Any]]:
    return ask(trace, statement).rows


def test_the_words_of_perfetto(sample: Trace) -> None:
    summed: dict[str, int] = defaultdict(int)
    events = sample.events
    for row in range(len(events)):
        summed[sample.text(events.name_id[row])] += int(events.end_ns[row] - events.start_ns[row])
    assert dict(rows(sample, "select name, sum(dur) from slice group by 1")) == summed


def test_self_times_of_a_loop(sample: Trace) -> None:
    events = sample.events
    expected: dict[str, int] = defaultdict(int)
    for row in range(len(events)):
        duration = int(events.end_ns[row] - events.start_ns[row])
        if events.kind[row] in HOST_KINDS:
            expected[sample.text(events.name_id[row])] += duration
        if events.nest_parent[row] >= 0:
            expected[sample.text(events.name_id[events.nest_parent[row]])] -= duration
    found = rows(sample, "select name, sum(self_ns) from events where self_ns is not null group by name")
    assert dict(found) == {name: own for name, own in expected.items() if name in dict(found)}
    assert {name for name, own in expected.items() if own} <= dict(found).keys()


def test_kernels_with_their_launches_and_operators(sample: Trace) -> None:
    events = sample.events
    expected = []
    for row in (events.kind == Kind.KERNEL).nonzero()[0].tolist():
        launch, owner = int(events.launch[row]), int(events.owner[row])
        expected.append(
            [
                row,
                int(events.start_ns[launch]) if launch >= 0 else None,
                sample.text(events.name_id[owner]) if owner >= 0 else None,
                int(sample.steps.number[events.step[row]]) if events.step[row] >= 0 else None,
            ]
        )
    assert rows(sample, "select id, launched_ns, operator, step from kernels order by id limit 10000") == expected[:10_000]


def test_arguments_are_json(sample: Trace) -> None:
    events = sample.events
    found = rows(sample, "select id, args ->> '$.\"External id\"' from events order by id limit 300")
    for row, said in found:
        assert said == sample.args.get(int(events.order[row])).get("External id")


def test_every_column_can_be_read(sample: Trace) -> None:
    """By itself and with all: nothing else is filled, and each table has as many rows."""
    for each in TABLES:
        counted = rows(sample, f"select count(*) from {each.name}")
        assert counted == [[len(each.rows(sample))]]
        for column in each.columns:
            rows(sample, f"select min({column.name}) from {each.name}")
        assert len(rows(sample, f"select * from {each.name} limit 5")) == min(5, counted[0][0])


def test_only_what_is_read_is_worked_out(drawn: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[set[str]] = []
    fill = compute._fill

    def noted(base: Any, trace: Trace, table: Any, read: set[str]) -> None:
        filled.append(read - {""})
        fill(base, trace, table, read)

    monkeypatch.setattr(compute, "_fill", noted)
    assert rows(drawn, "with k as (select device from kernels) select count(*), max(device) from k") == [[1, 0]]
    assert filled == [{"device"}]


def test_a_join_on_the_drawing(drawn: Trace) -> None:
    answer = ask(
        drawn,
        "select k.id, k.name, k.duration_ns, o.name, p.name, k.step from kernels k join operators o on o.id = k.operator_id "
        "left join events p on p.id = o.parent_id",
    )
    (row,) = answer.rows
    assert row[1:] == ["gemm_a", 40_000, "aten::mm", "aten::linear", 3]
    assert answer.events == [(15_000, 40_000)]
    assert rows(drawn, "select name, kind, stream from events where device is not null order by 1") == [
        ["Memcpy", "copy", 8],
        ["gemm_a", "kernel", 7],
    ]
    assert len(DEVICE_KINDS) == 3


def test_without_a_statement_it_says_what_there_is(drawn: Trace) -> None:
    answer = ask(drawn, "")
    assert [each.name for each in answer.tables] == [each.name for each in TABLES]
    assert "parent_id" in text(answer)
    assert ["slice", "dur", "duration_ns"] in [list(row) for row in table(answer).rows]


def test_rows_are_cut_and_that_is_said(drawn: Trace) -> None:
    count = "with recursive n(x) as (select 1 union all select x + 1 from n limit 20000) select x from n"
    answer = ask(drawn, count)
    assert answer.is_cut
    assert len(answer.rows) == compute.MAX_ROWS
    assert "Cut at 10,000 rows" in text(answer)
    assert not ask(drawn, f"{count} limit 10000").is_cut


def test_cells_that_json_cannot_say(drawn: Trace) -> None:
    assert rows(drawn, "select 9007199254740993, x'00ff', cast(x'ff' as text), null, 1.5") == [
        ["9007199254740993", "x'00ff'", "\ufffd", None, 1.5]
    ]


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("select nme from kernels", "no such column: nme; kernels has id, name, category"),
        ("select * from slices", "no such table: slices; there is events, slice"),
        ("selec name from slice", 'near "selec": syntax error'),
        ("select name from slice; select 1", "one SELECT at a time"),
        ("delete from events", "one SELECT at a time"),
        ("create table x(a)", "one SELECT at a time"),
        ("attach 'x.db' as x", "one SELECT at a time"),
        ("pragma hard_heap_limit", "one SELECT at a time"),
        ("vacuum into 'x.db'", "one SELECT at a time"),
        ("select * from pragma_database_list", "one SELECT at a time"),
        ("select load_extension('x')", "one SELECT at a time"),
        ("select zeroblob(1e9)", "longer than 100,000 bytes"),
        ("select replace(hex(zeroblob(40000)), '0', 'aaaa')", "longer than 100,000 bytes"),
        ("select group_concat(hex(zeroblob(9000))) from (select 1 from events a, events b)", "longer than 100,000 bytes"),
        (f"select 'a' like '{'%a' * 2000}'", "LIKE or GLOB pattern too complex"),
        ("select " + "(" * 500 + "1" + ")" * 500, "SQL: "),
        ("select 1 from " + ", ".join(f"events e{n}" for n in range(100)), "at most 64 tables in a join"),
        (
            "with a as (select 1)" + "".join(f", a{n} as (select * from a a, a b, a c)" for n in range(9)) + " select 1",
            "20 times",
        ),
        ("select 1\0", "SQL: "),
        ("explain select 1", "SQL: "),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(drawn: Trace, statement: str, sentence: str) -> None:
    with pytest.raises(UsageError) as said:
        ask(drawn, statement)
    assert sentence in str(said.value)
    assert "\n" not in str(said.value)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    "statement",
    [
        f"{ENDLESS} select count(*) from n",
        "select count(*) from " + ", ".join(f"events e{n}" for n in range(30)),
        f"{ENDLESS} select 1 from n order by random()",
        f"{ENDLESS}, z as (select zeroblob(99000) b) select max(instr(z.b, substr(z.b, 1, 50000) || x'01')) from n, z",
        f"{ENDLESS}, z as (select hex(zeroblob(49000)) b) select max(z.b like '{'%0' * 40}1') from n, z",
    ],
)
def test_what_takes_too_long_ends(drawn: Trace, statement: str) -> None:
    with pytest.raises(OverBudgetError, match=r"more than 0\.2 s of computing"):
        ask(drawn, statement)


def test_a_huge_width_is_no_memory(drawn: Trace) -> None:
    assert rows(drawn, "select ifnull(length(printf('%1000000000d', 1)), 0) < 1000") == [[1]]


def test_what_strangers_ask_changes_nothing(drawn: Trace) -> None:
    for statement in ("insert into events(id) values (99)", "drop table events"):
        with pytest.raises(UsageError):
            ask(drawn, statement)
    assert rows(drawn, "select count(*) from events") == [[len(drawn.events)]]


@given(st.text(alphabet="selctfromwhavn*(),;'\"`[]-/0123 \n\0%_x\ud800", max_size=80))
def test_any_text_is_answered_or_refused(statement: str) -> None:
    with suppress(UsageError):
        assert ask(trace_from_text("thread 1 | aten::mm 0-15"), statement).tables


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.sampled_from(['"{}"', "`{}`", "[{}]", "{}", "/**/{}"]))
def test_names_of_parts_are_counted(uses: list[int], quoted: str) -> None:
    """As an expansion by hand counts them, however they are written."""
    definitions, names = [], 0
    for place, n_uses in enumerate(uses):
        of = [quoted.format(f"p{place - 1}") for _ in range(n_uses)] if place else []
        names += len(of)
        definitions.append(f"P{place}(x) AS NOT MATERIALIZED -- p0\n (select 'p x' from {', '.join(of) or 'events'})")
    assert parts.names(f"with {', '.join(definitions)} select p0.x from p0") == names + 1


def _statements() -> Iterator[str]:
    yield "select name from slice"
    yield "select count(*) from events where name like 'aten::%'"


@pytest.mark.parametrize("statement", list(_statements()))
def test_a_statement_of_one_table_names_no_parts(statement: str) -> None:
    assert parts.names(statement) == 0
