"""What fingers do with the timeline. Real ones: the browser scrolls and zooms with them itself where the page lets it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.half import Half
from tests.browser.profiler import Standalone
from tests.browser.timeline import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, CDPSession, Locator

pytestmark = pytest.mark.browser

Point = tuple[float, float]
STEPS = 8


@pytest.fixture(scope="module")
def page(browser: Browser, served: str) -> Iterator[Half]:
    with Standalone.opened(browser, served, height=640, has_touch=True) as profiler:
        yield Half(profiler)
        profiler.check_clean()


@pytest.fixture(scope="module")
def session(page: Half) -> CDPSession:
    return page.profiler.page.context.new_cdp_session(page.profiler.page)


@pytest.fixture
def half(page: Half) -> Half:
    page.begin()
    return page


def _slide(session: CDPSession, *fingers: tuple[Point, Point]) -> None:
    """Each finger from where to where, all at once."""

    def touch(kind: str, points: list[dict[str, Any]]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def points(share: float) -> list[dict[str, Any]]:
        ways = enumerate(fingers)
        return [{"id": n, "x": x0 + share * (x1 - x0), "y": y0 + share * (y1 - y0)} for n, ((x0, y0), (x1, y1)) in ways]

    touch("touchStart", points(0))
    for step in range(1, STEPS + 1):
        touch("touchMove", points(step / STEPS))
    touch("touchEnd", [])


@pytest.mark.parametrize("direction", [(1, 0), (0, 1), (0.7, 0.7)])
def test_what_lies_under_two_fingers_stays_there(half: Half, session: CDPSession, direction: Point) -> None:
    x, y, aside = half.x(half.share(0.4)), half.y("lane") + 180, 60

    def at(by: float, aside: float = 0) -> Point:
        return x + by * direction[0] + aside, y + by * direction[1]

    span = 0.5 / 3
    t0 = 0.4 - span * (0.3 + aside / half.width)
    with half.moves_to(half.share(t0), half.share(t0 + span)):
        _slide(session, (at(-50), at(-150, aside)), (at(50), at(150, aside)))


@pytest.mark.parametrize("part", ["lane", "values"])
def test_a_finger_moves_time(half: Half, session: CDPSession, part: str) -> None:
    x, y = half.x(half.share(0.6)), half.y(part)
    by = 160 * 0.5 / half.width
    with half.moves_to(half.share(0.25 + by), half.share(0.75 + by)):
        _slide(session, ((x, y), (x - 160, y)))


def test_a_finger_scrolls_the_tracks(half: Half, session: CDPSession) -> None:
    scroller = half.profiler.frame.locator(".tl-scroller")
    x, y = half.x(half.share(0.5)), half.y("lane") + 200
    for by in (60, -60):  # in steps of 7.5 pixels, which are none of a scroll
        before = scroller.evaluate("each => each.scrollTop")
        _slide(session, ((x, y), (x, y - by)))
        until(half.profiler, partial(_is_at, scroller, before + by))


def _is_at(scroller: Locator, top: int) -> bool:
    return bool(scroller.evaluate("each => each.scrollTop") == top)


def test_a_finger_draws_the_window_over_the_axis(half: Half, session: CDPSession) -> None:
    t0, t1, y = half.share(0.3), half.share(0.45), half.y("axis")
    with half.moves_to(t0, t1):
        _slide(session, ((half.x(t0), y), (half.x(t1), y)))


def test_a_finger_reads_a_value(half: Half, session: CDPSession) -> None:
    bare = half.values.screenshot()
    point = (half.x(half.share(0.7)), half.y("values"))
    _slide(session, (point, point))
    until(half.profiler, lambda: half.values.screenshot() != bare)
