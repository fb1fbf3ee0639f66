"""The flame graph of an area, and its calls as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.browser.timeline import open_timeline, tracks_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def test_the_flame_graph_of_an_area_leads_into_the_timeline_and_back(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    tracks = tracks_of(profiler)
    area = f"{tracks['start_ns']},{tracks['end_ns']}:" + ",".join(str(track["id"]) for track in tracks["tracks"])
    profiler.open("timeline", "cuda", **{"timeline.area": area})
    panel = profiler.frame.get_by_role("region", name="Area", exact=True)
    panel.get_by_label("As", exact=True).select_option("Flame graph")
    leading = panel.locator(".icicle .block title", has_text="Click: the longest call")
    panel.locator(".icicle .block[data-id='0'] rect").wait_for()
    assert leading.count() == 0  # all of them have no longest one
    panel.locator(".icicle .block[data-id='0'] rect").click()
    profiler.wait_for_place("timeline.call", "0")
    assert leading.count() == 1
    row = panel.locator("tr.is-selected")
    name = row.locator("td").first.get_attribute("title")
    panel.locator(".icicle .block[data-id='0'] rect").click()  # once more
    details = profiler.frame.get_by_role("region", name="Selected event")
    assert details.get_by_role("heading").first.get_attribute("title") == name
    shown = profiler.place()["timeline.row"]
    profiler.page.go_back()
    profiler.wait_for_place("timeline.row", None)
    longest = row.get_by_role("button", name="Show the longest")
    assert longest.inner_text() == "Longest"
    longest.click()
    profiler.wait_for_place("timeline.row", shown)
    assert details.get_by_role("heading").first.get_attribute("title") == name
    panel.locator(".icicle .block[data-id='0'].is-selected").wait_for()
    panel.get_by_label("As", exact=True).select_option("Flame graph, inverted")
    panel.locator(".icicle .block[data-id='0']").wait_for()
    panel.get_by_label("As", exact=True).select_option("Flame graph")
    profiler.open("timeline", "cuda", **{"timeline.area": area, "timeline.as": "flame"})
    block = panel.locator(".icicle .block[data-id='0']")
    block.focus()
    profiler.page.keyboard.press("Enter")
    profiler.wait_for_place("timeline.call", "0")
    profiler.page.keyboard.press("Enter")
    profiler.wait_for_place("timeline.row", shown)
    profiler.check_clean()


def test_a_call_below_the_folded_python_frames_is_scrolled_to_at_once(browser: Browser, served: str) -> None:
    """The rows that open for it make room: one that scrolled before they are drawn would end above it."""
    with Standalone.opened(browser, served, width=1440, height=600) as profiler:
        open_timeline(profiler, "cnn")
        tracks = tracks_of(profiler)
        thread = next(t for t in tracks["tracks"] if {"operator", "python"} <= {part["kind"] for part in t["parts"]})
        area = f"{tracks['start_ns']},{tracks['end_ns']}:{thread['id']}"
        keys = {"timeline.area": area, "timeline.as": "flame", "timeline.side": "host", "timeline.row": "0"}
        profiler.open("timeline", "cnn", **keys)
        rows = profiler.frame.locator(".tl-call-rows tbody tr")
        rows.first.wait_for()
        profiler.frame.get_by_role("button", name="Open all").click()
        profiler.wait_for_place("timeline.open", "~-1")
        deep = profiler.frame.get_by_role("button", name="Show the longest").nth(12)
        top = "() => document.querySelector('.tl-scroller').scrollTop"
        deep.click()
        profiler.wait_for_place("timeline.python", str(thread["id"]))
        first = profiler.page.evaluate(top)
        deep.click()
        profiler.frame.get_by_role("region", name="Selected event").wait_for()
        assert profiler.page.evaluate(top) == first > 0
