"""A link of the timeline that says what the profile does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import open_timeline, tracks_of

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def test_what_a_link_asks_for_that_is_not_there_is_told_and_taken_out_of_the_address(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda", **{"timeline.t0_ns": "900", "timeline.t1_ns": "x", "timeline.area": "10,5:0"})
    notice = profiler.frame.locator(".tl-problem")
    notice.wait_for()
    assert "“900 to x”, is no stretch of time" in notice.inner_text()
    assert "“10,5:0”, is no stretch of time on tracks of this profile" in notice.inner_text()
    profiler.wait_for_place("timeline.area", None)
    assert "timeline.t1_ns" not in profiler.place()
    notice.get_by_role("button", name="Close the notice").click()
    notice.wait_for(state="detached")
    start, end = (tracks_of(profiler)[edge] for edge in ("start_ns", "end_ns"))
    profiler.open("timeline", "cuda", **{"timeline.area": f"{start},{end}:0,999"})
    notice.wait_for()
    assert "no track “999”" in notice.inner_text()
    profiler.wait_for_place("timeline.area", f"{start},{end}:0")
    panel = profiler.frame.locator(".tl-area")
    panel.wait_for()
    told, sums = notice.bounding_box(), panel.bounding_box()
    assert told is not None
    assert sums is not None
    assert told["y"] + told["height"] <= sums["y"], "the notice lies over the sums of the area"
