"""What tests of the timeline do again and again: open it, wait for what is painted, read what the link says."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from tests.browser.profiler import WAIT_MS, Profiler

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

COLOURFUL: Final = """canvas => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let count = 0
    for (let i = 0; i < data.length; i += 4) {
        const red = data[i], green = data[i + 1], blue = data[i + 2]
        if (Math.max(red, green, blue) - Math.min(red, green, blue) > 40) count += 1
    }
    return count
}"""

COLOURS: Final = """canvas => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const seen = new Set()
    let last = -1
    for (const pixel of new Uint32Array(data.buffer)) {
        if (pixel !== last) seen.add((last = pixel) & 0xffffff)
    }
    return seen.size
}"""


def canvas_of(profiler: Profiler) -> Locator:
    return profiler.frame.locator("main canvas.tl-tracks").first  # not that of a second one beside


def open_timeline(profiler: Profiler, run: str, **keys: str) -> Locator:
    profiler.open("timeline", run, **keys)
    canvas = canvas_of(profiler)
    canvas.wait_for()
    until(profiler, lambda: canvas.evaluate(COLOURS) > 3)
    return canvas


def search_for(profiler: Profiler, text: str) -> Locator:
    """Types a name, waits until the hits are counted, goes to the first."""
    box = profiler.frame.locator("main [data-search]")
    box.fill(text)
    profiler.frame.get_by_role("search").get_by_text(re.compile(r"\d+ hits?, ")).wait_for()
    box.press("Enter")
    profiler.frame.get_by_role("search").get_by_text("1 of ").wait_for()
    return box


def details_of(profiler: Profiler) -> Locator:
    return profiler.frame.get_by_role("region", name="Selected event")


def show(profiler: Profiler) -> None:
    """Opens the menu of what the timeline shows."""
    profiler.frame.get_by_role("toolbar", name="Timeline").get_by_role("button", name="Show", exact=True).click()


def until(profiler: Profiler, true: Callable[[], bool]) -> None:
    """What is painted raises no event: look again after each frame, for as long as any wait may take."""
    ends = time.monotonic() + WAIT_MS / 1000
    while time.monotonic() < ends:
        if true():
            return
        profiler.page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 25))")
    raise AssertionError("it never came true")


def painted(profiler: Profiler, read: Callable[[], int]) -> int:
    """What is read of a picture that has all it asks for: the same at two looks, with frames between, and no question open."""
    looks: list[tuple[int, int]] = []

    def is_still() -> bool:
        looks.append((profiler.frame.locator(".busy-bar").count(), read()))
        return len(looks) > 1 and looks[-2] == looks[-1] and looks[-1][0] == 0

    until(profiler, is_still)
    return looks[-1][1]


def tracks_of(profiler: Profiler) -> Any:
    return said(profiler, "timeline")["result"]


def said(profiler: Profiler, question: str, **params: object) -> Any:
    """What the server answers of the profile that is open."""
    profiler.wait_for_key("span")
    query = urlencode({**{key: profiler.place()[key] for key in ("run", "worker", "span")}, **params})
    reply = profiler.page.request.get(f"{profiler.address}{profiler.OURS[1:]}api/v1/view/{question}?{query}")
    assert reply.ok
    return reply.json()


def window_of(profiler: Profiler) -> tuple[int, int]:
    place = profiler.place()
    return int(place["timeline.t0_ns"]), int(place["timeline.t1_ns"])


def after(profiler: Profiler, act: Callable[[], object]) -> tuple[int, int]:
    """The window in the link after `act` has moved it."""
    before = profiler.page.url
    act()
    profiler.page.wait_for_function("(before) => location.href !== before && location.hash.includes('t1_ns')", arg=before)
    return window_of(profiler)
