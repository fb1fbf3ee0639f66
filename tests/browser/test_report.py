"""A report, opened as a file without a network: every view answers from what the file carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_type_hints

import pytest

from tb_plugin.answers.questions import of_one
from tb_plugin.doors import cli
from tb_plugin.question.question import choices_of
from tb_plugin.views import OF_ONE
from tests.browser.profiler import CONTENT, WAIT_MS
from tests.profiles import sample

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

LACKING = "Not in this report"


@pytest.fixture(scope="module")
def address(built_page: None, tmp_path_factory: pytest.TempPathFactory) -> str:
    target: Path = tmp_path_factory.mktemp("report") / "report.html"
    assert cli.main(["report", str(sample("cuda")), "-o", str(target)]) == 0
    return target.as_uri()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Fails at the end on any console error and on any request but that of the file itself."""
    context = browser.new_context(offline=True, color_scheme="dark", viewport={"width": 1440, "height": 900})
    opened, asked, wrong = context.new_page(), list[str](), list[str]()
    opened.set_default_timeout(WAIT_MS)
    opened.on("request", lambda request: asked.append(request.url.partition("#")[0]))
    opened.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.goto(address)
    opened.locator("main .figure").first.wait_for()
    yield opened
    context.close()
    assert wrong == []
    assert set(asked) == {address}


def show(page: Page, place: str) -> None:
    page.goto(f"{page.url.partition('#')[0]}#{place}")
    page.locator(CONTENT[place.removeprefix("view=").partition("&")[0]]).first.wait_for()


def test_every_view_answers_without_a_server(page: Page) -> None:
    assert page.locator("nav a").count() == len(OF_ONE)
    for view in OF_ONE:
        show(page, f"view={view.id}")
        assert LACKING not in page.locator("main").inner_text(), view.id
    assert page.locator("html").get_attribute("data-theme") == "dark"


@pytest.mark.parametrize("table", ["operators", "kernels", "modules"])
def test_tables_can_be_grouped_without_a_server(page: Page, table: str) -> None:
    for group in choices_of(get_type_hints(of_one(table).params)["group_by"]):
        show(page, f"view={table}&{table}.group={group}")
        page.locator("main .view-body:not(.is-pending), main .notice").first.wait_for()
        assert LACKING not in page.locator("main").inner_text(), group


def test_a_row_and_an_event_show_what_is_behind_them(page: Page) -> None:
    show(page, "view=operators")
    page.locator("main [role=grid] tr.row").first.click()
    page.get_by_text("Host time of a call").first.wait_for()
    show(page, "view=timeline&timeline.row=0")
    page.get_by_role("region", name="Selected event").wait_for()


def test_what_is_not_carried_says_how_to_see_it(page: Page) -> None:
    page.goto(f"{page.url.partition('#')[0]}#view=operators&steps=1")
    page.get_by_text(f"{LACKING}: open the profile with tb-plugin serve.").first.wait_for()
    page.get_by_role("button", name="Remove all filters").click()
    page.locator("main [role=grid] tr.row").first.wait_for()


def test_values_over_time_are_drawn_in_any_window(page: Page) -> None:
    show(page, "view=timeline")
    page.get_by_role("list", name="Values").get_by_role("listitem").first.wait_for()
    drawn = page.locator(".tl-values canvas")
    page.wait_for_timeout(500)
    whole = drawn.screenshot()
    page.keyboard.press("w")
    page.wait_for_timeout(500)
    near = drawn.screenshot()
    drawn.evaluate("canvas => canvas.getContext('2d').clearRect(0, 0, canvas.width, canvas.height)")
    assert len({whole, near, drawn.screenshot()}) == 3
