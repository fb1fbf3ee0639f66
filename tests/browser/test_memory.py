"""Memory: the shell's numbers, and a curve that is dragged, clicked and reached by keyboard; all of it in the link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import axe, shell
from tests.browser.logdir import N_BLOCKS
from tests.browser.timeline import until

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser

FIELDS = (
    "name",
    "alive_bytes",
    "allocations",
    "allocated_bytes",
    "largest_bytes",
    "releases",
    "released_bytes",
    "increase_bytes",
    "never_released_bytes",
)
WORDS = {"name": "not attributed", "largest_bytes": ""}  # what a file has for null


def _curve(profiler: Profiler, run: str, **keys: str) -> Locator:
    profiler.open("memory", run, **keys)
    profiler.wait_for_rows()
    return profiler.frame.get_by_role("slider", name="Instant on the memory curve")


def _box(curve: Locator) -> tuple[float, float, float, float]:
    box = curve.locator(".memory-over").bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def _text(field: str, value: object) -> str:
    return WORDS.get(field, "") if value is None else str(value)


@pytest.mark.parametrize("by", ["operator", "module", "call_site"])
def test_groups_equal_the_shells(profiler: Profiler, logdir: Path, by: str) -> None:
    _curve(profiler, "cnn", **{"memory.by": by})
    wanted = shell.ask("memory", profiler.shown_file(logdir), f"--group-by={by}")["groups"]
    got = profiler.csv()
    assert [[row[field] for field in FIELDS] for row in got] == [[_text(f, row[f]) for f in FIELDS] for row in wanted]
    assert got


def test_dragging_selects_a_range_and_a_double_click_ends_it(profiler: Profiler) -> None:
    curve = _curve(profiler, "cnn")
    x, y, width, height = _box(curve)
    mouse = profiler.page.mouse
    mouse.move(x + 0.25 * width, y + height / 2)
    mouse.down()
    mouse.move(x + 0.5 * width, y + height / 2, steps=4)
    mouse.up()
    chip = profiler.frame.locator(".memory-bar .chip")
    chip.wait_for()
    start, end = (int(profiler.place()[f"memory.{key}"]) for key in ("t0_ns", "t1_ns"))
    assert 0 < start < end
    assert (curve.get_attribute("aria-valuemin"), curve.get_attribute("aria-valuemax")) == (str(start), str(end))
    profiler.page.reload()
    chip.wait_for()
    curve.locator(".memory-over").dblclick()
    chip.wait_for(state="detached")
    profiler.wait_for_place("memory.t0_ns", None)
    assert "memory.at_ns" not in profiler.place()


def test_an_instant_is_chosen_by_click_and_by_keys(profiler: Profiler) -> None:
    curve = _curve(profiler, "cnn")
    _, _, width, height = _box(curve)
    curve.locator(".memory-over").click(position={"x": width * 0.6, "y": height / 2})
    chip = profiler.frame.locator(".memory-bar .chip", has_text="at ")
    chip.wait_for()
    clicked = int(profiler.place()["memory.at_ns"])
    curve.press("ArrowRight")
    profiler.page.wait_for_function("(old) => !location.hash.includes(`memory.at_ns=${old}`)", arg=clicked)
    assert int(profiler.place()["memory.at_ns"]) > clicked
    chip.click()
    chip.wait_for(state="detached")


def test_a_range_cuts_the_list_of_allocations_too(profiler: Profiler) -> None:
    curve = _curve(profiler, "cnn", **{"memory.table": "allocations"})
    whole = _count(profiler)
    x, y, width, height = _box(curve)
    mouse = profiler.page.mouse
    mouse.move(x + 0.1 * width, y + height / 2)
    mouse.down()
    mouse.move(x + 0.4 * width, y + height / 2, steps=4)
    mouse.up()
    profiler.frame.locator(".memory-bar .chip").wait_for()
    profiler.frame.locator(".toolbar .soft", has_text=f"{whole:,} rows").wait_for(state="detached")
    assert 0 < _count(profiler) < whole
    start, end = (int(profiler.place()[f"memory.{key}"]) for key in ("t0_ns", "t1_ns"))
    times = [int(row["allocated_ns"] or row["released_ns"]) for row in profiler.csv()]
    assert len(times) == _count(profiler)
    assert start <= min(times) <= max(times) < end


def test_blocks_alive_lead_to_the_timeline(profiler: Profiler) -> None:
    _curve(profiler, "cnn", **{"memory.table": "blocks"})
    profiler.rows().first.click()
    profiler.frame.get_by_role("button", name="Show in timeline", exact=True).click()
    profiler.wait_for_view("timeline")
    assert int(profiler.place()["timeline.row"]) >= 0


def test_the_treemap_is_reached_by_keyboard_and_opens_the_row_of_its_table(profiler: Profiler) -> None:
    _curve(profiler, "cnn")
    tiles = profiler.frame.get_by_role("group", name="Treemap of what is alive").get_by_role("button")
    assert tiles.count() > 2
    assert [tiles.nth(place).get_attribute("tabindex") for place in range(3)] == ["0", "-1", "-1"]
    tiles.first.focus()
    tiles.first.press("ArrowRight")
    assert tiles.nth(1).evaluate("tile => tile === document.activeElement")
    tiles.nth(1).press("Home")
    label = tiles.first.locator(".sr-only").inner_text()
    assert "%" in label
    tiles.first.press("Enter")
    profiler.frame.get_by_role("complementary", name="Details").wait_for()
    assert label.startswith(profiler.place()["memory.row"].split(" ")[0])
    profiler.frame.get_by_role("button", name="Treemap").click()
    tiles.first.wait_for(state="detached")


def test_a_long_list_is_windowed_sorted_and_searched_by_the_server(profiler: Profiler) -> None:
    _curve(profiler, "snapshot", **{"memory.table": "allocations"})
    total = _count(profiler)
    assert total > N_BLOCKS
    box = profiler.frame.locator(".table-box")
    box.evaluate("box => { box.scrollTop = box.scrollHeight }")
    profiler.frame.locator(f"tr[aria-rowindex='{total + 1}'] td:nth-child(2)").wait_for()
    assert profiler.rows().count() < 80
    profiler.grid().get_by_role("button", name="Size", exact=True).click()
    profiler.wait_for_place("memory_allocations.sort", "-bytes")
    profiler.frame.locator("th[aria-sort='descending']", has_text="Size").wait_for()
    largest = profiler.frame.locator("tr[aria-rowindex='2'] td:nth-child(2)", has_text="586 KiB")  # 600,000 of the optimizer
    largest.wait_for()
    profiler.search(r"train\.py\(20\)")
    profiler.frame.locator(".toolbar .soft", has_text="3 rows").wait_for()
    assert {row["call_site"] for row in profiler.csv()} == {"/data/user/train.py(20): loss"}


def test_a_snapshot_shows_its_segments_and_who_holds_memory(profiler: Profiler) -> None:
    _curve(profiler, "snapshot", **{"memory.table": "segments"})
    profiler.frame.get_by_text("When the snapshot was taken").wait_for()
    assert profiler.rows().first.inner_text().startswith("0x7f")
    profiler.frame.get_by_label("Show", exact=True).select_option("groups")
    profiler.frame.locator("td.is-name", has_text="train.py(5): build").wait_for()
    profiler.frame.get_by_label("By", exact=True).select_option("stack")
    profiler.wait_for_place("memory.by", "stack")
    profiler.frame.locator("th", has_text="Innermost frame").wait_for()


def test_the_life_of_the_open_block_is_on_the_curve(profiler: Profiler) -> None:
    curve = _curve(profiler, "cnn", **{"memory.table": "blocks"})

    def picture() -> object:
        return curve.locator("canvas").evaluate("canvas => canvas.toDataURL()")

    before = picture()
    profiler.rows().first.click()
    profiler.frame.get_by_role("complementary", name="Details").wait_for()
    profiler.frame.get_by_role("button", name="Show its life").wait_for()
    until(profiler, lambda: picture() != before)
    profiler.page.keyboard.press("Escape")
    profiler.frame.get_by_role("complementary", name="Details").wait_for(state="detached")
    until(profiler, lambda: picture() == before)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing_serious(profiler: Profiler, theme: str) -> None:
    _curve(profiler, "snapshot")
    profiler.choose_theme(theme)
    profiler.frame.locator(f"html[data-theme='{theme.lower()}']").wait_for()
    assert axe.findings(profiler) == [], "treemap and groups"
    for table in ("allocations", "segments"):
        profiler.frame.get_by_label("Show", exact=True).select_option(table)
        profiler.wait_for_place("memory.table", table)
        profiler.rows().first.click()
        profiler.frame.get_by_role("complementary", name="Details").wait_for()
        assert axe.findings(profiler) == [], table


def _count(profiler: Profiler) -> int:
    """Rows of the list that is shown, as its toolbar says."""
    text = profiler.frame.locator(".toolbar .soft", has_text=" rows").inner_text()
    return int(text.split()[0].replace(",", ""))


def test_the_curve_is_drawn_anew_in_the_other_theme(profiler: Profiler) -> None:
    curve = _curve(profiler, "cnn")
    pixel = "canvas => canvas.toDataURL()"
    light = curve.locator("canvas").evaluate(pixel)
    profiler.choose_theme("Dark")
    profiler.frame.locator("html[data-theme='dark']").wait_for()
    assert curve.locator("canvas").evaluate(pixel) != light


def test_a_profile_without_memory_says_how_to_record_it(profiler: Profiler) -> None:
    profiler.open("memory", "no_memory")
    profiler.frame.get_by_text("Record with profile_memory=True.").wait_for()
