"""Compare in a browser: ticked in the table of runs, the sum in sight, a row leads to its event; nothing serious for axe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import axe
from tests.browser.timeline import COLOURS, after, until

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser

ANSWERED_MS = 240_000  # each profile is read by a child; a busy machine has two cores


def test_two_ticked_runs_are_compared_as_a_sum_that_leads_to_the_timeline(profiler: Profiler) -> None:
    profiler.open("runs")
    profiler.wait_for_rows()
    for run in ("cuda", "rocm"):
        profiler.frame.locator(f'input[aria-label^="Compare {run} "]').check()
    profiler.frame.get_by_role("link", name="Compare 2").click()
    tree = profiler.frame.locator("[role=treegrid]")
    tree.locator("tbody tr").first.wait_for(timeout=ANSWERED_MS)
    profiler.frame.locator(".busy-bar").wait_for(state="detached")
    assert "every row is the sum of the rows below it" in tree.locator("tfoot").inner_text()
    assert profiler.frame.locator(".compare-recordings").inner_text().count("NVIDIA") == 1
    assert axe.findings(profiler) == []
    tree.locator("tbody tr.kind-operator a").first.click()
    profiler.wait_for_view("timeline")
    assert profiler.place()["run"] in ("cuda", "rocm")


def test_a_row_leads_to_both_timelines_at_one_place_of_one_axis(profiler: Profiler) -> None:
    span = 1700000000000000000
    items = "\n".join(f"cnn\tnode1_1\t{span + cycle}" for cycle in (1, 2))
    profiler.open("compare", "cnn", **{"compare.items": items})
    tree = profiler.frame.locator("[role=treegrid]")
    tree.locator("tbody tr").first.wait_for(timeout=ANSWERED_MS)
    profiler.frame.get_by_role("button", name="Timelines", exact=True).click()
    canvases = profiler.frame.locator("canvas.tl-tracks")
    canvases.nth(1).wait_for(timeout=ANSWERED_MS)
    until(profiler, lambda: min(canvases.nth(place).evaluate(COLOURS) for place in (0, 1)) > 3)
    place = profiler.place()
    assert (place["run"], place["span"], place["beside.upper"]) == ("cnn", str(span + 1), place["beside.lower"])
    assert axe.findings(profiler) == []
    whole = canvases.nth(1).evaluate("canvas => canvas.toDataURL()")
    canvases.nth(0).hover()
    after(profiler, lambda: profiler.page.keyboard.press("w"))
    until(profiler, lambda: canvases.nth(1).evaluate("canvas => canvas.toDataURL()") != whole)
    profiler.page.reload()
    canvases.nth(1).wait_for(timeout=ANSWERED_MS)
    profiler.frame.get_by_role("button", name="Figures", exact=True).click()
    tree.get_by_role("link", name="both").first.click()
    canvases.nth(1).wait_for(timeout=ANSWERED_MS)
    place = profiler.place()
    assert place["beside.upper"].startswith("@")
    assert place["beside.lower"].startswith("@")
    profiler.frame.get_by_role("button", name="Close the second timeline").click()
    tree.wait_for()
    profiler.check_clean()
