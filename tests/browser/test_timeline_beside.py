"""A second timeline under the first: what filters hold for, what is said of a link that leads nowhere, and what lies where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import COLOURS, open_timeline, until

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler


pytestmark = pytest.mark.browser


def test_filters_dim_both_timelines(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda", **{"beside.lower": "begin"})
    second = profiler.frame.get_by_role("region", name="Second timeline").locator("canvas.tl-tracks")
    until(profiler, lambda: second.evaluate(COLOURS) > 3)
    whole = second.evaluate(COLOURS)
    open_timeline(profiler, "cuda", **{"beside.lower": "begin", "inside": "^ProfilerStep#5$"})
    until(profiler, lambda: second.evaluate(COLOURS) > whole)  # there are pale ones now


def test_a_second_timeline_that_is_not_there_can_be_closed_and_another_chosen(tab: Profiler) -> None:
    open_timeline(tab, "cuda", **{"beside.lower": "99", "beside.profile": "gone\tw\t1"})
    second = tab.frame.get_by_role("region", name="Second timeline")
    second.get_by_text("there is no run 'gone' here").wait_for()
    second.get_by_label("of", exact=True).select_option("this profile")
    lies = second.get_by_label("lies", exact=True)
    lies.wait_for()
    tab.frame.get_by_role("button", name="Close the second timeline").click()
    second.wait_for(state="detached")
    tab.errors.clear()  # the browser's own line of a refusal


def test_a_step_that_is_not_there_is_said(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda", **{"beside.lower": "99"})
    lies = profiler.frame.get_by_label("lies", exact=True)
    assert lies.locator("option:checked").inner_text() == "the beginning: no step 99"


def test_events_selected_above_and_below_are_told_one_under_the_other(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda", **{"beside.lower": "begin", "timeline.row": "0", "beside.row": "1"})
    details = profiler.frame.get_by_role("region", name="Selected event")
    details.nth(1).wait_for()
    below, above = (details.nth(place).bounding_box() for place in (0, 1))
    assert below is not None
    assert above is not None
    assert below["y"] + below["height"] <= above["y"] + 1


def test_what_the_link_asks_for_and_is_not_there_is_said_once(tab: Profiler) -> None:
    refused: list[str] = []
    tab.page.on("response", lambda response: refused.append(response.url) if response.status == 404 else None)
    open_timeline(tab, "cuda", threads="zz")
    alert = tab.frame.get_by_role("alert")
    alert.get_by_text("threads=zz: there is no such thread in this profile").wait_for()
    tab.page.wait_for_timeout(2500)  # no answer is waited for
    assert len(refused) == 1
    open_timeline(tab, "cuda", **{"timeline.row": "99999999"})
    alert.get_by_text("no event 99999999").wait_for()
    tab.errors.clear()
