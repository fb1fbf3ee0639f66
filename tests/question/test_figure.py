from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec
import pytest

from tb_plugin.question.figure import NO_COLUMN, Figure, FigurePart, Unit, columns_of, figures_of, value_of
from tb_plugin.question.figure_text import shown, text_table


class Times(msgspec.Struct, frozen=True, kw_only=True):
    self_ns: Annotated[int | None, Figure("self", "ns", sums=True)]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    name: Annotated[str, Figure("Operator", "text")]
    shape: Annotated[str | None, Figure("Input shapes", "text")] = None
    flops: Annotated[int | None, Figure("FLOPs", "flops", absent="unknown")] = None
    device: Annotated[Times | None, FigurePart("Device", "device_")] = None
    example: Annotated[int, NO_COLUMN] = 0

    DERIVED: ClassVar[dict[str, Figure]] = {"share": Figure("Of device", "share")}


class Plain(msgspec.Struct, frozen=True, kw_only=True):
    a_ns: int
    b: str | None = None


class Marked(msgspec.Struct, frozen=True, kw_only=True):
    a_ns: Annotated[int, Figure("A", "ns")]
    b: Annotated[str | None, Figure("B", "text")] = None


def test_figures_are_those_of_the_fields_of_their_parts_and_what_is_made_of_them() -> None:
    assert figures_of(Row) == {
        "name": Figure("Operator", "text"),
        "shape": Figure("Input shapes", "text"),
        "flops": Figure("FLOPs", "flops", absent="unknown"),
        "device_self_ns": Figure("Device self", "ns", sums=True),
        "share": Figure("Of device", "share"),
    }


def test_a_value_is_found_on_its_way_and_within_no_part_there_is_none() -> None:
    column = columns_of(Row)["device_self_ns"]
    assert column.path == ("device", "self_ns")
    assert value_of(Row(name="a", device=Times(self_ns=3)), column) == 3
    assert value_of(Row(name="a"), column) is None


def test_the_wire_does_not_see_figures() -> None:
    sent = msgspec.json.encode(Marked(a_ns=1))
    assert sent == msgspec.json.encode(Plain(a_ns=1))
    assert msgspec.json.decode(sent, type=Marked) == Marked(a_ns=1)
    plain, marked = (msgspec.json.schema(struct)["$defs"][struct.__name__] for struct in (Plain, Marked))
    assert marked == plain | {"title": "Marked"}
    with pytest.raises(msgspec.ValidationError, match="Expected `int`"):
        msgspec.json.decode(b'{"a_ns": "x"}', type=Marked)


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("text", "as it is", "as it is"),
        ("count", 12345, "12345"),
        ("number", 1.5, "1.50"),
        ("dims", (2, 3, 1), "2x3x1"),
        ("ns", 12_300_000, "12.3 ms"),
        ("bytes", 2048, "2.00 KiB"),
        ("bytes_per_s", 2048, "2.05 kB/s"),
        ("flops", 61_200_000, "61.2 M"),
        ("flops", 12, "12"),
        ("flops_per_s", 6.12e13, "61.2 TFLOP/s"),
        ("share", 0.123, "12.3 %"),
        ("percent", 49.6, "50 %"),
    ],
)
def test_a_value_reads_by_its_unit(unit: Unit, value: Any, text: str) -> None:
    assert shown(value, unit) == text


def test_a_table_for_a_terminal_names_its_columns_and_takes_the_rest_from_the_row() -> None:
    rows = [Row(name="aten::mm", flops=61_200_000, device=Times(self_ns=2000)), Row(name="aten::t")]
    names = ["device_self_ns", "share", "flops", "name", "shape"]
    found = text_table(Row, rows, names, titles={"name": "module"}, values={"share": lambda row: 0.5 if row.flops else None})
    assert [line.split() for line in found.splitlines()] == [
        ["device", "self", "of", "device", "FLOPs", "module", "input", "shapes"],
        ["-" * 11, "-" * 9, "-" * 6, "-" * 8, "-" * 12],
        ["2.00", "us", "50.0", "%", "61.2", "M", "aten::mm", "not", "recorded"],
        ["-", "-", "-", "aten::t", "not", "recorded"],
    ]
