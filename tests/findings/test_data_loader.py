"""What is said of a data loader depends on what the file holds: memory is pinned for a device alone."""

from __future__ import annotations

from tb_plugin.findings.checks import data_loader
from tb_plugin.findings.facts import Facts
from tests.trace_text import trace_from_text

LOADER = "thread 1 | enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0-60 | aten::mm 60-100"


def test_pinned_memory_is_advised_where_there_is_a_device() -> None:
    alone = data_loader.find(Facts(trace_from_text(LOADER)))
    assert alone is not None
    assert "pin_memory" not in (alone.code or data_loader.CHECK.code)
    beside = data_loader.find(Facts(trace_from_text(f"{LOADER}\nstream 7 | gemm 70-99 <- aten::mm")))
    assert beside is not None
    assert "pin_memory=True" in beside.code
