"""What an event started and what started it: its arrows, the way along them and back, and what of them is out of sight."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.profiler import Standalone
from tests.browser.timeline import after, details_of, open_timeline, search_for, until, window_of
from tests.doors.servers import serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator

    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser

N_KERNELS = 250
LAST = "node_249"


def _graph() -> list[dict[str, Any]]:
    """A launch of a graph of many kernels, from 1 ms after it on, each 10 µs."""
    call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaGraphLaunch", "pid": 1, "tid": 1, "ts": 100, "dur": 20}
    kernel = {"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "dur": 8}
    kernels = [
        {**kernel, "name": f"node_{nth}", "ts": 1100 + 10 * nth, "args": {"correlation": 5, "device": 0, "stream": 7}}
        for nth in range(N_KERNELS)
    ]
    return [{**call, "args": {"correlation": 5}}, *kernels]


@pytest.fixture(scope="module")
def graphs(built_page: None, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    logdir = tmp_path_factory.mktemp("graphs")
    (logdir / "graph").mkdir()
    content = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": _graph()}
    (logdir / "graph" / "w.pt.trace.json").write_text(json.dumps(content))
    with serve(tmp_path_factory.mktemp("served"), logdir) as where:
        yield where


def _selected(profiler: Profiler, name: str) -> Locator:
    details = details_of(profiler)
    details.get_by_role("heading", name=name, exact=True).wait_for()
    return details


def test_from_a_graph_launch_one_is_led_back_to_the_kernel_one_came_from(browser: Browser, graphs: str) -> None:
    with Standalone.opened(browser, graphs) as profiler:
        canvas = open_timeline(profiler, "graph", **{"timeline.q": LAST})
        canvas.press("Enter")
        _selected(profiler, LAST)
        kernel = profiler.place()["timeline.row"]
        canvas.press("[")
        details = _selected(profiler, "cudaGraphLaunch")
        words = details.locator(".tl-links div", has_text="Started 250 device events")
        assert "Of 250 arrows at most 60 are drawn" in words.inner_text()
        assert "The first 200 are listed, after the one selected before." in words.inner_text()
        listed = words.get_by_role("listitem").get_by_role("button")
        assert [listed.nth(place).get_attribute("title") for place in (0, 1)] == [LAST, "node_0"]
        canvas.press("]")
        _selected(profiler, LAST)
        assert profiler.place()["timeline.row"] == kernel
        profiler.page.go_back()
        _selected(profiler, "cudaGraphLaunch")
        words.get_by_role("button", name="More").click()
        listed.nth(N_KERNELS - 1).wait_for()
        assert "are listed" not in words.inner_text()
        assert listed.nth(N_KERNELS - 1).get_attribute("title") == LAST
        profiler.check_clean()


def test_where_an_arrow_leaves_the_window_its_other_end_is_named_and_led_to(browser: Browser, graphs: str) -> None:
    with Standalone.opened(browser, graphs) as profiler:
        canvas = open_timeline(profiler, "graph", **{"timeline.q": LAST})
        canvas.press("Enter")
        _selected(profiler, LAST)
        kernel = profiler.place()["timeline.row"]
        canvas.press("f")
        name = profiler.frame.get_by_role("button", name="launch cudaGraphLaunch, 3.49 ms before")
        name.wait_for()
        assert name.inner_text().startswith("←")
        box, window = name.bounding_box(), canvas.bounding_box()
        assert box is not None
        assert window is not None
        assert box["height"] >= 24
        assert box["x"] == window["x"]
        # The picture becomes lower until the launch's lane is below it.
        scroller, middle = profiler.frame.locator(".tl-scroller"), box["y"] + box["height"] / 2 - window["y"]
        scroller.evaluate("(all, px) => all.style.flex = `0 0 ${px}px`", middle + 4)
        short = profiler.frame.get_by_role("button", name="↙ 3.49 ms", exact=True)  # beside the kernel there is no room for words
        short.wait_for()
        low = short.bounding_box()
        assert low is not None
        assert low["y"] + low["height"] <= window["y"] + middle + 4
        assert "launch cudaGraphLaunch, 3.49 ms before, 1 track down" in (short.get_attribute("title") or "")
        scroller.evaluate("all => all.style.flex = ''")
        name.wait_for()
        canvas.press("Tab")
        profiler.page.keyboard.press("Enter")
        _selected(profiler, "cudaGraphLaunch")
        name.wait_for(state="detached")
        assert canvas.evaluate("canvas => canvas === document.activeElement")  # not lost with the name
        canvas.press("]")
        _selected(profiler, LAST)
        profiler.page.go_back()
        profiler.page.go_back()
        profiler.wait_for_place("timeline.row", kernel)
        profiler.check_clean()


def test_on_a_narrow_screen_a_finger_follows_an_arrow_to_what_is_scrolled_away(browser: Browser, graphs: str) -> None:
    with Standalone.opened(browser, graphs, width=640, height=560, has_touch=True) as profiler:
        open_timeline(profiler, "graph", **{"timeline.heights": "0:60,1:60", "timeline.row": str(N_KERNELS)})
        _selected(profiler, LAST)
        scroller = profiler.frame.locator(".tl-scroller")
        name = profiler.frame.locator(".tl-away")
        name.wait_for()
        box, window = name.bounding_box(), scroller.bounding_box()
        assert box is not None
        assert window is not None
        assert window["x"] <= box["x"]
        assert box["x"] + box["width"] <= window["x"] + window["width"]
        name.tap()
        _selected(profiler, "cudaGraphLaunch")
        name.wait_for(state="detached")
        profiler.check_clean()


def test_a_kernel_and_its_launch_are_seen_together(profiler: Profiler) -> None:
    """However low the window: the stream is pinned where both do not fit, as long as the launch is selected. The zoom too."""
    canvas = open_timeline(profiler, "cuda", **{"timeline.python": "0", "timeline.heights": "0:60"})
    search_for(profiler, "gemm")
    details_of(profiler).wait_for()
    profiler.page.set_viewport_size({"width": 1200, "height": 600})
    until(profiler, lambda: canvas.evaluate("canvas => canvas.clientHeight < 300"))  # or it is asked where there is room
    before = after(profiler, lambda: canvas.press("s"))
    kernel = profiler.place()["timeline.row"]
    canvas.press("[")
    profiler.page.wait_for_function("(row) => !location.hash.includes(row)", arg=f"timeline.row={kernel}&")
    pinned = profiler.frame.get_by_role("list", name="Pinned tracks")
    pinned.wait_for()
    t0, t1 = window_of(profiler)
    assert t1 - t0 >= before[1] - before[0] - 2
    details_of(profiler).get_by_role("heading", name="gemm").wait_for(state="hidden")  # until then there is no way back
    canvas.press("]")
    profiler.wait_for_place("timeline.row", kernel)
    assert pinned.is_visible()
    canvas.press("Escape")
    pinned.wait_for(state="detached")
    assert "timeline.pinned" not in profiler.place()
