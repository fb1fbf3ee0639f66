"""Pictures of each page in light and dark, for TB_PLUGIN_SCREENSHOTS=folder; test_accessibility.py waits for what they show."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import CONTENT, Profiler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

FOLDER = os.environ.get("TB_PLUGIN_SCREENSHOTS")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not FOLDER, reason="TB_PLUGIN_SCREENSHOTS says no folder for pictures")]


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Profiler]:
    """One for all views of a theme, as somebody has it who goes from one to the next."""
    with Profiler.opened(browser, address) as profiler:
        profiler.page.goto(profiler.address)
        profiler.choose_theme(request.param.title())
        yield profiler
        profiler.check_clean()


@pytest.mark.parametrize("view", CONTENT)
def test_each_page_is_painted_in_both_themes(page: Profiler, view: str, request: pytest.FixtureRequest) -> None:
    folder = Path(FOLDER or "")
    folder.mkdir(parents=True, exist_ok=True)
    theme = request.node.callspec.params["page"]
    for run in ("cnn", "cuda"):
        page.open(view, run)
        page.frame.locator(f'html[data-theme="{theme}"]').wait_for()
        page.frame.locator(CONTENT[view]).first.wait_for()
        page.frame.locator(".busy-bar").wait_for(state="detached")
        (folder / f"{view}_{run}_{theme}.png").write_bytes(page.page.screenshot())
