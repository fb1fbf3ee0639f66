"""The overview: its bars and figures are the shell's numbers, and they lead to the events behind them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser import shell
from tests.browser.profiler import Profiler, numbers

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

TIME = "Where the step goes"
DEVICE = "What the device does"


def _exact(cells: Locator) -> list[float]:
    return numbers(cells.evaluate_all("cells => cells.map((cell) => cell.title)"))


def _steps_as_table(profiler: Profiler, name: str = TIME) -> Locator:
    profiler.frame.get_by_role("button", name="Table", exact=True).click()
    table = profiler.frame.get_by_role("table", name=name, exact=True)
    table.wait_for()
    return table


def _bars(profiler: Profiler, name: str = TIME) -> Locator:
    """The bars of the steps, the average left out."""
    bars = profiler.frame.get_by_role("group", name=name).locator("[data-id]")
    bars.first.wait_for()
    return bars


def _selected(profiler: Profiler, text: str) -> None:
    """Waits for the filter in the link and for the server's answer to it."""
    profiler.wait_for_place("steps", text)
    profiler.frame.get_by_role("button", name=re.compile("^Remove filter step")).wait_for()


def test_steps_and_their_parts_equal_the_shells(profiler: Profiler, logdir: Path) -> None:
    profiler.open("overview", "cnn")
    table = _steps_as_table(profiler)
    wanted = shell.ask("overview", profiler.shown_file(logdir))
    rows = table.locator("tbody tr")
    assert rows.count() == 1 + len(wanted["steps"]) > 1
    for index, step in enumerate(wanted["steps"], start=1):
        total, *shown = _exact(rows.nth(index).locator("td"))
        assert total == step["duration_ns"] == sum(shown)
        # Without a device the other host work is split by what its operators compute.
        parts = step["breakdown_ns"] | {"other_host": 0} | {f"operators_{name}": ns for name, ns in step["operators_ns"].items()}
        assert sorted(ns for ns in shown if ns) == sorted(ns for ns in parts.values() if ns)


def test_the_device_is_busy_or_there_is_a_reason(profiler: Profiler, logdir: Path) -> None:
    profiler.open("overview", "mtia")
    rows = _steps_as_table(profiler, DEVICE).locator("tbody tr")
    wanted = shell.ask("overview", profiler.shown_file(logdir))
    for index, step in enumerate(wanted["steps"], start=1):
        total, *shown = _exact(rows.nth(index).locator("td"))
        assert total == step["duration_ns"] == sum(shown)
        assert shown == list(step["device_use_ns"].values())


def test_steps_are_selected_by_click_keys_and_link(profiler: Profiler) -> None:
    profiler.open("overview", "cuda")
    bars = _bars(profiler)
    bars.nth(1).click()
    _selected(profiler, "6")
    bars.nth(3).click(modifiers=["Shift"])
    _selected(profiler, "6-8")
    _bars(profiler, DEVICE).nth(5).click(modifiers=["Control"])
    _selected(profiler, "6-8,10")
    pressed = bars.evaluate_all("bars => bars.filter((bar) => bar.ariaPressed === 'true').map((bar) => bar.dataset.id)")
    assert pressed == ["6", "7", "8", "10"]
    profiler.page.go_back()
    _selected(profiler, "6-8")
    profiler.page.reload()
    bars = _bars(profiler)
    bars.nth(1).focus()
    profiler.page.keyboard.press("Enter")
    _selected(profiler, "6")
    profiler.page.keyboard.press("Shift+ArrowRight")
    _selected(profiler, "6-7")
    profiler.page.keyboard.press("ArrowRight")
    profiler.page.keyboard.press("ArrowRight")
    profiler.page.keyboard.press("Control+Enter")
    _selected(profiler, "6-7,9")
    profiler.frame.get_by_role("button", name=re.compile("^Remove filter step")).click()
    profiler.frame.get_by_text("Click, Shift or Ctrl+click to select").wait_for()


def test_selected_steps_are_what_the_figures_count(profiler: Profiler, logdir: Path) -> None:
    profiler.open("overview", "cuda")
    wanted = shell.ask("overview", profiler.shown_file(logdir), "--steps", "6-7")
    _bars(profiler).nth(1).click()
    _bars(profiler).nth(2).click(modifiers=["Shift"])
    _selected(profiler, "6-7")
    row = profiler.frame.locator("main section", has_text="Top operators").get_by_role("row").nth(1)
    first = wanted["top_operators"][0]
    row.locator(f"td[title^='{first['time_ns']:,}']").wait_for()
    busy = profiler.frame.get_by_role("region", name="Device busy").locator(".value")
    (device,) = wanted["devices"]
    assert numbers((busy.get_attribute("title") or "").split(" of ")) == [device["busy_ns"], device["window_ns"]]


def test_the_first_findings_lead_to_the_advice(profiler: Profiler) -> None:
    profiler.open("overview", "cuda")
    findings = profiler.frame.get_by_role("region", name="What to change first").get_by_role("listitem")
    findings.first.wait_for()
    assert 1 <= findings.count() <= 3
    count = int(profiler.frame.locator("nav .nav-count").inner_text())
    title = findings.first.get_by_role("link").inner_text()
    findings.first.get_by_role("link").click()
    profiler.wait_for_view("advice")
    profiler.frame.get_by_role("button", name=title, expanded=True).wait_for()
    assert profiler.frame.locator("main .finding").count() == count >= 1


def test_a_usual_profile_fits_on_one_screen(profiler: Profiler) -> None:
    profiler.open("overview", "cuda")
    profiler.frame.get_by_role("region", name="What to change first").get_by_role("listitem").first.wait_for()
    main = profiler.frame.locator("main")
    assert main.evaluate("main => [main.scrollHeight - main.clientHeight, main.scrollWidth - main.clientWidth]") == [0, 0]


def test_an_operator_leads_to_its_row(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    link = profiler.frame.locator("main section", has_text="Top operators").get_by_role("row").nth(1).get_by_role("link")
    name = link.locator("xpath=ancestor::th").get_attribute("title")
    link.click()
    profiler.wait_for_view("operators")
    details = profiler.frame.get_by_role("complementary", name="Details")
    details.get_by_role("heading", name=name, exact=True).wait_for()


def test_the_longest_step_leads_to_its_window(profiler: Profiler, logdir: Path) -> None:
    profiler.open("overview", "cnn")
    steps = shell.ask("overview", profiler.shown_file(logdir))["steps"]
    longest = max(steps, key=lambda step: step["duration_ns"])
    profiler.frame.get_by_role("link", name=f"longest: step {longest['number']}").click()
    profiler.wait_for_view("timeline")
    assert profiler.place()["timeline.t0_ns"] == str(longest["start_ns"])


def test_what_was_not_recorded_is_named_with_its_option(profiler: Profiler) -> None:
    profiler.open("overview", "cnn")
    absent = profiler.frame.locator("main .is-absent-list")
    absent.wait_for()
    assert "init_process_group" in absent.inner_text()
    assert "No device activity was recorded." in profiler.frame.get_by_role("region", name="Not attributed").inner_text()


def test_a_figure_explains_itself(tab: Profiler) -> None:
    tab.open("overview", "cnn")
    tab.frame.get_by_role("button", name="What is Step time?").click()
    tab.frame.locator(".definition-text", has_text="median").wait_for()


def test_communication_unfolds_by_dimension_and_by_module_and_both_sum_to_the_figure(profiler: Profiler, logdir: Path) -> None:
    profiler.open("overview", "cuda")
    profiler.frame.get_by_role("button", name=re.compile("Communication by dimension and module")).click()
    profiler.wait_for_place("overview.communication", "open")
    section = profiler.frame.get_by_role("region", name="Communication by dimension and module")
    wanted = shell.ask("overview", profiler.shown_file(logdir))
    exposed = sum(device["communication_exposed_ns"] for device in wanted["devices"])
    for table in (section.get_by_role("table").first, section.get_by_role("table").last):
        *parts, total = _exact(table.locator("tbody td.is-ns:nth-child(2)"))
        assert sum(parts) == total == exposed > 0
    assert section.get_by_role("link", name="not attributed").count() == 0  # no filter keeps just these
    part = wanted["communication_parts"]["dimensions"][0]
    section.get_by_role("link", name=part["name"]).click()
    profiler.wait_for_place("view", "kernels")
    profiler.wait_for_place("kernels.category", "communication")
    profiler.wait_for_place("dimension", part["name"])
    place = profiler.place()
    filters = (f"--{name}={place[name]}" for name in ("steps", "dimension") if name in place)
    there = shell.ask("kernels", profiler.shown_file(logdir), "--category=communication", *filters)
    assert there["count"] == part["count"] > 0
