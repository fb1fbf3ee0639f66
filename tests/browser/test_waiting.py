"""A profile that takes seconds to read: what is told meanwhile, the way out, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import Standalone
from tests.doors.servers import serve

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

N_OPERATORS = 2_000_000  # seconds of reading: on any machine longer than a look at the page and a click

NOTE_WHAT_IS_TOLD = """() => {
  globalThis.told = new Set()
  const note = () => {
    const said = document.querySelector("main .actions .value")?.textContent ?? ""
    if (said.includes("events read")) told.add(said)
  }
  new MutationObserver(note).observe(document, {subtree: true, childList: true, characterData: true})
}"""


def write_large(path: Path) -> None:
    step = f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":1,"ts":0,"dur":{20 * N_OPERATORS}}}'
    operator = ',{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%d,"dur":10}'
    with path.open("w") as file:
        file.write(f'{{"schemaVersion":1,"traceEvents":[{step}')
        for first in range(0, N_OPERATORS, 100_000):
            file.write("".join([operator % (20 * place) for place in range(first, first + 100_000)]))
        file.write("]}")


def test_reading_moves_is_cancelled_and_is_tried_again(browser: Browser, built_page: None, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    write_large(tmp_path / "logs" / "w.1.pt.trace.json")
    with serve(tmp_path / "scratch", tmp_path / "logs") as address, Standalone.opened(browser, address) as page:
        page.page.goto(page.link(view="operators"))
        page.frame.locator("main .actions .value").filter(has_text="events read").wait_for()
        page.frame.get_by_role("button", name="Cancel").click()
        page.frame.get_by_role("alert").filter(has_text="opening it was cancelled").wait_for()
        page.page.goto(page.link(view="runs"))  # which does not begin it again
        page.rows().filter(has_text="open it and try again").wait_for()
        page.page.reload()
        page.rows().filter(has_text="open it and try again").wait_for()
        page.page.goto(page.link(view="operators"))
        page.page.evaluate(NOTE_WHAT_IS_TOLD)
        page.frame.get_by_role("button", name="Try again").click()
        page.wait_for_rows()
        assert page.page.evaluate("told.size") > 1
        page.rows().filter(has_text="aten::mm").filter(has_text=f"{N_OPERATORS:,}").wait_for()
        page.expect_failed_requests()
