"""Trends in a browser: charts fill in, the keyboard leads to a comparison with the point before; nothing serious for axe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import axe

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser

ANSWERED_MS = 240_000  # each profile is read by a child; a busy machine has two cores


def test_charts_lead_to_the_comparison_of_a_point_with_the_one_before(profiler: Profiler) -> None:
    profiler.open("trends", **{"trends.only": "cuda|rocm"})
    charts = profiler.frame.locator(".trends-charts")
    charts.locator("circle.dot").nth(1).wait_for(timeout=ANSWERED_MS)
    profiler.frame.locator(".trends-said .link").nth(1).wait_for()
    assert axe.findings(profiler) == []
    charts.focus()
    profiler.page.keyboard.press("End")
    profiler.page.keyboard.press("Shift+Enter")
    profiler.wait_for_view("compare")
    assert profiler.place()["compare.items"].count("\n") == 1
