"""Finds a Chromium for the browser tests: CHROME_PATH, else the first one on this machine. Standard library only."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)
MISSING = "no Chromium found: set CHROME_PATH, or install one (Debian: apt-get install chromium fonts-dejavu-core)"


def find() -> Path | None:
    chosen = os.environ.get("CHROME_PATH")
    if chosen:
        # A wrong path is an error, not a reason to test with another browser.
        if not Path(chosen).is_file():
            raise SystemExit(f"CHROME_PATH is {chosen}, which is no file")
        return Path(chosen)
    found = [where for name in NAMES if (where := shutil.which(name)) is not None]
    found += [place for place in PLACES if Path(place).is_file()]
    found += [str(path) for path in sorted(Path.home().glob(".cache/ms-playwright/chromium-*/chrome-linux*/chrome"))]
    return Path(found[0]) if found else None
