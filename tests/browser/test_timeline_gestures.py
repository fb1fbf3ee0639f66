"""What a mouse and keys do with the timeline: each gesture, and the window it ends at."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from tests.browser.half import Half
from tests.browser.profiler import Standalone
from tests.browser.timeline import until, window_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Mouse

pytestmark = pytest.mark.browser

HELD_MS = 900  # more than any press moves by

# As frames go by, of which a slow one counts as 50 ms.
FRAMES = """least => new Promise((done) => {
    let [sum, last] = [0, performance.now()]
    const frame = () => {
        const now = performance.now()
        sum += Math.min(now - last, 50)
        last = now
        sum < least ? requestAnimationFrame(frame) : done()
    }
    requestAnimationFrame(frame)
})"""


@pytest.fixture(scope="module")
def page(browser: Browser, served: str) -> Iterator[Half]:
    with Standalone.opened(browser, served, height=640) as profiler:
        yield Half(profiler)
        profiler.check_clean()


@pytest.fixture
def half(page: Half) -> Half:
    page.begin()
    return page


@pytest.fixture
def mouse(half: Half) -> Mouse:
    return half.profiler.page.mouse


def _drag(mouse: Mouse, x0: float, x1: float, y: float) -> None:
    mouse.move(x0, y)
    mouse.down()
    mouse.move((x0 + x1) / 2, y, steps=3)
    mouse.move(x1, y, steps=3)
    mouse.up()


@contextlib.contextmanager
def _held(half: Half, key: str) -> Iterator[None]:
    half.profiler.page.keyboard.down(key)
    try:
        yield
    finally:
        half.profiler.page.keyboard.up(key)


def _drag_along_step(half: Half) -> None:
    """Not from edge to edge: what draws a stretch snaps to them."""
    _drag(half.profiler.page.mouse, half.x(half.step["start_ns"]) + 3, half.x(half.step["end_ns"]) - 3, half.y("lane"))


def test_in_box_mode_a_drag_over_tracks_zooms_to_the_events_it_covers(half: Half) -> None:
    half.canvas.press("b")
    with half.moves_to(half.step["start_ns"], half.step["end_ns"], within_px=1):
        _drag_along_step(half)


def test_a_drag_with_shift_zooms_to_the_events_it_covers(half: Half) -> None:
    with half.moves_to(half.step["start_ns"], half.step["end_ns"], within_px=1), _held(half, "Shift"):
        _drag_along_step(half)


def test_in_area_mode_a_drag_sums_up_the_tracks_it_covers(half: Half) -> None:
    half.canvas.press("e")
    _drag_along_step(half)
    half.profiler.wait_for_place("timeline.area", f"{half.step['start_ns']},{half.step['end_ns']}:{half.main['id']}")
    area = half.profiler.frame.get_by_role("region", name="Area")
    area.get_by_role("button", name="Close the area").click()
    area.wait_for(state="detached")


def test_a_double_click_shows_an_event_with_air_around_it(half: Half, mouse: Mouse) -> None:
    start, end = half.step["start_ns"], half.step["end_ns"]
    air = (end - start) * 0.1
    with half.moves_to(start - air, end + air):
        mouse.dblclick(half.x((start + end) / 2), half.y("lane"))
    details = half.profiler.frame.get_by_role("region", name="Selected event")
    details.get_by_role("button", name="Close details").click()
    details.wait_for(state="detached")


def test_a_drag_over_the_axis_draws_the_window(half: Half, mouse: Mouse) -> None:
    t0, t1 = half.share(0.3), half.share(0.45)
    with half.moves_to(t0, t1):
        _drag(mouse, half.x(t1), half.x(t0), half.y("axis"))


def test_a_click_on_the_name_of_a_step_shows_the_step(half: Half, mouse: Mouse) -> None:
    step = half.step
    t0, t1 = min(step["start_ns"], step["timed_start_ns"]), max(step["end_ns"], step["timed_end_ns"])
    with half.moves_to(t0, t1):
        mouse.click(half.x((step["start_ns"] + step["end_ns"]) / 2), half.y("steps"))


def _strip_x(half: Half, share: float) -> float:
    return float(half.box(half.header)["x"] + share * half.width)


@pytest.mark.parametrize(
    ("start", "end", "window"),
    [
        pytest.param(0.3, 0.4, (0.35, 0.85), id="inside it moves the window"),
        pytest.param(0.2, 0.05, (0.05, 0.2), id="outside it draws another"),
        pytest.param(0.6, 0.6, (0.35, 0.85), id="a click brings the window there"),
    ],
)
def test_a_drag_over_the_strip(half: Half, mouse: Mouse, start: float, end: float, window: tuple[float, float]) -> None:
    with half.moves_to(*map(half.share, window), within_px=4):
        _drag(mouse, _strip_x(half, start), _strip_x(half, end), half.y("strip"))


def test_the_wheel_over_the_axis_zooms_at_the_pointer(half: Half, mouse: Mouse) -> None:
    mouse.move(half.x(half.share(0.35)), half.y("axis"))
    factor = 1.0016**-400
    with half.moves_to(half.share(0.35 - 0.1 * factor), half.share(0.35 + 0.4 * factor)):
        mouse.wheel(0, -400)


def test_the_wheel_over_the_strip_zooms_at_what_lies_there(half: Half, mouse: Mouse) -> None:
    mouse.move(_strip_x(half, 0.65), half.y("strip"))
    factor = 1.0016**-400
    with half.moves_to(half.share(0.65 - 0.4 * factor), half.share(0.65 + 0.1 * factor)):
        mouse.wheel(0, -400)


def test_the_wheel_over_tracks_scrolls_them_and_moves_time_with_shift_or_sideways(half: Half, mouse: Mouse) -> None:
    mouse.move(half.x(half.share(0.5)), half.y("lane"))
    scroller = half.profiler.frame.locator(".tl-scroller")
    mouse.wheel(0, 60)
    until(half.profiler, lambda: scroller.evaluate("each => each.scrollTop") == 60)
    mouse.wheel(0, -60)
    until(half.profiler, lambda: scroller.evaluate("each => each.scrollTop") == 0)
    px = 0.5 / half.width  # that is where the window still is
    with half.moves_to(half.share(0.25 + 100 * px), half.share(0.75 + 100 * px)), _held(half, "Shift"):
        mouse.wheel(0, 100)
    with half.moves_to(half.share(0.25 - 40 * px), half.share(0.75 - 40 * px)):
        mouse.wheel(-140, 0)
    assert scroller.evaluate("each => each.scrollTop") == 0


@pytest.mark.parametrize(
    ("key", "window"),
    [("a", (-0.002, 0.498)), ("ArrowLeft", (-0.002, 0.498)), ("ArrowRight", (0.502, 1.002)), ("0", (0, 1))],
)
def test_keys_move_the_window_and_show_everything(half: Half, key: str, window: tuple[float, float]) -> None:
    with half.moves_to(*map(half.share, window)):
        half.canvas.press(key)


@pytest.mark.parametrize(("key", "least", "most"), [("w", 0, 0.2), ("s", 0.9, 1.1)])  # a press would make 0.40 or 0.62 of it
def test_w_and_s_zoom_as_long_as_they_are_held(half: Half, key: str, least: float, most: float) -> None:
    page, whole = half.profiler.page, half.share(1) - half.share(0)
    page.emulate_media(reduced_motion="no-preference")
    with _held(half, key):
        page.evaluate(FRAMES, HELD_MS)
    page.emulate_media(reduced_motion="reduce")

    def span() -> int:
        t0, t1 = window_of(half.profiler)
        return t1 - t0

    until(half.profiler, lambda: least * whole < span() < most * whole)


def test_a_track_is_resized_by_a_drag_of_its_lower_edge(half: Half, mouse: Mouse) -> None:
    track = half.profiler.frame.get_by_role("list", name="Tracks", exact=True).locator(".tl-track").first
    before = half.box(track)
    x, y = before["x"] + 60, before["y"] + before["height"] - 3
    mouse.move(x, y)
    mouse.down()
    mouse.move(x, y + 80, steps=4)
    mouse.up()
    until(half.profiler, lambda: half.box(track)["height"] == pytest.approx(before["height"] + 80, abs=6))
    half.profiler.wait_for_key("timeline.heights")
