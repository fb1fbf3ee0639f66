"""What a frame of the timeline does, and what it leaves to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import after, open_timeline

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser

# Notes of each question whether a frame asked it.
WATCH = """(() => {
    let isFrame = false
    const frame = window.requestAnimationFrame.bind(window)
    window.requestAnimationFrame = (call) => frame((now) => {
        isFrame = true
        try { call(now) } finally { isFrame = false }
    })
    const fetch = window.fetch.bind(window)
    window.asked = []
    window.fetch = (...all) => {
        window.asked.push([new URL(all[0], location.href).pathname.split('/timeline/')[1], isFrame])
        return fetch(...all)
    }
})()"""


def test_what_the_next_frames_need_is_asked_between_frames(profiler: Profiler) -> None:
    profiler.page.add_init_script(WATCH)
    canvas = open_timeline(profiler, "cnn")
    for _ in range(3):
        after(profiler, lambda: canvas.press("w"))
    profiler.page.wait_for_function("asked.some(([question]) => question === 'values')")
    profiler.page.wait_for_function("asked.filter(([question]) => question === 'window').length > 1")
    assert profiler.page.evaluate("asked.filter(([question, isFrame]) => question !== undefined && isFrame)") == []
