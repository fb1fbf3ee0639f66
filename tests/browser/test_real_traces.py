"""The page on real traces, where they lie beside the checkout: every view shows something, without an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import CONTENT, Profiler, Standalone
from tests.doors.servers import serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

# A file of 2021, one with much of everything, one without a host.
RUNS = {"resnet50": "v100_resnet50_workers0_a", "owlv2": "h100_owlv2", "mi210": "mi210_gpu_only"}


@pytest.fixture(scope="module")
def page(browser: Browser, built_page: None, traces: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profiler]:
    logdir = tmp_path_factory.mktemp("real")
    for run, name in RUNS.items():
        (logdir / run).mkdir()
        (logdir / run / "node1_7.1700000000000000000.pt.trace.json.gz").symlink_to((traces / f"{name}.json.gz").resolve())
    with (
        serve(tmp_path_factory.mktemp("served"), logdir) as address,
        Standalone.opened(browser, address) as profiler,
    ):
        yield profiler
        profiler.check_clean()


@pytest.mark.parametrize("run", RUNS)
def test_every_view_shows_something(page: Profiler, run: str) -> None:
    for view in CONTENT:
        page.open(view, run)
        page.frame.locator(CONTENT[view]).first.wait_for()
        page.frame.locator(".busy-bar").wait_for(state="detached")
