"""What a column is stands once, on the field of its row; the page's `row_figures.ts` is made from that and is fresh."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import msgspec
import pytest

from tb_plugin import views
from tb_plugin.doors import definitions, figures
from tb_plugin.question.figure import NO_COLUMN, Figure, FigurePart, columns_of, figures_of

if TYPE_CHECKING:
    from tb_plugin.question.view import View

ROWS: Final = {row: view for view in views.ALL for row in figures.rows_of(view)}
UNITS: Final = {
    "_bytes": "bytes",
    "_share": "share",
    "_percent": "percent",
    "flops_per_s": "flops_per_s",
    "bytes_per_s": "bytes_per_s",
}


def test_there_are_rows() -> None:
    assert "OperatorRow" in {row.__name__ for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_every_field_of_a_row_is_a_figure_or_says_that_it_is_no_column(row: type[msgspec.Struct]) -> None:
    hints = get_type_hints(row, include_extras=True)
    marks = {field.name: getattr(hints[field.name], "__metadata__", ()) for field in msgspec.structs.fields(row)}
    assert [
        name for name, found in marks.items() if not any(m == NO_COLUMN or isinstance(m, Figure | FigurePart) for m in found)
    ] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_units_are_what_the_names_say(row: type[msgspec.Struct]) -> None:
    for name, figure in figures_of(row).items():
        said = next((unit for ending, unit in UNITS.items() if name.endswith(ending)), "ns" if name.endswith("_ns") else None)
        assert said in (None, "ns" if figure.unit == "time" else figure.unit), name
        if figure.unit in ("ns", "time"):
            assert name.endswith("_ns")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_every_column_has_a_definition(row: type[msgspec.Struct]) -> None:
    view = ROWS[row]
    texts, names = definitions.of_view(view.id), figures.rows_of(view)[row]
    for name, column in columns_of(row).items():
        assert texts[figures.definition_of(name, column, names, texts)]


@pytest.mark.parametrize("view", views.ALL, ids=lambda view: view.id)
def test_no_two_columns_share_a_row_of_definitions(view: View[Any]) -> None:
    """Behind the "?" of each would stand what the other is, too. One field of several lists may: it is the same there."""
    texts, columns = definitions.of_view(view.id), defaultdict[str, set[str]](set)
    for row, names in figures.rows_of(view).items():
        for name, column in columns_of(row).items():
            key = figures.definition_of(name, column, names, texts)
            columns[texts[key]].add(key.rpartition(".")[2])
    assert {text: found for text, found in columns.items() if len(found) > 1} == {}


def test_the_generated_files_are_fresh() -> None:
    stale = [path.parent.name for path, text in figures.files() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `python -m tb_plugin.doors.wire`"
    made = {path for path, _ in figures.files()}
    assert set(definitions.PAGE.glob("*/row_figures.ts")) == made


class SampleRow(msgspec.Struct):
    """Two lists of a view hold it under one name."""

    count: Annotated[int, Figure("All", "count", sums=True)]
    n_calls: Annotated[int, Figure("Calls", "count")]
    name: Annotated[str, Figure("Name", "text")]
    new_ns: Annotated[int | None, Figure("New", "ns", absent="–")] = None


def test_a_new_field_is_a_new_column_with_the_definition_of_its_list() -> None:
    texts = {"count": "Of all.", "rows.count": "Of a row.", "n_calls": "Calls.", "name": "Named.", "new_ns": "New."}
    assert figures._constant("sample", SampleRow, ("rows",), texts).splitlines() == [
        "export const SAMPLE_ROW = /* @__PURE__ */ rowOf('sample', {",
        '  count: { title: "All", kind: "count", sums: true, definition: define.rows_count },',
        '  n_calls: { title: "Calls" },',
        '  name: { title: "Name" },',
        '  new_ns: { title: "New", absent: "–" },',
        "})",
    ]
    del texts["new_ns"]
    with pytest.raises(ValueError, match="no row for the column new_ns"):
        figures._constant("sample", SampleRow, ("rows",), texts)
