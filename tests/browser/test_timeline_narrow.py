"""The timeline in a narrow window, where panels lie below each other: what was opened last is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.browser.timeline import open_timeline, tracks_of, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator


pytestmark = pytest.mark.browser

# More than its head, which always is.
IN_SIGHT = """panel => {
    const {left, top} = panel.getBoundingClientRect()
    return panel.contains(document.elementFromPoint(left + 8, top + 60))
}"""


def test_what_was_opened_last_is_seen(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=800, height=700) as profiler:
        open_timeline(profiler, "cuda")
        step, track = tracks_of(profiler)["steps"][0], tracks_of(profiler)["tracks"][0]["id"]
        canvas = open_timeline(profiler, "cuda", **{"timeline.area": f"{step['start_ns']},{step['end_ns']}:{track}"})
        area = profiler.frame.get_by_role("region", name="Area", exact=True)
        details = profiler.frame.get_by_role("region", name="Selected event")
        next_hit = profiler.frame.get_by_role("button", name="Next result")

        def is_seen(panel: Locator) -> bool:
            return panel.count() > 0 and bool(panel.evaluate(IN_SIGHT))

        until(profiler, lambda: is_seen(area))
        profiler.frame.locator("main [data-search]").first.fill("aten::")
        next_hit.click()
        until(profiler, lambda: is_seen(details))
        area.locator("header").scroll_into_view_if_needed()
        until(profiler, lambda: not is_seen(details))
        next_hit.click()  # another event in the same panel
        until(profiler, lambda: is_seen(details))

        box = canvas.bounding_box()
        assert box is not None
        profiler.page.keyboard.down("Alt")
        profiler.page.mouse.move(box["x"] + 20, box["y"] + 10)
        profiler.page.mouse.down()
        profiler.page.mouse.move(box["x"] + 300, box["y"] + 60, steps=4)
        profiler.page.mouse.up()
        profiler.page.keyboard.up("Alt")
        until(profiler, lambda: is_seen(area))
        profiler.check_clean()
