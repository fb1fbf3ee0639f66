"""A track whose name is very long hides nothing of what stands with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.browser.profiler import WAIT_MS
from tests.doors.servers import serve

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

NAME = "worker" + 100 * " pool" + " end"


def test_the_details_and_the_tooltip_show_the_ends_of_a_track_name(tmp_path: Path, built_page: None, browser: Browser) -> None:
    op = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 1_000}
    named = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "ts": 0, "args": {"name": NAME}}
    (tmp_path / "runs" / "long").mkdir(parents=True)
    (tmp_path / "runs" / "long" / "w.pt.trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": [op, named]}))
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    with serve(tmp_path, tmp_path / "runs") as where:
        page.goto(f"{where}/#run=long&view=timeline&timeline.row=0")
        details = page.get_by_role("region", name="Selected event")
        details.wait_for(timeout=WAIT_MS)
        track = details.locator("dt:text-is('Track') + dd")
        assert "pool end" in track.inner_text()
        assert len(track.inner_text()) < 200
        assert NAME in (track.locator("[title]").get_attribute("title") or "")
        box = page.locator("canvas.tl-tracks").bounding_box()
        assert box is not None
        tooltip = page.locator(".tooltip")
        for y in range(30, 200, 8):  # its row is below its process
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + y)
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            if tooltip.count():
                break
        assert "pool end" in tooltip.inner_text()
        assert len(tooltip.inner_text()) < 300
    page.close()
