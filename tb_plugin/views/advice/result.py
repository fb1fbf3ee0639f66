"""What the advice view is asked and answers; the wire format of `view/advice`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.findings.check import Confidence, Evidence
from tb_plugin.findings.verdict import Verdict
from tb_plugin.trace.event_ref import EventRef
from tb_plugin.trace.scope.selection import StepSelection
from tb_plugin.trace.work.device_peaks import PeakText


class AdviceParams(StepSelection, frozen=True, kw_only=True):
    """Of which steps, how many events are named per finding, and whether small findings are named too."""

    rows: int = 20
    all: Annotated[bool, msgspec.Meta(description="small findings, too")] = False
    peak: PeakText = ""


class SameTime(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that wants the same time as another one."""

    id: str
    title: str
    what: str
    gain_ns: int | None
    gain_per_step_ns: int | None
    estimate_ns: int | None
    estimate_per_step_ns: int | None
    without: list[str]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to change. Those that want the same time are told with it (`also`), and gains do not add up."""

    id: str
    title: str  # what to do
    what: str  # what was seen, with numbers
    evidence: list[Evidence]
    rows: list[EventRef]  # those with the most to gain, or the longest, first
    n_rows: int  # of all events behind the finding
    gain_ns: int | None  # upper bound, of all steps that count or of the recording; None: the profile cannot tell
    gain_per_step_ns: int | None  # None also where there are no steps
    gain_how: str  # how the bound was computed, or why there is none
    gain_share: float | None  # gain_ns / window_ns, 0 to 1
    estimate_ns: int | None  # what is to be expected; None: nothing tells
    estimate_per_step_ns: int | None
    estimate_how: str | None
    confidence: Confidence
    source: str | None  # "train.py:12", in a Python function around most of the events
    function: str | None  # its name
    code: str | None  # what to write
    unless: str | None  # when it does not help
    link: str | None  # a public page that says more
    view: str | None  # of this product, which says more than the finding can
    without: list[str]  # edits for What if that take it away; none: it cannot be replayed
    beside: list[int]  # steps to look at one above the other in the timeline: a usual one, and the longest
    also: list[SameTime]


class NotChecked(msgspec.Struct, frozen=True, kw_only=True):
    """What the profile does not hold, the option that records it, and the checks that need it."""

    what: str
    how: str
    instead: str | None  # why `how` is not what is lacking: "the file is cut off"
    checks: list[str]


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Findings by what is expected of them, else by what they could gain, those without a figure last."""

    verdict: Verdict
    findings: list[Finding]
    n_small: int  # how many are not among them, since they could gain little or come after many; `all` names them
    nothing_found: list[str]  # what else was checked
    not_checked: list[NotChecked]
    window_ns: int  # the time that gains are shares of
    window: Literal["steps", "recording"]
    n_steps: int
