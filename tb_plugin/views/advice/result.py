"""What the advice view is asked and answers; the wire format of `view/advice`."""

from __future__ import annotations

from typing import Literal

import msgspec

Confidence = Literal["sure", "likely", "maybe"]
Unit = Literal["ns", "count", "share"]


class AdviceParams(msgspec.Struct, frozen=True, kw_only=True):
    """How many events are named per finding."""

    rows: int = 20


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One figure that a finding rests on."""

    text: str
    value: float
    unit: Unit  # share: 0 to 1


class EventLink(msgspec.Struct, frozen=True, kw_only=True):
    """One event to look at in the timeline."""

    row: int
    name: str
    start_ns: int
    duration_ns: int


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to change. The gains of several findings may be the same time: they do not add up."""

    id: str
    title: str  # what to do
    what: str  # what was seen, with numbers
    evidence: list[Evidence]
    rows: list[EventLink]  # those with the most to gain, or the longest, first
    n_rows: int  # of all events behind the finding
    gain_ns: int | None  # upper bound; None: the profile cannot tell
    gain_how: str  # how the bound was computed, or why there is none
    gain_share: float | None  # gain_ns / window_ns, 0 to 1
    confidence: Confidence
    source: str | None  # "train.py:12", in a Python function around most of the events
    function: str | None  # its name


class NotChecked(msgspec.Struct, frozen=True, kw_only=True):
    """What the profile does not hold, the option that records it, and the checks that need it."""

    what: str
    how: str
    checks: list[str]


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Findings by what they could gain, those without a figure last."""

    findings: list[Finding]
    nothing_found: list[str]  # what else was checked
    not_checked: list[NotChecked]
    window_ns: int  # the time that gains are shares of
    window: Literal["steps", "recording"]
    n_steps: int
