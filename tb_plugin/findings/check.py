"""The contract of a check: what it looks for, what it needs to have been recorded, and what it saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import Int64Array
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.findings.facts import Facts
    from tb_plugin.replay.less import Less
    from tb_plugin.trace.scope.recording import Recording

Confidence = Literal["sure", "likely", "maybe"]
Unit = Literal["ns", "count", "share"]

NO_ROWS = np.zeros(0, np.int64)


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """One figure that a finding rests on."""

    text: str
    value: float
    unit: Unit  # share: 0 to 1


class InTime(NamedTuple):
    """What a finding on communication advises once no rank comes late any more."""

    title: str
    code: str
    is_waiting: bool = False  # as a pipeline's bubble; else it is of what moves data alone


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a check saw. `gain_ns` is its time inside the window, `estimate_ns` what is to be expected of a step
    without it, which may be more: launches and gaps go with it.
    """

    title: str
    what: str
    gain_ns: int | None
    gain_how: str
    confidence: Confidence
    evidence: list[Evidence] = field(default_factory=list)
    rows: Int64Array = field(default_factory=lambda: NO_ROWS)
    weight: Int64Array | None = None  # of each row: the heaviest are named first; without it the longest
    says_also: tuple[str, ...] = ()  # checks whose finding would repeat this one
    explains: tuple[str, ...] = ()  # checks that see the same time and not why: this one stands before them
    time: Merged | None = None  # what the gain is a part of, ns of the trace; without it that of the rows
    estimate_ns: int | None = None
    estimate_how: str | None = None
    is_first: bool = (
        False  # about the recording or steps unlike the others: until that is done, other figures are of no usual run
    )
    code: str = ""  # what to write, where what was seen tells more than the check knows
    without: tuple[str, ...] = ()  # edits of a replay (`replay/edits.py`): the step without what was seen
    beside: tuple[int, ...] = ()  # two steps to look at one above the other: a usual one, and the longest
    less: Less | None = None  # the same by rows, where no name says it
    in_time: InTime | None = None


@dataclass(frozen=True, kw_only=True)
class Check:
    """One question to a profile. `find` is asked only where everything it needs is there; None: nothing to say."""

    id: str
    looks_for: str
    needs: tuple[Recording, ...]
    find: Callable[[Facts], Seen | None]
    is_first: bool = (
        False  # about the recording or steps unlike the others: until that is done, other figures are of no usual run
    )
    code: str = ""  # what to write, at most five lines
    unless: str = ""  # when it does not help
    link: str = ""  # a public page that says more
    view: str = ""  # of this product, which says more than the finding can
