"""Memory: the shell's numbers, and a curve that is dragged, clicked and reached by keyboard; all of it in the link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import shell

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

    from tests.browser.profiler import Profiler

pytestmark = [pytest.mark.browser, pytest.mark.torch]

FIELDS = ("name", "alive_bytes", "allocations", "allocated_bytes", "releases", "released_bytes", "increase_bytes")


def _curve(profiler: Profiler, run: str, **keys: str) -> Locator:
    profiler.open("memory", run, **keys)
    profiler.wait_for_rows()
    return profiler.frame.get_by_role("slider", name="Instant on the memory curve")


def _box(curve: Locator) -> tuple[float, float, float, float]:
    box = curve.locator(".u-over").bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def test_operators_equal_the_shells(profiler: Profiler, logdir: Path) -> None:
    _curve(profiler, "cnn")
    wanted = shell.ask("memory", profiler.shown_file(logdir))["operators"]
    got = profiler.csv()
    assert [[row[field] for field in FIELDS] for row in got] == [
        [str(row[field] if row[field] is not None else "not attributed") for field in FIELDS] for row in wanted
    ]
    assert len(got) > 5


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
    curve.locator(".u-over").dblclick()
    chip.wait_for(state="detached")
    profiler.wait_for_place("memory.t0_ns", None)
    assert "memory.at_ns" not in profiler.place()


def test_an_instant_is_chosen_by_click_and_by_keys(profiler: Profiler) -> None:
    curve = _curve(profiler, "cnn")
    _, _, width, height = _box(curve)
    curve.locator(".u-over").click(position={"x": width * 0.6, "y": height / 2})
    chip = profiler.frame.locator(".memory-bar .chip", has_text="at ")
    chip.wait_for()
    clicked = int(profiler.place()["memory.at_ns"])
    curve.press("ArrowRight")
    profiler.page.wait_for_function("(old) => !location.hash.includes(`memory.at_ns=${old}`)", arg=clicked)
    assert int(profiler.place()["memory.at_ns"]) > clicked
    chip.click()
    chip.wait_for(state="detached")


def test_blocks_alive_lead_to_the_timeline(profiler: Profiler) -> None:
    _curve(profiler, "cnn", **{"memory.table": "blocks"})
    profiler.rows().first.click()
    profiler.frame.get_by_role("button", name="Show allocation in timeline").click()
    profiler.wait_for_view("timeline")
    assert int(profiler.place()["timeline.row"]) >= 0


def test_the_curve_is_drawn_anew_in_the_other_theme(profiler: Profiler) -> None:
    curve = _curve(profiler, "cnn")
    pixel = "canvas => canvas.toDataURL()"
    light = curve.locator("canvas").evaluate(pixel)
    profiler.choose_theme("Dark")
    profiler.frame.locator("html[data-theme='dark']").wait_for()
    assert curve.locator("canvas").evaluate(pixel) != light


def test_a_profile_without_memory_says_how_to_record_it(profiler: Profiler, traces: Path) -> None:
    assert (traces / "cpu_gloo_rank.json.gz").is_file()
    profiler.open("memory", "gloo")
    profiler.frame.get_by_text("Record with profile_memory=True.").wait_for()
