"""Marks of the timeline: their list, and what a mark of an event is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import open_timeline, tracks_of, until

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def test_the_list_of_marks_has_a_line_for_each_and_leaves_its_button_in_sight(profiler: Profiler) -> None:
    name = "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::clamp_min>(int, float)\nask Ann"
    marks = ";".join(f"{1000 * n},{1000 * n + 500}:{name}" for n in range(12))
    open_timeline(profiler, "cuda", **{"timeline.mark": marks})
    profiler.page.set_viewport_size({"width": 1200, "height": 420})
    button = profiler.frame.get_by_role("button", name="12 marks")
    button.click()
    names = profiler.frame.get_by_role("textbox", name="Name of the mark")
    lines = names.first.bounding_box()
    assert lines is not None
    assert lines["height"] < 60
    shown, own = profiler.frame.get_by_role("dialog").bounding_box(), button.bounding_box()
    assert shown is not None
    assert own is not None
    assert shown["y"] >= own["y"] + own["height"]
    assert shown["y"] + shown["height"] <= 420
    first = profiler.frame.get_by_role("dialog").get_by_role("row").nth(2)
    start = profiler.frame.get_by_role("dialog").get_by_role("columnheader").nth(1)
    assert start.inner_text().startswith("Start")
    assert first.get_by_role("cell").nth(1).inner_text() == f"{1000 - tracks_of(profiler)['start_ns']:,} ns"
    names.first.focus()
    until(profiler, lambda: (names.first.bounding_box() or lines)["height"] > lines["height"])


def test_a_mark_has_the_short_name_of_its_event(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cuda")
    box = profiler.frame.locator("main [data-search]")
    box.fill("gemm")
    profiler.frame.get_by_role("search").get_by_text(", ").wait_for()
    box.press("Enter")
    details = profiler.frame.get_by_role("region", name="Selected event")
    details.wait_for()
    canvas.press("m")
    profiler.frame.get_by_role("button", name="1 mark").wait_for()
    profiler.wait_for_key("timeline.mark")
    name = profiler.place()["timeline.mark"].partition(":")[2]
    assert 0 < len(name) <= 40
    assert "gemm" in name
    assert name != details.locator(".mono").first.get_attribute("title")
