"""Compare in a browser: ticked in the table of runs, the sum in sight, a row leads to its event; nothing serious for axe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import axe

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
