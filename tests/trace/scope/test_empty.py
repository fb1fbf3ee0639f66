"""A file that was cut before its first event is not a profile in which nothing ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.trace.scope.empty import why_empty
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"traceEvents": []}', "The file holds no events"),
        ('{"traceEvents": [{"ph": "X", "name": "a", "ts": 1', "the file ends before its list of events does"),
        ('{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}', None),
    ],
)
def test_why_nothing_is_shown(text: str, reason: str | None, tmp_path: Path) -> None:
    path = tmp_path / "w.pt.trace.json"
    path.write_text(text)
    found = why_empty(trace_of(path))
    assert (found is None) if reason is None else (found is not None and reason in found)
