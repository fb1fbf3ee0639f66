"""Each page in light and dark: something is painted, in the right theme. TB_PLUGIN_SCREENSHOTS=folder keeps the pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import CONTENT, Profiler

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("view", CONTENT)
def test_each_page_is_painted_in_both_themes(browser: Browser, address: str, view: str, theme: str) -> None:
    folder = os.environ.get("TB_PLUGIN_SCREENSHOTS")
    runs = ("cnn", "cuda") if folder else ("cnn",)
    with Profiler.opened(browser, address) as profiler:
        profiler.page.goto(profiler.address)
        profiler.choose_theme(theme.title())
        for run in runs:
            profiler.open(view, run)
            profiler.frame.locator(f'html[data-theme="{theme}"]').wait_for()
            profiler.frame.locator(CONTENT[view]).first.wait_for()
            profiler.frame.locator(".busy-bar").wait_for(state="detached")
            picture = profiler.page.screenshot()
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
                (Path(folder) / f"{view}_{run}_{theme}.png").write_bytes(picture)
        profiler.check_clean()
