"""What advice finds in a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.views.advice.result import Advice, Finding

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
WORKERS = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def advice(text: str) -> Advice:
    return compute(trace_from_text(text), AdviceParams())


def found(result: Advice, check: str) -> Finding | None:
    return next((finding for finding in result.findings if finding.id == check), None)


def gain_us(text: str, check: str) -> float | None:
    """The gain of this finding in microseconds; None where it did not fire."""
    finding = found(advice(text), check)
    return None if finding is None or finding.gain_ns is None else finding.gain_ns / 1000
