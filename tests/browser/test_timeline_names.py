"""Names in the timeline: of tracks on the left, with their tools, and of arguments in the details."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.browser.timeline import open_timeline

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser.profiler import Profiler


pytestmark = pytest.mark.browser

UNDER_TOOLS = """tools => {
    const {left, top} = tools.getBoundingClientRect()
    return tools.contains(document.elementFromPoint(left + 8, top + 8))
}"""


def test_tools_of_a_track_are_there_only_when_they_are_seen(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn")
    tools = profiler.frame.locator(".tl-track .tl-track-tools").first
    assert not tools.evaluate(UNDER_TOOLS)
    profiler.frame.locator(".tl-track-name").first.hover()
    assert tools.evaluate(UNDER_TOOLS)


def test_a_finger_sees_the_tools_of_every_track(browser: Browser, served: str) -> None:
    with Standalone.opened(browser, served, width=1024, height=768, has_touch=True) as profiler:
        open_timeline(profiler, "cnn")
        tools = profiler.frame.locator(".tl-track-tools")
        assert set(tools.evaluate_all("all => all.map(each => getComputedStyle(each).opacity)")) == {"1"}


def test_a_long_argument_is_not_written_over_its_value(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn", **{"timeline.row": "5"})
    name = profiler.frame.locator(".tl-arguments dt").first
    name.evaluate("name => { name.textContent = 'smsp__sass_thread_inst_executed_op_'.repeat(9) }")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth")
