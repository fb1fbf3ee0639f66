"""The table of runs: the first screen of a log directory with several; figures as in the shell; a row leads to its run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import shell
from tests.browser.profiler import Profiler, Standalone

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Route

pytestmark = pytest.mark.browser

ALL_ANSWERED_MS = 240_000  # each profile is read by a child; a busy machine has two cores
REASON = "not a PyTorch profile: none of the formats that are read"
FIGURES = ("n_ranks", "step_ns", "busy_share", "peak_bytes", "finding", "gain_share")


def open_table(profiler: Profiler, **keys: str) -> None:
    profiler.open("runs", **keys)
    profiler.wait_for_rows()


def wait_for_all(profiler: Profiler) -> None:
    still = profiler.frame.locator("tfoot", has_text="still to come")
    still.wait_for(state="detached", timeout=ALL_ANSWERED_MS)


def row_of(profiler: Profiler, run: str) -> Locator:
    return profiler.rows().filter(has=profiler.frame.locator("td:first-child a", has_text=run))


def test_of_several_runs_the_table_comes_first(tab: Profiler, logdir: Path) -> None:
    tab.page.goto(tab.link())
    tab.wait_for_view("runs")
    tab.wait_for_rows()
    assert sorted(tab.column("Run")) == sorted(path.name for path in logdir.iterdir())
    tab.wait_for_place("view", "runs")


def test_a_link_that_names_a_view_or_a_run_opens_that(profiler: Profiler) -> None:
    profiler.open("operators")
    profiler.page.goto(profiler.link(run="cnn"))
    profiler.page.reload()
    profiler.wait_for_view("overview")


def test_the_figures_are_those_of_the_shell(profiler: Profiler, logdir: Path) -> None:
    open_table(profiler, **{"runs.cols": ",".join((*FIGURES, "device"))})
    wait_for_all(profiler)
    shown = {row["run"]: row for row in profiler.json()}
    told: list[dict[str, Any]] = shell.ask("runs", logdir)["rows"]
    assert set(shown) == {row["run"] for row in told}
    for row in told:
        figures = {**row, **(row["summary"] or {})}
        assert shown[row["run"]]["device"] == (figures.get("device") or ("unnamed" if figures.get("n_devices") else None))
        assert {name: shown[row["run"]][name] for name in FIGURES} == {name: figures.get(name) for name in FIGURES}


def test_a_broken_run_says_why_and_the_totals_count_it(profiler: Profiler) -> None:
    open_table(profiler)
    wait_for_all(profiler)
    broken = row_of(profiler, "broken")
    (told,) = (row["state"] for row in profiler.json() if row["run"] == "broken")
    assert broken.get_by_title(told, exact=True).inner_text() == "failed"
    assert broken.get_by_title(told.removeprefix("failed: "), exact=True).count() == 2  # beside its name, and for its finding
    assert told.startswith("failed: ")
    assert f".pt.trace.json: {REASON}" in told  # which file, and why
    assert "failed" in broken.locator("td").first.inner_text()
    assert "1 failed" in profiler.frame.locator("tfoot").inner_text()


def test_a_click_and_enter_open_the_run_and_back_returns_to_the_table(profiler: Profiler) -> None:
    open_table(profiler, **{"runs.q": "cnn"})
    wait_for_all(profiler)  # what a row opens with is known once it has answered
    link = row_of(profiler, "cnn").locator("a")
    assert "view=overview" in str(link.get_attribute("href"))
    assert link.get_attribute("target") == "_top"
    row_of(profiler, "cnn").locator("td").nth(2).click()
    profiler.wait_for_view("overview")
    profiler.wait_for_place("run", "cnn")
    profiler.page.go_back()
    profiler.wait_for_view("runs")
    profiler.wait_for_rows()
    profiler.grid().press("ArrowDown")
    profiler.grid().press("Enter")
    profiler.wait_for_view("overview")
    profiler.frame.locator("main .figure").first.wait_for()


def test_rows_are_runs_or_spans_and_the_link_says_which(profiler: Profiler) -> None:
    open_table(profiler)
    n_runs = profiler.rows().count()
    profiler.frame.get_by_label("Rows").select_option("span")
    profiler.wait_for_place("runs.each", "span")
    profiler.frame.locator("tfoot", has_text="spans").wait_for()
    assert "Span" in [title.split()[0] for title in profiler.columns()]
    assert profiler.rows().count() > n_runs, "cnn was recorded in two cycles"


def test_choosing_a_run_in_the_bar_shows_it(profiler: Profiler) -> None:
    open_table(profiler)
    profiler.frame.get_by_role("button", name="run:").click()
    profiler.frame.get_by_role("listbox", name="runs").get_by_role("option").filter(has_text="cnn").click()
    profiler.wait_for_view("overview")


def test_rows_fill_in_while_the_table_keeps_its_order(profiler: Profiler) -> None:
    answers = [0]

    def first_without_figures(route: Route) -> None:
        reply = route.fetch().json()
        answers[0] += 1
        if answers[0] == 1:
            for row in reply["result"]["rows"]:
                row.update(state="loading", progress=0.43, reason=None, summary=None)
            reply["n_pending"] = reply["n_members"]
        route.fulfill(json=reply)

    profiler.page.route("**/api/v1/view/runs**", first_without_figures)
    open_table(profiler, **{"runs.sort": "run"})
    names = profiler.column("Run")
    assert set(profiler.column("State")) == {"43 %"}
    wait_for_all(profiler)
    assert profiler.column("Run") == names
    assert "43 %" not in profiler.column("State")


def test_500_runs_in_a_narrow_window_keep_the_first_column(browser: Browser, served: str) -> None:
    def many(route: Route) -> None:
        reply = route.fetch().json()
        row = reply["result"]["rows"][0]
        reply["result"]["rows"] = [{**row, "run": f"run_{number}"} for number in range(500)]
        reply.update(n_members=500, n_pending=0)
        route.fulfill(json=reply)

    with Standalone.opened(browser, served, width=800, height=700) as narrow:
        narrow.page.route("**/api/v1/view/runs**", many)
        open_table(narrow)
        assert narrow.frame.get_by_text("500 rows").is_visible()
        box = narrow.frame.locator(".table-box")
        box.evaluate("box => { box.scrollLeft = 10_000 }")
        narrow.frame.locator("th", has_text="State").wait_for()
        left = box.evaluate("box => box.getBoundingClientRect().left")
        assert narrow.rows().first.locator("td").first.evaluate("cell => cell.getBoundingClientRect().left") == left
        narrow.check_clean()
