"""The page of 2, 8, 64, 1 024 and 4 096 ranks in a browser: check 26. In a process of its own, beside the other checks.

It opens as a user has it: summaries lie beside profiles that nobody reads. Looked at is what a script can look at: that the first
screen needs no scrolling, that each map has its table, that the keyboard leads there and back, and that text stands out.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ranks_jobs import Line, declined, held
from ranks_wider import replicated

from tb_plugin.formats.stored import rank_summary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from playwright.sync_api import Browser, Page

    from tb_plugin.job.ranks.ranks import RankProfile

SIZES = (2, 8, 64, 1024, 4096)
_WHAT = "first screen at 1440 x 900"
_ASKED = "no scrolling, table of the map, keyboard, light and dark"
_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--no-first-run",
)
_PATIENCE_MS = 240_000
_MOST_TABS = 60  # from where "Skip to the view" leads, as who has no mouse goes
_READABLE = 4.5
"""Contrast of text against what is behind it, as WCAG has it."""

_LOOK = """
() => {
  const main = document.querySelector('main'), map = document.querySelector('.ranks-map').getBoundingClientRect()
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number)
  const light = (text) => rgb(text).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, nth) => sum + part * [0.2126, 0.7152, 0.0722][nth], 0)
  const behind = (node) => {
    const colour = getComputedStyle(node).backgroundColor
    return (rgb(colour)[3] ?? 1) > 0 || !node.parentElement ? colour : behind(node.parentElement)
  }
  const contrast = (node) => {
    const both = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a)
    return (both[0] + 0.05) / (both[1] + 0.05)
  }
  const texts = ['.ranks-head', '.ranks-sentences li', '.ranks-legend', '.ranks-dimensions td', '.ranks-notes li']
    .flatMap((each) => [...document.querySelectorAll(each)])
  const high = Math.max(document.documentElement.scrollHeight, map.bottom)
  return {
    fits: main.scrollHeight <= main.clientHeight && high <= innerHeight,
    contrast: Math.min(...texts.map(contrast)),
    sentences: document.querySelectorAll('.ranks-sentences li').length,
  }
}
"""


class Started:
    """The check, while others go on."""

    def __init__(self, profiles: Sequence[RankProfile], few: Sequence[RankProfile], pictures: Path | None) -> None:
        self._pool = ProcessPoolExecutor(1)
        self._lines: Future[list[Line]] = self._pool.submit(first_screens, profiles, few, pictures)

    def lines(self) -> list[Line]:
        """Once it is done."""
        try:
            return self._lines.result()
        finally:
            self._pool.shutdown()


def first_screens(wide: Sequence[RankProfile], few: Sequence[RankProfile], pictures: Path | None) -> list[Line]:
    """`wide`: the 64 ranks, `few`: the 8 of another job. `pictures`: where screenshots are put."""
    chromium = os.environ.get("CHROME_PATH") or shutil.which("chromium") or shutil.which("google-chrome")
    lacks = "playwright" if importlib.util.find_spec("playwright") is None else "Chromium" if chromium is None else None
    if lacks is not None or not wide or not few:
        why = (
            f"not measured here: {lacks} is not installed"
            if lacks
            else "not measured here: the sets of 8 and 64 ranks are not here"
        )
        return [declined(26, _WHAT, f"{n_ranks} ranks", _ASKED, why) for n_ranks in SIZES]
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name:
        logs = Path(name) / "logs"
        for n_ranks in SIZES:
            put(logs / f"of{n_ranks}", few[:n_ranks] if n_ranks <= len(few) else replicated(wide, n_ranks // len(wide)))
        command = [sys.executable, "-m", "tb_plugin.doors.cli", "serve", str(logs), "--port", "0"]
        environment = {**os.environ, "TB_PLUGIN_CACHE_DIR": str(Path(name) / "cache")}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server, sync_playwright() as driver:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().split()[0].rstrip("/")
                browser = driver.chromium.launch(executable_path=chromium, args=list(_FLAGS))
                return [_first_screen(browser, address, n_ranks, pictures) for n_ranks in SIZES]
            finally:
                server.terminate()


def put(folder: Path, profiles: Sequence[RankProfile]) -> None:
    """Summaries, each beside a profile of one event."""
    event = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1, "dur": 5}
    content = gzip.compress(json.dumps({"traceEvents": [event]}).encode())
    folder.mkdir(parents=True)
    for one in profiles:
        stem = f"{one.worker}.1795284134000000000"
        path = folder / f"{stem}.pt.trace.json.gz"
        path.write_bytes(content)
        rank_summary.write(one.summary, rank_summary.made_of([path]), rank_summary.place_beside(str(path), stem))


def _first_screen(browser: Browser, address: str, n_ranks: int, pictures: Path | None) -> Line:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light", reduced_motion="reduce")
    page, errors = context.new_page(), list[str]()
    page.set_default_timeout(_PATIENCE_MS)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    begun = time.monotonic()
    try:
        page.goto(f"{address}/#view=ranks&run=of{n_ranks}")
        page.locator(".ranks-head", has_text=f"{n_ranks:,} of").wait_for()
        page.locator(".view-note").wait_for(state="detached")
        page.locator(".ranks-map svg").wait_for()
        opened = time.monotonic() - begun
        looks = {"light": page.evaluate(_LOOK)}
        _picture(page, pictures, f"{n_ranks}_light")
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
        looks["dark"] = page.evaluate(_LOOK)
        _picture(page, pictures, f"{n_ranks}_dark")
        n_rows, by_keys = _by_keys(page)
    finally:
        context.close()
    return _line(n_ranks, looks, n_rows, by_keys, errors, opened)


def _picture(page: Page, pictures: Path | None, name: str) -> None:
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(pictures / f"ranks_{name}.png"))


def _by_keys(page: Page) -> tuple[int, str]:
    """(rows of the map's table, how far the keyboard led): to the table, in it to a rank, which opens, and back."""
    if not _tab_to(page, "node => node.matches('.skip')"):
        return 0, "not past the navigation"
    page.keyboard.press("Enter")
    if not _tab_to(page, "node => node.matches('button') && node.textContent.trim() === 'Table'"):
        return 0, "not to the table"
    page.keyboard.press("Enter")
    page.locator(".ranks-twin tbody tr").first.wait_for()
    n_rows = page.locator(".ranks-twin tbody tr").count()
    if not _tab_to(page, "node => node.matches('.ranks-twin a, .ranks-twin button')"):
        return n_rows, "not to a rank in the table"
    page.keyboard.press("Enter")
    page.locator("aside.ranks-panel").wait_for()
    page.keyboard.press("Escape")
    page.locator("aside.ranks-panel").wait_for(state="detached")
    return n_rows, "to a rank and back"


def _tab_to(page: Page, what: str) -> bool:
    """Presses Tab until what has the focus is that."""
    for _ in range(_MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate(f"() => document.activeElement !== null && ({what})(document.activeElement)"):
            return True
    return False


def _line(n_ranks: int, looks: dict[str, Any], n_rows: int, by_keys: str, errors: list[str], opened: float) -> Line:
    fits = all(look["fits"] for look in looks.values())
    contrast = {name: round(look["contrast"], 1) for name, look in looks.items()}
    first_error = f": {errors[0][:80]}" if errors else ""
    ours = (
        f"{'fits' if fits else 'must be scrolled'}, table of {n_rows} rows, keyboard {by_keys}, least contrast "
        f"{contrast['light']} and {contrast['dark']}, {len(errors)} errors{first_error}; open after {opened:.1f} s"
    )
    good = fits and n_rows > 0 and by_keys == "to a rank and back" and min(contrast.values()) >= _READABLE and not errors
    return held(26, _WHAT, f"{n_ranks} ranks", _ASKED, ours, good=good)
