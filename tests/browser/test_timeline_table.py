"""The table of what the timeline draws."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.timeline import open_timeline

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


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
