"""What the timeline is read with: a second one beside it, flame graphs, values, measuring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import COLOURS, after, open_timeline, until

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
    canvas.hover()
    after(profiler, lambda: profiler.page.keyboard.press("w"))
    until(profiler, lambda: second.evaluate("canvas => canvas.toDataURL()") != whole)
    profiler.page.reload()
    second.wait_for()
    profiler.frame.get_by_role("button", name="Close the second timeline").click()
    second.wait_for(state="detached")
