"""What leaves the page: a window of the timeline for Perfetto."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats import reader

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def test_the_window_is_saved_for_perfetto(profiler: Profiler, tmp_path: Path) -> None:
    pytest.importorskip("perfetto")
    profiler.open("timeline", run="cuda", **{"timeline.t0_ns": "500000", "timeline.t1_ns": "900000"})
    profiler.frame.locator("main canvas").first.wait_for()
    profiler.frame.get_by_role("button", name="Perfetto: open this window there").click()
    with profiler.page.expect_download() as waited:
        profiler.frame.get_by_role("button", name="Save as .pftrace").click()
    saved = tmp_path / waited.value.suggested_filename
    waited.value.save_as(saved)
    assert saved.name == "cuda_node1_1_1700000000000000000.pftrace"
    (whole,) = Path(__file__).parents[2].glob("samples/recordings/cuda/node1_1.*.json.gz")
    assert 0 < len(reader.read(saved).events) < len(reader.read(whole).events)
