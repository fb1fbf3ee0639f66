"""The frame around the views: links, theme, choosing, and what it says when there is nothing to show."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views import ALL
from tests.browser.profiler import CONTENT, PLUGIN, Profiler, Standalone
from tests.doors.servers import serve, tensorboard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.browser

VIEWS = tuple(view.id for view in ALL)


def test_the_tab_is_active_and_a_view_opens_with_the_newest_run(tab: Profiler) -> None:
    tab.page.goto(tab.address)
    tab.page.get_by_role("tab", name=re.compile("PyTorch Profiler", re.IGNORECASE)).wait_for()
    tab.open("overview")
    tab.wait_for_place("run", "cnn")


def test_a_link_opens_the_same_view_after_reload_and_back_goes_back(tab: Profiler) -> None:
    tab.open("operators", "cnn", **{"operators.sort": "name", "operators.q": "conv"})
    tab.wait_for_rows()
    names = tab.rows().locator("td:first-child").all_inner_texts()
    tab.page.reload()
    tab.wait_for_view("operators")
    tab.wait_for_rows()
    assert tab.frame.locator("main [data-search]").input_value() == "conv"
    assert tab.rows().locator("td:first-child").all_inner_texts() == names
    tab.frame.get_by_role("navigation").get_by_role("link", name="Overview").click()
    tab.wait_for_view("overview")
    tab.page.go_back()
    tab.wait_for_view("operators")
    tab.page.go_forward()
    tab.wait_for_view("overview")


def test_digits_and_links_switch_views_and_keep_the_run(tab: Profiler) -> None:
    tab.open("overview", "cnn")
    for key, view in (("4", "operators"), ("5", "kernels"), ("3", "timeline"), ("2", "overview"), ("1", "runs")):
        tab.frame.locator("main").press(key)
        tab.wait_for_view(view)
        assert tab.place()["run"] == "cnn"


def test_theme_follows_tensorboards_switch(tab: Profiler) -> None:
    tab.open("overview", "cnn")
    html = tab.frame.locator("html")
    for name, wanted in (("Dark", "dark"), ("Light", "light")):
        tab.choose_theme(name)
        tab.frame.locator(f'html[data-theme="{wanted}"]').wait_for()
        red = html.evaluate("html => Number(/\\d+/.exec(getComputedStyle(html).backgroundColor)[0])")
        assert (red < 80) == (wanted == "dark")


def test_choosing_a_run_keeps_the_view(profiler: Profiler) -> None:
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    profiler.frame.get_by_role("button", name=re.compile("^run: cnn")).click()
    runs = profiler.frame.get_by_role("listbox", name="runs").get_by_role("option")
    names = runs.locator(".entry-label").all_inner_texts()
    assert names == sorted(names)
    assert {"broken", "cnn"} <= set(names)
    runs.filter(has_text="broken").click()
    profiler.frame.get_by_role("alert").wait_for()
    assert profiler.place()["view"] == "operators"
    assert profiler.place()["run"] == "broken"
    profiler.expect_failed_requests()


def test_both_cycles_of_the_schedule_can_be_chosen(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    profiler.wait_for_place("run", "cnn")
    profiler.frame.get_by_role("button", name=re.compile("^span:")).click()
    spans = profiler.frame.get_by_role("listbox", name="spans").get_by_role("option")
    spans.first.wait_for()
    assert [text.split(" ")[0] for text in spans.locator(".entry-label").all_inner_texts()] == ["1", "2"]
    profiler.wait_for_key("span")
    last = profiler.place()["span"]
    spans.first.click()
    profiler.page.wait_for_function("(last) => !location.hash.includes(last)", arg=last)
    assert int(profiler.place()["span"]) < int(last)


def test_a_broken_file_shows_its_reason_and_others_still_work(profiler: Profiler) -> None:
    profiler.open("operators", "broken")
    alert = profiler.frame.get_by_role("alert")
    alert.wait_for()
    said = alert.inner_text()
    assert "node1_8.1700000000000000000.pt.trace.json" in said
    assert "Traceback" not in said
    with profiler.page.expect_request(lambda request: "again=true" in request.url):
        alert.get_by_role("button", name="Try again").click()
    alert.wait_for()
    profiler.open("operators", "cnn")
    profiler.wait_for_rows()
    profiler.expect_failed_requests()


def test_a_run_that_is_gone_is_named_not_replaced(profiler: Profiler) -> None:
    profiler.open("operators", "no_such_run")
    profiler.frame.get_by_role("heading", name=re.compile("Looking for run .no_such_run")).wait_for()
    profiler.frame.get_by_role("heading", name=re.compile("There is no run .no_such_run")).wait_for()
    profiler.frame.get_by_role("button", name="Show the newest profile").click()
    profiler.wait_for_rows()


def test_a_link_to_a_run_that_was_moved_names_those_with_names_like_it(profiler: Profiler) -> None:
    profiler.open("operators", "moved/cnn")
    profiler.frame.get_by_role("heading", name="There is no run “moved/cnn”").wait_for()
    profiler.frame.get_by_role("link", name="cnn", exact=True).click()
    profiler.wait_for_rows()
    profiler.wait_for_place("run", "cnn")


def test_a_link_to_a_run_that_was_just_written_opens_and_denies_nothing(
    browser: Browser, built_page: None, logdir: Path, tmp_path: Path
) -> None:
    logs = tmp_path / "young_logs"
    shutil.copytree(logdir / "cnn", logs / "old")
    with serve(tmp_path, str(logs)) as address, Standalone.opened(browser, address) as page:
        page.page.goto(page.link(view="operators"))
        page.wait_for_rows()
        shutil.copytree(logdir / "cnn", logs / "young")
        page.page.goto(page.link(view="operators", run="young"))
        denied = page.frame.get_by_role("heading", name="There is no run")
        assert denied.count() == 0
        page.wait_for_rows()
        page.wait_for_place("run", "young")
        page.check_clean()


def test_views_have_their_names_before_the_server_says_them(profiler: Profiler) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        if answers:
            route.continue_()
        else:
            held.append(route)

    answers = False
    profiler.page.route("**/api/v1/runs**", hold)
    profiler.page.goto(profiler.link(view="operators"))
    nav = profiler.frame.get_by_role("navigation")
    nav.get_by_text("Operators").wait_for()
    before = nav.inner_text()
    answers = True
    for route in held:
        route.continue_()
    profiler.wait_for_rows()
    assert [line for line in nav.inner_text().splitlines() if not line.isdigit()] == before.splitlines()


def test_a_view_that_does_not_exist_is_said_not_replaced_in_silence(profiler: Profiler) -> None:
    profiler.page.goto(profiler.link(view="opperators", run="cnn"))
    profiler.wait_for_view("overview")
    banner = profiler.frame.get_by_text("There is no view “opperators”")
    banner.wait_for()
    profiler.page.goto(profiler.link(view="nonsense", run="cnn"))
    profiler.frame.get_by_text("There is no view “nonsense”").wait_for()
    profiler.open("kernels", "cnn")
    profiler.wait_for_view("kernels")
    banner.wait_for(state="detached")


def test_keys_work_before_anything_was_clicked(tab: Profiler) -> None:
    tab.page.goto(tab.link(view="overview", run="cnn"))
    tab.wait_for_view("overview")
    tab.page.keyboard.press(str(VIEWS.index("kernels") + 1))
    tab.wait_for_view("kernels")


def test_the_first_tab_stop_leads_into_the_view(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    profiler.frame.locator("main .figure").first.wait_for()
    skip = profiler.frame.get_by_role("button", name="Skip to the view")
    assert profiler.frame.locator("button, a").first.inner_text() == skip.inner_text()
    skip.focus()
    skip.press("Enter")
    assert profiler.frame.locator("main").evaluate("main => main === document.activeElement")


def test_loading_shows_stage_and_percent_then_the_view(profiler: Profiler) -> None:
    seen: list[str] = []

    def slow(route: Route) -> None:
        if seen:
            route.continue_()
        else:
            waiting = {"state": "loading", "progress": 0.43, "stage": "reading", "seconds_left": None, "so_far": None}
            route.fulfill(status=202, json=waiting)

    # A small file is read faster than anybody can look, so the server's reply is held back here.
    profiler.page.route("**/api/v1/view/operators**", slow)
    profiler.open("operators", "cnn")
    status = profiler.frame.get_by_role("status").filter(has_text="43 %")
    status.wait_for()
    seen.append(status.inner_text())
    assert "reading" in seen[0]
    assert ".pt.trace.json" in seen[0]
    profiler.wait_for_rows()


@pytest.fixture(scope="module")
def narrow(browser: Browser, served: str) -> Iterator[Profiler]:
    with Standalone.opened(browser, served, width=800, height=700) as page:
        yield page
        page.check_clean()


@pytest.mark.parametrize("view", VIEWS)
def test_a_narrow_window_shows_the_view_without_sideways_scrolling(narrow: Profiler, view: str) -> None:
    narrow.open(view, "cnn")
    narrow.frame.locator(CONTENT[view]).first.wait_for()
    too_wide = narrow.frame.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
    assert too_wide <= 0
    assert narrow.frame.get_by_role("navigation").locator("a").count() == len(VIEWS)


def test_an_empty_logdir_says_what_was_searched_and_shows_what_comes(
    browser: Browser, built_page: None, logdir: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty_logs"
    empty.mkdir()
    with tensorboard(tmp_path, "--logdir", str(empty)) as address, Profiler.opened(browser, address) as page:
        page.page.clock.install()
        page.page.goto(page.link())
        page.frame.get_by_role("heading", name="No profiles yet").wait_for()
        said = page.frame.locator("main").inner_text()
        for wanted in ("empty_logs", "*.pt.trace.json", "*.pt.profile.pb", "*.sqlite", "*.pickle", "tensorboard_trace_handler"):
            assert wanted in said
        shutil.copytree(logdir / "cnn", empty / "cnn")
        page.frame.locator("main .figure").first.wait_for()
        page.wait_for_place("run", "cnn")
        shutil.rmtree(empty / "cnn")
        page.pass_time_until(page.frame.get_by_text("The files of this profile are gone"))
        assert page.frame.locator("main .figure").count() > 0
        page.expect_failed_requests()  # whoever asks meanwhile for what is gone is told so
        page.check_clean()


def test_a_path_prefix_changes_nothing(browser: Browser, built_page: None, logdir: Path, tmp_path: Path) -> None:
    with (
        tensorboard(tmp_path, "--logdir", str(logdir), path_prefix="/team/board") as address,
        Profiler.opened(browser, address) as page,
    ):
        page.open("operators", "cnn")
        page.wait_for_rows()
        assert f"/team/board/#{PLUGIN}" in page.page.url
        page.check_clean()


OF_THE_HEAD = """head => [...head.querySelectorAll('button:not([role])')].filter(each => each.checkVisibility()).map(each => {
    const {left, right, top, bottom} = each.getBoundingClientRect()
    return [left, right, top, bottom]
})"""


@pytest.mark.parametrize("width", [1280, 800, 700, 400])
def test_what_stands_in_the_head_is_seen_whole_beside_each_other_or_below(browser: Browser, served: str, width: int) -> None:
    with Standalone.opened(browser, served, width=width, height=700) as page:
        page.open("overview", "cnn")
        page.frame.locator(CONTENT["overview"]).first.wait_for()
        places = page.frame.locator("header.top").evaluate(OF_THE_HEAD)
        assert len(places) >= 8  # run, worker, span, filter, file, search, link, help
        for nth, (left, right, top, bottom) in enumerate(places):
            assert left >= 0
            assert right <= width
            assert right - left > 24
            for other_left, other_right, other_top, other_bottom in places[:nth]:
                assert right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top
