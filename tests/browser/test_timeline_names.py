"""Names in the timeline: of tracks on the left, with their tools, and of arguments in the details."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.timeline import open_timeline

if TYPE_CHECKING:
    from tests.browser.profiler import Profiler


pytestmark = pytest.mark.browser


def test_a_long_argument_is_not_written_over_its_value(profiler: Profiler) -> None:
    open_timeline(profiler, "cnn", **{"timeline.row": "5"})
    name = profiler.frame.locator(".tl-arguments dt").first
    name.evaluate("name => { name.textContent = 'smsp__sass_thread_inst_executed_op_'.repeat(9) }")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth")
