"""The contract of a check: what it looks for, what it needs to have been recorded, and what it saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.advice.facts import Facts
    from tb_plugin.views.advice.result import Confidence, Evidence

NO_ROWS = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Need:
    """Something that must have been recorded."""

    what: str
    how: str
    is_there: Callable[[Facts], bool]
    part_of: Need | None = None  # what is recorded with something else is not asked for where that is absent


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a check saw. `gain_ns` is an upper bound inside the window."""

    title: str
    what: str
    gain_ns: int | None
    gain_how: str
    confidence: Confidence
    evidence: list[Evidence] = field(default_factory=list)
    rows: Int64Array = field(default_factory=lambda: NO_ROWS)
    weight: Int64Array | None = None  # of each row: the heaviest are named first; without it the longest
    says_also: tuple[str, ...] = ()  # checks whose finding would repeat this one


@dataclass(frozen=True, kw_only=True)
class Check:
    """One question to a profile. `find` is asked only where everything it needs is there; None: nothing to say."""

    id: str
    looks_for: str
    needs: tuple[Need, ...]
    find: Callable[[Facts], Seen | None]
