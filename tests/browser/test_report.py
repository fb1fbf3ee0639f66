"""A report, opened as a file without a network: every view answers from what the file carries."""

from __future__ import annotations

import re
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
    views = [view for view in OF_ONE if view.id != "sql"]  # a question to a server
    assert page.locator("nav a").count() == len(views)
    for view in views:
        show(page, f"view={view.id}")
        assert LACKING not in page.locator("main").inner_text(), view.id
        page.locator("main .definition").first.click()
        assert page.locator(".definition-text p").inner_text().endswith("."), view.id
        assert not re.search(rf"\?{view.id}\.\w", page.locator(".frame").inner_html()), "a key is not words"
        page.keyboard.press("Escape")
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


def test_a_picture_coarser_than_the_screen_says_how_fine_it_is(page: Page) -> None:
    show(page, "view=timeline")
    words = page.locator(".tl-window")
    words.wait_for()
    assert "·" not in words.inner_text()  # the whole recording is as fine as the screen
    show(page, "view=timeline&timeline.t0_ns=1000000&timeline.t1_ns=1000200")  # finer than any report
    words.locator("[title*='tb-plugin serve']").filter(has_text="· drawn to ").wait_for()


def test_what_needs_a_server_is_not_there(page: Page) -> None:
    assert page.locator("main").get_by_text("to select").count() == 0  # steps, as a filter
    show(page, "view=timeline")
    bar = page.get_by_role("toolbar", name="Timeline")
    bar.get_by_role("button", name="Measure").wait_for()
    page.locator("canvas.tl-tracks").click(button="right", position={"x": 300, "y": 60})
    page.get_by_role("menuitem", name="Copy name").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys and mouse")
    keys.get_by_text("Measure").first.wait_for()
    assert keys.get_by_text("Zoom the flame graph").count() == 0
    page.keyboard.press("Escape")
    keys.wait_for(state="detached")
    show(page, "view=overview")
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Go to a view").wait_for()


def test_the_timeline_is_searched_over_the_events_that_are_in_it(page: Page) -> None:
    show(page, "view=timeline")
    page.keyboard.press("/")
    page.keyboard.type("gemm")
    search = page.get_by_role("search")
    found = search.locator("[aria-live]")
    found.get_by_text(re.compile(r"^\d+ hits?, [^%]+$")).wait_for()  # of a small recording each event is there by itself
    assert re.search(r"All \d+ events? searched", found.get_attribute("title") or "")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Selected event").get_by_text("gemm").first.wait_for()
    search.get_by_role("button", name="List").click()
    hits = page.get_by_role("region", name="Search results")
    hits.get_by_text("searched").wait_for()
    start = hits.locator("tr.row td:nth-child(2)").first
    assert start.inner_text() == start.get_attribute("title")  # each digit is known
    hits.locator("tr.row").last.click()
    page.wait_for_function("() => new URLSearchParams(location.hash.slice(1)).has('timeline.row')")
    assert page.get_by_role("alert").count() == 0  # each hit can be looked at
    search.get_by_role("searchbox").fill("(")
    search.get_by_role("button", name="Regular expression").click()
    search.locator(".is-bad").get_by_text("nvalid regular expression").wait_for()


COLOURED = """() => {
    const drawn = document.querySelector('canvas.tl-tracks')
    const copy = new OffscreenCanvas(drawn.width, drawn.height).getContext('2d', { willReadFrequently: true })
    copy.drawImage(drawn, 0, 0)
    const { data } = copy.getImageData(0, 0, drawn.width, drawn.height)
    const strong = (at) => Math.max(...data.slice(at, at + 3)) - Math.min(...data.slice(at, at + 3)) > 60
    return Array.from({ length: data.length / 4 }, (_, at) => 4 * at).filter(strong).length
}"""


WIDE = """each => {
    const all = document.createRange()
    all.selectNodeContents(each)
    return all.getBoundingClientRect().width
}"""


def test_of_how_many_of_the_events_a_search_is_has_room(page: Page) -> None:
    show(page, "view=timeline&timeline.q=a&timeline.t0_ns=0&timeline.t1_ns=200")  # from so near that it says how fine it is
    words = page.get_by_role("search").locator("[aria-live]")
    words.get_by_text(re.compile(r"\d")).wait_for()
    words.evaluate("each => { each.textContent = '1 of 1,259, 2.62 s in 1.47 % of events' }")
    page.get_by_text("drawn to ").wait_for()
    for each in (words, page.locator(".tl-window")):
        assert each.evaluate(WIDE) <= each.evaluate("each => each.getBoundingClientRect().width")


def test_an_event_that_no_profile_has_is_not_sought_with_a_server(page: Page) -> None:
    show(page, "view=timeline&timeline.row=9999999")
    told = page.get_by_role("alert")
    told.wait_for()
    assert "This profile has no event “9999999”." in told.inner_text()
    assert LACKING not in told.inner_text()


def test_what_a_search_leaves_out_is_grey_in_the_picture(page: Page) -> None:
    show(page, "view=timeline")
    # The whole picture: two looks in a row have as much of it.
    is_still = (
        f"() => {{ const [was, is] = [window.looked, ({COLOURED})()]; window.looked = is; return is > 1000 && is === was }}"
    )
    page.wait_for_function(is_still, polling=300)
    before = page.evaluate(COLOURED)
    show(page, "view=timeline&timeline.q=gemm")
    # Neither half a picture nor one that is drawn anew: the hits are there, and little else.
    page.wait_for_function(f"() => {{ const n = ({COLOURED})(); return 20 < n && n < {before} / 2 }}")
    assert page.get_by_role("alert").count() == 0


def test_an_area_is_summed_up_over_the_events_that_are_in_it(page: Page) -> None:
    show(page, "view=timeline")
    page.locator("canvas.tl-tracks").click(button="right", position={"x": 300, "y": 60})
    page.get_by_role("menuitem", name="Sum up while it ran").click()
    area = page.get_by_role("region", name="Area")
    area.locator("tr.row").first.wait_for()
    area.get_by_text("summed up").wait_for()
    assert LACKING not in area.inner_text()
    assert area.get_by_role("columnheader", name="Total").count() > 0
    assert area.get_by_role("columnheader", name="Self").get_attribute("aria-sort") == "descending"
    assert "ProfilerStep" not in area.locator("tr.row").first.inner_text()  # it names what runs in it, and is no work itself
    area.get_by_text(re.compile(r"device 0 busy .* gaps ")).wait_for()
    assert area.get_by_text("Flame graph").count() == 0


@pytest.mark.parametrize("view", ["overview", "advice", "operators", "kernels", "modules", "memory", "whatif"])
def test_each_link_leads_to_what_it_carries(page: Page, view: str) -> None:
    show(page, f"view={view}")
    links = page.locator("main a[href*='#']").evaluate_all("all => all.map((each) => each.href.split('#')[1])")
    for place in sorted(set(links)):
        page.goto(f"{page.url.partition('#')[0]}#{place}")
        page.locator("main .view-body:not(.is-pending), main .notice, main .tl").first.wait_for()
        assert LACKING not in page.locator("main").inner_text(), place


def test_narrow_events_have_names_in_the_table_of_what_is_seen(page: Page) -> None:
    show(page, "view=timeline")
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("button", name="As table").click()
    rows = page.get_by_role("region", name="Visible events").locator("tr.row")
    rows.first.wait_for()
    assert "…" not in [row.split("\t")[0].strip() for row in rows.all_inner_texts()]


def test_why_something_is_not_shown_moves_no_track(page: Page) -> None:
    show(page, "view=timeline")
    tracks = page.locator("canvas.tl-tracks")
    before = tracks.bounding_box()
    show(page, "view=timeline&timeline.row=999999999")
    page.get_by_role("alert").wait_for()
    assert tracks.bounding_box() == before
