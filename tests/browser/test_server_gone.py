"""The server ends while the page is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import open_timeline

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler

pytestmark = pytest.mark.browser


def test_a_server_that_is_gone_is_said_soon_after_it_was_asked_in_vain(profiler: Profiler) -> None:
    open_timeline(profiler, "cuda", **{"timeline.t0_ns": "500000", "timeline.t1_ns": "501000"})
    profiler.frame.locator(".tl-values canvas").first.wait_for()
    profiler.page.route("**/api/v1/**", lambda route: route.abort())
    profiler.page.keyboard.press("0")
    banner = profiler.frame.get_by_role("alert").filter(has_text="The server does not answer")
    banner.wait_for(timeout=8000)  # it looks for new profiles every ten seconds; two on a free machine
    profiler.errors.clear()  # the browser's own lines
