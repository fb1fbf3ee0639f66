"""Filters: set once, they hold in every view, stand as chips in the bar and in the link, and back takes them off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import shell
from tests.browser.profiler import Standalone

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator

    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def _form(profiler: Profiler) -> Locator:
    profiler.frame.get_by_role("button", name="Add or change filters").click()
    return profiler.frame.locator(".filter-form")


def _chips(profiler: Profiler) -> list[str]:
    return profiler.frame.locator(".filters .chip .chip-text").all_inner_texts()


def test_chosen_steps_are_what_every_table_counts(profiler: Profiler, logdir: Path) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    file = profiler.shown_file(logdir)
    step = str(shell.ask("overview", file)["steps"][1]["number"])
    form = _form(profiler)
    form.get_by_label("Steps").fill(step)
    form.get_by_label("Steps").press("Enter")
    profiler.wait_for_place("steps", step)
    assert _chips(profiler) == [f"step {step}"]
    profiler.page.keyboard.press("Escape")
    wanted = {row["name"]: row["count"] for row in shell.ask("operators", file, "--steps", step)["rows"]}
    profiler.frame.locator("main .view-body:not(.is-pending)").wait_for()
    assert {row["name"]: int(row["count"]) for row in profiler.csv()} == wanted


def test_a_filter_goes_with_its_chip_and_comes_back_with_the_back_button(profiler: Profiler) -> None:
    profiler.open("operators", "cnn", inside="^aten::conv2d$")
    profiler.wait_for_rows()
    assert _chips(profiler) == ["inside aten::conv2d"]
    profiler.frame.get_by_role("button", name="Remove filter inside aten::conv2d").click()
    profiler.wait_for_place("inside", None)
    assert _chips(profiler) == []
    profiler.page.go_back()
    profiler.wait_for_place("inside", "^aten::conv2d$")
    profiler.frame.locator(".filters .chip").wait_for()


def test_a_filter_holds_in_the_next_view(profiler: Profiler) -> None:
    profiler.open("operators", "cnn", threads="13039")
    profiler.frame.get_by_role("navigation").get_by_text("Timeline").click()
    profiler.frame.locator("main canvas.tl-tracks").wait_for()
    assert _chips(profiler) == ["thread 13039"]
    assert profiler.place()["threads"] == "13039"


def test_a_view_that_does_not_take_a_filter_says_so(profiler: Profiler) -> None:
    profiler.open("advice", "cnn", inside="conv")
    profiler.frame.locator("main .advice").wait_for()
    chip = profiler.frame.locator(".filters .chip")
    assert "not here" in chip.inner_text()
    assert "does not take it" in str(chip.get_attribute("title"))


def test_steps_that_are_no_numbers_are_marked_and_not_sent(profiler: Profiler) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    steps = _form(profiler).get_by_label("Steps")
    steps.fill("three")
    steps.press("Enter")
    assert steps.get_attribute("aria-invalid") == "true"
    assert "steps" not in profiler.place()


def test_which_names_can_be_read_the_server_says(profiler: Profiler) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    name = _form(profiler).get_by_label("Name")
    name.fill("(?i)ATEN::CONV2D")  # Python's grammar; no browser reads it
    name.press("Enter")
    profiler.frame.locator(".filters .chip", has_text="(?i)").wait_for()
    profiler.page.keyboard.press("Escape")
    profiler.wait_for_rows()
    name = _form(profiler).get_by_label("Name")
    name.fill("conv(")
    name.press("Enter")
    notice = profiler.frame.get_by_role("alert")
    assert "not a regular expression: missing )" in notice.inner_text()
    profiler.page.keyboard.press("Escape")
    notice.get_by_role("button", name="Remove all filters").click()
    profiler.wait_for_place("inside", None)
    profiler.wait_for_rows()
    profiler.expect_failed_requests()


def test_an_event_leads_to_its_row_and_to_what_is_inside_it(profiler: Profiler) -> None:
    profiler.open("timeline", "cnn")
    box = profiler.frame.locator("main [data-search]")
    box.fill("aten::conv2d")
    box.press("Enter")
    details = profiler.frame.locator(".tl-details")
    details.get_by_role("button", name="Only inside").click()
    profiler.wait_for_place("inside", "^aten::conv2d$")
    details.get_by_role("button", name="Operators row").click()
    profiler.wait_for_rows()
    assert profiler.place()["operators.row"] == "aten::conv2d"
    profiler.frame.locator(".side-panel").get_by_text("aten::conv2d").first.wait_for()


def test_an_area_of_the_timeline_is_summed_by_name(profiler: Profiler) -> None:
    profiler.open("timeline", "cnn")
    canvas = profiler.frame.locator("main canvas.tl-tracks")
    canvas.wait_for()
    profiler.frame.get_by_role("button", name="Draw an area").click()
    box = canvas.bounding_box()
    assert box is not None
    profiler.page.mouse.move(box["x"] + 200, box["y"] + 20)
    profiler.page.mouse.down()
    profiler.page.mouse.move(box["x"] + 700, box["y"] + 200, steps=4)
    profiler.page.mouse.up()
    profiler.page.wait_for_function("() => location.hash.includes('timeline.area=')")
    panel = profiler.frame.get_by_role("region", name="Area")
    panel.locator("tbody tr.row").first.wait_for()
    assert panel.get_by_text("track").first.is_visible()
    profiler.page.reload()
    panel.locator("tbody tr.row").first.wait_for()
    profiler.page.keyboard.press("Escape")
    profiler.wait_for_place("timeline.area", None)


def test_steps_cut_the_memory_view_and_only_their_own_chip_undoes_that(profiler: Profiler) -> None:
    profiler.open("memory", "cnn", steps="3")
    profiler.frame.locator("main .memory-curve").wait_for()
    assert _chips(profiler) == ["step 3"]
    assert "not here" not in profiler.frame.locator(".filters .chip").inner_text()
    assert profiler.frame.locator("main .chip").count() == 0


def test_the_row_of_a_copy_is_shown_whatever_the_kernels_view_showed_before(profiler: Profiler) -> None:
    left = {"kernels.q": "gemm", "kernels.category": "matmul", "kernels.group": "stream"}
    profiler.open("operators", "cuda", **left, **{"operators.row": "aten::copy_"})
    profiler.frame.locator(".side-panel").get_by_role("link", name="Memcpy HtoD").first.click()
    profiler.wait_for_view("kernels")
    profiler.frame.locator(".side-panel h2", has_text="Memcpy HtoD").wait_for()
    place = profiler.place()
    assert place["kernels.kind"] == "copy"
    assert not left.keys() & place.keys()


IS_WHOLE = """button => {
    const {left, right, top} = button.getBoundingClientRect()
    const bar = button.parentElement.getBoundingClientRect()
    const isOnTop = [left + 3, right - 3].every((x) => document.elementFromPoint(x, top + 3) === button)
    return isOnTop && left >= bar.left && right <= bar.right
}"""


@pytest.mark.parametrize("width", [1003, 800])
def test_what_adds_a_filter_is_seen_whole_beside_any_chips(browser: Browser, served: str, width: int) -> None:
    with Standalone.opened(browser, served, width=width, height=641) as profiler:
        for filters in (
            {},
            {"inside": "a rather long name|another"},
            {"inside": "a rather long name", "steps": "5", "streams": "7"},
        ):
            profiler.open("timeline", "cuda", **filters)
            button = profiler.frame.get_by_role("button", name="Filter: add or change filters")
            button.wait_for()
            assert len(_chips(profiler)) == len(filters)
            assert button.evaluate(IS_WHOLE)
