"""The middle half of a recording, on one page for many gestures: each begins at the same window and says where it ends."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.browser.timeline import COLOURS, open_timeline, painted, tracks_of, until, window_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator

    from tests.browser.profiler import Profiler

GO: Final = """hash => {
    if (location.hash !== hash) location.hash = hash
    return document.querySelector('.tl-window').title
}"""


class Half:
    """The main thread is pinned: its steps are the first lane. Some tracks are out of sight. Shares are of the recording."""

    def __init__(self, profiler: Profiler) -> None:
        self.profiler = profiler
        open_timeline(profiler, "cuda")
        self.tracks = tracks_of(profiler)
        self.main = next(track for track in self.tracks["tracks"] if "main" in track["name"])
        t0, t1 = self.share(0.25), self.share(0.75)
        keys = {key: profiler.place()[key] for key in ("worker", "span")}
        keys |= {"timeline.pinned": f"{self.main['id']}", "timeline.t0_ns": f"{t0:.0f}", "timeline.t1_ns": f"{t1:.0f}"}
        self.canvas = open_timeline(profiler, "cuda", **keys)
        painted(profiler, lambda: self.canvas.evaluate(COLOURS))
        self.header, self.values = (profiler.frame.locator(f".tl-{part} canvas") for part in ("header", "values"))
        self.start = (profiler.page.evaluate("location.hash"), profiler.frame.locator(".tl-window").get_attribute("title"))
        self.width = self.box(self.canvas)["width"]
        self.step = next(step for step in self.tracks["steps"] if t0 < step["start_ns"] and step["end_ns"] < t1)

    def begin(self) -> None:
        """Asks again and again: what still moves may write its own window once more."""
        hash_, words = self.start
        until(self.profiler, lambda: self.profiler.page.evaluate(GO, hash_) == words)

    def share(self, share: float) -> float:
        start, end = self.tracks["start_ns"], self.tracks["end_ns"]
        return float(start + share * (end - start))

    def x(self, t_ns: float) -> float:
        """Where on the page it lies while the middle half is shown."""
        t0, t1 = self.share(0.25), self.share(0.75)
        return float(self.box(self.canvas)["x"] + (t_ns - t0) / (t1 - t0) * self.width)

    def box(self, part: Locator) -> Any:
        box = part.bounding_box()
        assert box is not None
        return box

    def y(self, part: str) -> float:
        """Of the first lane, and of what lies above it: the curves, the names of steps, the axis, the strip."""
        header = self.box(self.header)
        bottom = header["y"] + header["height"]
        above = {"steps": bottom - 9, "axis": bottom - 29, "strip": header["y"] + 20, "values": self.box(self.values)["y"] + 10}
        return float(above[part] if part in above else self.box(self.canvas)["y"] + 10)

    @contextlib.contextmanager
    def moves_to(self, t0_ns: float, t1_ns: float, *, within_px: float = 2) -> Iterator[None]:
        """The link says this window in the end; `within_px` is of the window before."""
        wanted, within = (t0_ns, t1_ns), within_px * (self.share(0.5) - self.share(0)) / self.width
        assert window_of(self.profiler) != pytest.approx(wanted, abs=within)
        yield
        until(self.profiler, lambda: window_of(self.profiler) == pytest.approx(wanted, abs=within))
