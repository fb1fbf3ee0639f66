"""Operators and kernels: the same numbers as the shell's, sorted, searched, exported, opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import shell
from tests.browser.profiler import Profiler, numbers

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.browser, pytest.mark.torch]

# view, the column it is sorted by first, another column, and the shell's fields that the export must hold
OPERATORS = (
    "operators",
    "host_self_ns",
    "Calls",
    ("name", "count", "host_self_ns", "host_total_ns", "device_self_ns", "device_total_ns"),
)
KERNELS = ("kernels", "total_ns", "Calls", ("name", "count", "total_ns", "mean_ns", "min_ns", "max_ns"))


def _as_text(value: Any) -> str:
    # An integral float reads 12 in JavaScript and 12.0 in Python.
    return "" if value is None else str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def test_operators_of_a_fresh_recording_equal_the_shells(profiler: Profiler, logdir: Path) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    wanted = shell.ask("operators", profiler.shown_file(logdir))["rows"]
    fields = OPERATORS[3]
    # A column that is hidden where nothing was recorded (a device on a CPU-only machine) is not exported.
    got = profiler.csv()
    there = [field for field in fields if field in got[0]]
    assert {"name", "count", "host_self_ns", "host_total_ns"} <= set(there)
    assert [[row[field] for field in there] for row in got] == [[_as_text(row[field]) for field in there] for row in wanted]


@pytest.mark.parametrize(("view", "fields"), [(OPERATORS[0], OPERATORS[3]), (KERNELS[0], KERNELS[3])])
def test_a_gpu_trace_equals_the_shells(profiler: Profiler, traces: Path, view: str, fields: tuple[str, ...]) -> None:
    profiler.open(view, "bert")
    profiler.wait_for_rows()
    wanted = shell.ask(view, traces / "h100_bert_small.json.gz")["rows"]
    got = profiler.csv()
    assert set(fields) <= got[0].keys()
    assert sorted([row[field] for field in fields] for row in got) == sorted(
        [_as_text(row[field]) for field in fields] for row in wanted
    )


def test_a_cell_shows_its_exact_value_when_pointed_at(profiler: Profiler, logdir: Path) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    rows = {row["name"]: row for row in shell.ask("operators", profiler.shown_file(logdir))["rows"]}
    names, calls = profiler.column(profiler.columns()[0].split("\n")[0].strip()), numbers(profiler.column("Calls"))
    assert len(names) > 5
    assert calls == [rows[name]["count"] for name in names]


def test_a_header_sorts_and_turns_around(profiler: Profiler) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    header = profiler.grid().get_by_role("button", name="Sort by Calls").or_(profiler.grid().locator('[title="Sort by Calls"]'))
    header.first.click()
    profiler.wait_for_place("operators.sort", "-count")
    profiler.grid().locator('th[aria-sort="descending"]', has_text="Calls").wait_for()
    down = numbers(profiler.column("Calls"))
    assert down == sorted(down, reverse=True)
    header.first.click()
    profiler.grid().locator('th[aria-sort="ascending"]', has_text="Calls").wait_for()
    up = numbers(profiler.column("Calls"))
    assert up == sorted(up)
    assert up != down


def test_search_narrows_the_table_and_its_export(profiler: Profiler) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    before = len(profiler.csv())
    profiler.search("conv.*backward")
    profiler.frame.get_by_text(f"of {before:,} rows").wait_for()
    names = [row["name"] for row in profiler.csv()]
    assert names
    assert all("conv" in name.lower() and "backward" in name.lower() for name in names)
    profiler.search("no operator is called this")
    profiler.frame.get_by_text("No row matches").wait_for()


def test_a_row_opens_beside_the_table_and_in_the_link(profiler: Profiler) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    name = profiler.rows().first.locator("td").first.get_attribute("title")
    profiler.rows().first.click()
    details = profiler.frame.get_by_role("complementary", name="Details")
    details.get_by_role("heading", name=name, exact=True).wait_for()
    profiler.page.reload()
    details.get_by_role("heading", name=name, exact=True).wait_for()
    profiler.page.go_back()
    details.wait_for(state="detached")


def test_device_only_trace_says_what_is_not_there(profiler: Profiler, traces: Path) -> None:
    profiler.open("kernels", "mi210")
    profiler.wait_for_rows()
    assert (traces / "mi210_gpu_only.json.gz").is_file()
    total = sum(float(row["total_ns"]) for row in profiler.csv())
    assert total == sum(row["total_ns"] for row in shell.ask("kernels", traces / "mi210_gpu_only.json.gz")["rows"])


def test_kernels_of_a_cpu_only_recording_say_so(profiler: Profiler) -> None:
    profiler.open("kernels", "cnn")
    notice = profiler.frame.locator("main .notice")
    notice.wait_for()
    assert "device" in notice.inner_text().lower() or "kernel" in notice.inner_text().lower()
