"""What the timeline is read with: a second one beside it, flame graphs, values, measuring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import COLOURS, after, open_timeline, tracks_of, until

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def test_a_second_timeline_moves_with_the_first_and_the_link_keeps_it(profiler: Profiler) -> None:
    canvas = open_timeline(profiler, "cnn")
    profiler.frame.get_by_role("button", name="Beside").click()
    second = profiler.frame.get_by_role("region", name="Second timeline").locator("canvas.tl-tracks")
    second.wait_for()
    until(profiler, lambda: second.evaluate(COLOURS) > 3)
    whole = second.evaluate("canvas => canvas.toDataURL()")
    canvas.first.hover()  # there are two now
    after(profiler, lambda: profiler.page.keyboard.press("w"))
    until(profiler, lambda: second.evaluate("canvas => canvas.toDataURL()") != whole)
    profiler.page.reload()
    second.wait_for()
    profiler.frame.get_by_role("button", name="Close the second timeline").click()
    second.wait_for(state="detached")


def test_the_flame_graph_of_an_area_leads_into_the_timeline_and_back(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda")
    tracks = tracks_of(profiler)
    area = f"{tracks['start_ns']},{tracks['end_ns']}:" + ",".join(str(track["id"]) for track in tracks["tracks"])
    profiler.open("timeline", "cuda", **{"timeline.area": area})
    panel = profiler.frame.get_by_role("region", name="Area", exact=True)
    panel.get_by_label("As", exact=True).select_option("Flame graph")
    panel.locator(".icicle .block[data-id='0'] rect").click()
    profiler.wait_for_place("timeline.call", "0")
    row = panel.locator("tr.is-selected")
    name = row.locator("td").first.get_attribute("title")
    row.get_by_role("button", name="Show the longest").click()
    details = profiler.frame.get_by_role("region", name="Selected event")
    assert details.get_by_role("heading").first.get_attribute("title") == name
    panel.locator(".icicle .block[data-id='0'].is-selected").wait_for()
    panel.get_by_label("As", exact=True).select_option("Flame graph, inverted")
    panel.locator(".icicle .block[data-id='0']").wait_for()
    profiler.check_clean()
