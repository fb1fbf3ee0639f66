"""axe-core finds nothing serious in any view and state, light and dark; what the mouse does, the keyboard does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import axe
from tests.browser.profiler import CONTENT, Profiler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Profiler]:
    """One page for all tests of a theme: opening TensorBoard takes longer than any of them."""
    with Profiler.opened(browser, address) as profiler:
        profiler.page.goto(profiler.address)
        profiler.choose_theme(request.param.title())
        profiler.open("overview", "cnn")
        profiler.frame.locator(f'html[data-theme="{request.param}"]').wait_for()
        yield profiler
        profiler.check_clean()


@pytest.mark.parametrize("view", CONTENT)
def test_axe_finds_nothing_serious_in_any_view(page: Profiler, view: str, request: pytest.FixtureRequest) -> None:
    """Of a GPU, as it has more to show; in the right theme."""
    page.open(view, "cuda")
    page.frame.locator(f'html[data-theme="{request.node.callspec.params["page"]}"]').wait_for()
    page.frame.locator(CONTENT[view]).first.wait_for()
    page.frame.locator(".busy-bar").wait_for(state="detached")
    assert axe.findings(page) == []


def test_axe_finds_nothing_serious_in_what_opens(page: Profiler) -> None:
    page.open("operators", "cnn", inside="^aten::conv2d$")
    page.rows().first.click()
    page.frame.get_by_role("complementary", name="Details").wait_for()
    page.rows().first.locator("td").first.click(button="right")
    page.frame.get_by_role("menu").wait_for()
    assert axe.findings(page) == [], "side panel and menu"
    page.page.keyboard.press("Escape")
    page.frame.get_by_role("button", name="Columns").click()
    page.grid().get_by_role("button", name="What is Calls?").click()
    page.frame.locator(".definition-text").wait_for()
    assert axe.findings(page) == [], "a definition"
    page.page.keyboard.press("Escape")


def test_axe_finds_nothing_serious_where_something_is_missing(page: Profiler) -> None:
    page.open("kernels", "cnn")
    page.frame.locator("main .notice").wait_for()
    assert axe.findings(page) == [], "no device"
    page.open("operators", "broken")
    page.frame.get_by_role("alert").wait_for()
    assert axe.findings(page) == [], "a failed file"
    page.expect_failed_requests()


def test_axe_finds_nothing_serious_in_an_empty_logdir(page: Profiler) -> None:
    def without_runs(route: Route) -> None:
        reply: dict[str, Any] = route.fetch().json()
        route.fulfill(json={**reply, "runs": []})

    page.page.route("**/api/v1/runs**", without_runs)
    try:
        page.page.goto(page.link())
        page.page.reload()
        page.frame.get_by_role("heading", name="No profiles yet").wait_for()
        assert axe.findings(page) == []
    finally:  # the next test has the same page, also after a skip
        page.page.unroute_all(behavior="wait")  # else one that is under way is answered twice, and the next test hears of it


FOCUSED = """() => {
  const element = document.activeElement
  // A table is as long as its rows: what is seen of it shows its focus.
  const isTable = element.matches('.table')
  const { outlineStyle, outlineWidth } = isTable
    ? getComputedStyle(element.closest('.table-and-panel'), '::after') : getComputedStyle(element)
  const part = element.closest('header, nav, main')
  return {
    what: element.outerHTML.slice(0, 120),
    part: part === null ? element.tagName : part.tagName,
    isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    isTable,
  }
}"""
MOVING = """() => [...document.querySelectorAll('*')].filter((element) => {
  const { transitionDuration, animationDuration } = getComputedStyle(element)
  return [...transitionDuration.split(','), ...animationDuration.split(',')].some((each) => parseFloat(each) > 0.01)
}).map((element) => element.outerHTML.slice(0, 120))"""


def test_tab_goes_through_everything_in_order_and_shows_where_it_is(page: Profiler) -> None:
    page.open("operators", "cnn")
    page.wait_for_rows()
    frame = page.script_frame()
    frame.evaluate("() => document.activeElement.blur()")
    page.frame.locator("header button").first.focus()
    stops: list[dict[str, Any]] = []
    for _ in range(80):
        stops.append(frame.evaluate(FOCUSED))
        if stops[-1]["isTable"]:
            break
        page.page.keyboard.press("Tab")
    assert stops[-1]["isTable"], "the table cannot be reached"
    # The first was focused by script, which need not show.
    assert [stop["what"] for stop in stops[1:] if not stop["isSeen"]] == []
    parts = [stop["part"] for stop in stops]
    assert [part for i, part in enumerate(parts) if i == 0 or part != parts[i - 1]] == ["HEADER", "NAV", "MAIN"]


def test_nothing_moves_for_those_who_asked_for_no_motion(page: Profiler) -> None:
    frame = page.script_frame()
    for view in ("overview", "operators"):
        page.open(view, "cnn")
        page.frame.locator(CONTENT[view]).first.wait_for()
        assert frame.evaluate(MOVING) == []
