"""Finds a Chromium for the browser tests: CHROME_PATH, else the first one on this machine.

Run as a script (`make test` does) it installs Debian's where none is found and root may.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)
DEBIAN = ("chromium", "fonts-dejavu-core")
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


def install() -> None:
    """Debian's packages, quietly; a failure only means that the browser tests skip."""
    apt = shutil.which("apt-get")
    if apt is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "--yes", "--no-install-recommends", *DEBIAN]):
        done = subprocess.run([apt, "-qq", *words], env=environment, stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return


def main() -> None:
    if find() is None:
        install()
    found = find()
    sys.stdout.write(f"browser tests: {found if found else f'skipped, {MISSING}'}\n")


if __name__ == "__main__":
    main()
