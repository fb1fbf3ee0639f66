"""The table of what the timeline draws."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.timeline import open_timeline, said, until, window_of

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser

PAGE_OF_STEPS = 1000  # hits that the page asks for at once to step through them


def test_the_table_of_what_is_in_sight_stays_after_a_reload(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    profiler.frame.get_by_role("button", name="Show", exact=True).click()
    button = profiler.frame.get_by_role("button", name="As table")
    button.click()
    table = profiler.frame.get_by_role("region", name="Visible events")
    table.wait_for()
    profiler.wait_for_place("timeline.table", "1")
    profiler.page.reload()
    table.locator("tr.row").first.wait_for()
    profiler.frame.get_by_role("button", name="Show", exact=True).click()
    button.click()
    table.wait_for(state="detached")
    profiler.wait_for_place("timeline.table", None)


def test_the_list_of_hits_follows_from_hit_to_hit(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn", **{"timeline.q": "aten::add", "timeline.list": "1"})
    found = profiler.frame.get_by_role("region", name="Search results")
    found.locator("tr.row").first.wait_for()
    current = found.locator("tr.row[aria-selected=true]")
    assert current.count() == 0
    box = profiler.frame.get_by_role("search").locator("input")
    box.press("Enter")
    current.wait_for()
    first = current.inner_text()
    box.press("Shift+Enter")  # from the first to the last of more than the list has room for
    current.filter(has_not_text=first).wait_for()
    profiler.frame.get_by_role("search").get_by_text(re.compile(r"^(\d+) of \1\b")).wait_for()
    expect(current).to_be_in_viewport()


def test_a_hit_that_is_longer_than_the_window_is_shown_whole(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    step = max(said(profiler, "timeline/search", q="ProfilerStep")["hits"], key=lambda hit: hit["duration_ns"])
    start, end = step["start_ns"], step["start_ns"] + step["duration_ns"]
    near = {"timeline.t0_ns": str((start + end) // 2), "timeline.t1_ns": str((start + end) // 2 + 1000)}
    open_timeline(profiler, "cuda", **near, **{"timeline.q": f"^{step['name']}$", "timeline.regex": "1"})
    profiler.frame.get_by_role("search").get_by_text("hit").wait_for()
    while profiler.place().get("timeline.row") != str(step["row"]):
        profiler.frame.get_by_role("search").locator("input").press("Enter")
        profiler.wait_for_key("timeline.row")
    until(profiler, lambda: (seen := window_of(profiler))[0] < start and seen[1] > end)


def test_the_list_of_hits_is_sorted_over_all_of_them_and_its_file_holds_them_all(profiler: Profiler) -> None:
    keys = {"timeline.q": "a", "timeline.list": "1", "timeline_hits.sort": "-duration_ns"}
    open_timeline(profiler, "cnn", **keys)
    hits = said(profiler, "timeline/search", q="a", limit=20000)["hits"]
    assert len(hits) > PAGE_OF_STEPS
    found = profiler.frame.get_by_role("region", name="Search results")
    longest = max(hits, key=lambda hit: hit["duration_ns"])
    current = found.locator("tr.row[aria-selected=true]")
    until(profiler, lambda: longest["name"] in found.locator("tr.row").first.inner_text())
    with profiler.page.expect_download() as saved:
        found.get_by_role("button", name="CSV").click()
    with saved.value.path().open(newline="", encoding="utf-8") as file:
        durations = [int(row["duration_ns"]) for row in csv.DictReader(file)]
    assert durations == sorted((hit["duration_ns"] for hit in hits), reverse=True)
    found.get_by_role("grid").press("ArrowDown")
    found.get_by_role("grid").press("Enter")
    profiler.wait_for_place("timeline.row", str(longest["row"]))
    place = hits.index(longest)
    counted = profiler.frame.get_by_role("search")
    counted.get_by_text(f"{place + 1:,} of {len(hits):,}").wait_for()  # in time
    current.wait_for()
    assert current.get_attribute("aria-rowindex") == "2"
    counted.locator("input").press("Enter")
    after = hits[(place + 1) % len(hits)]
    profiler.wait_for_place("timeline.row", str(after["row"]))
    by_length = sorted(range(len(hits)), key=lambda at: (-hits[at]["duration_ns"], hits[at]["start_ns"]))
    until(profiler, lambda: current.count() == 1 and current.get_attribute("aria-rowindex") != "2")
    assert abs(int(current.get_attribute("aria-rowindex") or 0) - 2 - by_length.index((place + 1) % len(hits))) <= 1
    expect(current).to_be_in_viewport()


def test_enter_on_what_is_in_sight_selects_it(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda", **{"timeline.table": "1"})
    grid = profiler.frame.get_by_role("region", name="Visible events").get_by_role("grid")
    grid.locator("tr.row").first.wait_for()
    grid.press("ArrowDown")
    grid.press("Enter")
    profiler.wait_for_key("timeline.row")
    assert "timeline_blocks.row" not in profiler.place()
    grid.locator("tr.row[aria-selected=true]").wait_for()
