"""The place in the user's code that most of a finding comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.patterns.source import SourceLine, sources_of

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.check import Seen
    from tb_plugin.findings.facts import Facts


def heaviest(facts: Facts, seen: Seen) -> Int64Array:
    """The events behind a finding, those with the most to gain or the longest first."""
    rows: Int64Array = seen.rows[np.argsort(-_weight(facts, seen), kind="stable")]
    return rows


def main_source(facts: Facts, seen: Seen) -> SourceLine | None:
    """The line of the user's code that most of a finding is under, by what its events would gain or take; None: no stacks."""
    of_row, lines = sources_of(facts.trace, seen.rows)
    has_line = of_row != NONE
    total = np.bincount(of_row[has_line], weights=_weight(facts, seen)[has_line])
    return lines[int(total.argmax())] if lines else None


def place_of(facts: Facts, rows: Int64Array) -> str:
    """`save (train.py:60)`: of the user's lines the one that most of these events' time is under; without stacks nothing."""
    of_row, lines = sources_of(facts.trace, rows)
    has_line = of_row != NONE
    total = np.bincount(of_row[has_line], weights=facts.duration(rows)[has_line])
    if not lines:
        return ""
    most = lines[int(total.argmax())]
    return f"{most.function} ({most.place})"


def _weight(facts: Facts, seen: Seen) -> Int64Array:
    return facts.duration(seen.rows) if seen.weight is None else seen.weight
