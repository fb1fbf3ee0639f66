"""Text and rows of replies that have no words of their own."""

from __future__ import annotations

import msgspec

from tb_plugin.question import outline


class Inner(msgspec.Struct, frozen=True, kw_only=True):
    low_ns: int
    high_ns: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    range: Inner
    busy_share: float | None
    sizes: list[int]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    total_ns: int
    held_bytes: int | None
    no_rows: str | None
    rows: list[Row]


def reply(*rows: Row) -> Reply:
    return Reply(total_ns=12_300_000, held_bytes=None, no_rows=None, rows=list(rows))


ROW = Row(name="mm", range=Inner(low_ns=1_000, high_ns=2_000_000), busy_share=0.25, sizes=[1, 2])


def test_figures_have_their_units_and_what_is_not_known_says_so() -> None:
    lines = outline.text(reply(ROW)).splitlines()
    assert lines[:2] == ["total       12.3 ms", "held bytes  not recorded"]
    assert "no rows" not in outline.text(reply(ROW)), "a reason that is not there is no line"
    (row,) = (line for line in lines if line.startswith("mm"))
    assert row.split() == ["mm", "1.00", "us", "2.00", "ms", "25.0", "%", "1,", "2"]


class Link(msgspec.Struct, frozen=True, kw_only=True):
    link_bytes_per_s: float | None
    no_rate: str | None


class Links(msgspec.Struct, frozen=True, kw_only=True):
    links: list[Link]


def test_why_a_rate_is_not_there_stands_where_it_is_not() -> None:
    known, lost = Link(link_bytes_per_s=13e9, no_rate=None), Link(link_bytes_per_s=None, no_rate="lost")
    assert "no rate" not in outline.text(Links(links=[known]))
    *_, first, second = outline.text(Links(links=[known, lost])).splitlines()
    assert (first.split(), second.split()) == (["13.0", "GB/s"], ["not", "recorded", "lost"])


def test_rows_are_the_first_list_in_base_units() -> None:
    table = outline.table(reply(ROW, msgspec.structs.replace(ROW, busy_share=None)))
    assert table.columns == ["name", "range.low_ns", "range.high_ns", "busy_share", "sizes"]
    assert [list(row) for row in table.rows] == [["mm", 1_000, 2_000_000, 0.25, "[1,2]"], ["mm", 1_000, 2_000_000, None, "[1,2]"]]


def test_a_reply_without_lists_is_one_row() -> None:
    assert outline.table(ROW.range).rows == [[1_000, 2_000_000]]
    assert list(outline.table(reply()).columns) == ["name", "range", "busy_share", "sizes"]
    assert outline.table(reply()).rows == []
