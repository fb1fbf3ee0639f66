"""Modules: by class first where instances repeat, as in the shell; and no two names of a page read the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser import shell

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser

_NAMES_THAT_READ_THE_SAME = """cells => {
  const whole = new Map()
  return cells.filter((cell) => {
    const before = whole.get(cell.textContent)
    whole.set(cell.textContent, cell.title)
    return before !== undefined && before !== cell.title
  }).map((cell) => cell.title)
}"""


def test_classes_come_first_by_own_time_and_one_opened_shows_its_modules(profiler: Profiler, logdir: Path) -> None:
    profiler.open("modules", "cuda")
    names = profiler.frame.locator("[role=treegrid] tr.row .tree-name")
    names.first.wait_for()
    rows = shell.ask("modules", profiler.shown_file(logdir))["rows"]
    heads = [row for row in rows if row["parent"] is None]
    assert [text.strip(" ▸▾") for text in names.all_inner_texts()] == [row["name"] for row in heads]
    several = next(row for row in heads if row["instances"] > 1)
    inside = [row["name"] for row in rows if row["parent"] == several["id"]]
    profiler.frame.get_by_role("button", name=f"Open {several['name']}", exact=True).click()
    profiler.frame.get_by_role("button", name=f"Close {several['name']}", exact=True).wait_for()
    shown = [text.strip(" ▸▾") for text in names.all_inner_texts()]
    at = shown.index(several["name"]) + 1
    assert sorted(shown[at : at + len(inside)]) == sorted(inside)


def test_a_class_on_the_overview_leads_to_its_row(profiler: Profiler) -> None:
    profiler.open("overview", "cuda")
    profiler.frame.locator(".top-list").last.get_by_role("link", name="Linear").click()
    profiler.wait_for_view("modules")
    profiler.frame.locator("aside").get_by_text("Linear").first.wait_for()


@pytest.mark.parametrize("view", ["overview", "operators", "kernels", "modules"])
def test_no_two_names_read_the_same(profiler: Profiler, view: str) -> None:
    profiler.page.set_viewport_size({"width": 700, "height": 900})
    profiler.open(view, "cuda")
    cells = profiler.frame.locator("main .is-name[title], main tbody th.is-text[title]")
    cells.first.wait_for()
    assert cells.evaluate_all(_NAMES_THAT_READ_THE_SAME) == []


def test_the_toolbar_is_one_row_at_1280(profiler: Profiler) -> None:
    profiler.page.set_viewport_size({"width": 1280, "height": 800})
    profiler.open("modules", "cuda")
    profiler.frame.get_by_role("treegrid").wait_for()
    assert profiler.frame.locator(".toolbar").evaluate("bar => bar.clientHeight") < 50
