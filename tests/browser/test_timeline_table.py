"""The table of what the timeline draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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
