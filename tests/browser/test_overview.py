"""The overview: its bars and figures are the shell's numbers, and they lead to the events behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import shell
from tests.browser.profiler import Profiler, numbers

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

pytestmark = [pytest.mark.browser, pytest.mark.torch]


def _exact(cells: Locator) -> list[float]:
    return numbers(cells.evaluate_all("cells => cells.map((cell) => cell.title)"))


def _steps_as_table(profiler: Profiler) -> Locator:
    profiler.frame.get_by_role("button", name="Table", exact=True).click()
    table = profiler.frame.get_by_role("table", name="Where the step goes")
    table.wait_for()
    return table


def test_steps_and_their_parts_equal_the_shells(profiler: Profiler, logdir: Path) -> None:
    profiler.open("overview", "cnn")
    table = _steps_as_table(profiler)
    wanted = shell.ask("overview", profiler.shown_file(logdir))
    parts = list(wanted["average"]["breakdown_ns"])
    rows = table.locator("tbody tr")
    assert rows.count() == 1 + len(wanted["steps"]) > 1
    for index, step in enumerate(wanted["steps"], start=1):
        total, *shown = _exact(rows.nth(index).locator("td"))
        assert total == step["duration_ns"] == sum(shown)
        assert sorted(shown) == sorted(step["breakdown_ns"][part] for part in parts)


def test_an_old_gpu_trace_has_its_known_steps(profiler: Profiler, traces: Path) -> None:
    assert (traces / "v100_resnet50_workers0_a.json.gz").is_file()
    profiler.open("overview", "resnet50")
    table = _steps_as_table(profiler)
    assert [text.strip() for text in table.locator("tbody th").all_inner_texts()[1:]] == [f"step {n}" for n in range(5, 11)]
    average = _exact(table.locator("tbody tr").first.locator("td"))[0]
    assert average == pytest.approx(177_592_000, abs=1_000)


def test_a_step_can_be_chosen_and_stands_in_the_link(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    bar = profiler.frame.get_by_role("group", name="Where the step goes").get_by_role("button").nth(1)
    bar.click()
    profiler.page.wait_for_function("() => location.hash.includes('overview.step=')")
    chip = profiler.frame.locator("main .chip")
    chip.wait_for()
    profiler.page.go_back()
    chip.wait_for(state="detached")


def test_an_operator_leads_to_its_row(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    link = profiler.frame.locator("main section", has_text="Top operators").get_by_role("row").nth(1).get_by_role("link")
    name = link.locator("xpath=ancestor::th").get_attribute("title")
    link.click()
    profiler.wait_for_view("operators")
    details = profiler.frame.get_by_role("complementary", name="Details")
    details.get_by_role("heading", name=name, exact=True).wait_for()


def test_what_was_not_recorded_is_named_with_its_option(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    absent = profiler.frame.locator("main .is-absent-list")
    absent.wait_for()
    assert "init_process_group" in absent.inner_text()


def test_a_figure_explains_itself(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    profiler.frame.get_by_role("button", name="What is Step time?").click()
    profiler.frame.locator(".definition-text", has_text="median").wait_for()
