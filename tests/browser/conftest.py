"""One browser, one logdir, and of each server one for all browser tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import chromium
from tests.browser import logdir as runs
from tests.browser.profiler import Profiler, Standalone
from tests.doors.servers import serve, tensorboard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = chromium.find()
    if found is None:
        pytest.skip(chromium.MISSING)
    playwright = pytest.importorskip("playwright.sync_api")
    # Chromium refuses to run its sandbox as root, and CI is root.
    flags = [*FLAGS, *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])]
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=str(found), args=flags)
        yield started
        started.close()


@pytest.fixture(scope="session")
def built_page() -> None:
    if not (ROOT / "tb_plugin" / "static" / "index.js").is_file():
        pytest.skip("the page is not built (make front)")


@pytest.fixture(scope="session")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Shared by all: a run that one test left would be what another's page opens with."""
    top = tmp_path_factory.mktemp("logs")
    runs.make(top)
    made = sorted(top.rglob("*"))
    yield top
    assert sorted(top.rglob("*")) == made


@pytest.fixture(scope="session")
def address(logdir: Path, built_page: None, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with tensorboard(tmp_path_factory.mktemp("tensorboard"), "--logdir", str(logdir)) as where:
        yield where


@pytest.fixture(scope="session")
def served(logdir: Path, built_page: None, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(tmp_path_factory.mktemp("served"), logdir) as where:
        yield where


@pytest.fixture
def profiler(browser: Browser, served: str) -> Iterator[Profiler]:
    """The page, 1440 x 900. Fails at the end on any console error and any request that left this machine."""
    with Standalone.opened(browser, served) as page:
        yield page
        page.check_clean()


@pytest.fixture
def tab(browser: Browser, address: str) -> Iterator[Profiler]:
    """The same as a tab of TensorBoard: for links and the way back, themes, keys, focus, downloads, what lies in its frame."""
    with Profiler.opened(browser, address) as page:
        yield page
        page.check_clean()
