"""The place in the user's code that most of some events come from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.trace.patterns.source import SourceLine, source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.check import Seen
    from tb_plugin.findings.facts import Facts
    from tb_plugin.trace.model import Trace


_LOOKED_AT: Final = 50
"""So many events decide about the place in the source; more would say the same."""


def heaviest(facts: Facts, seen: Seen) -> Int64Array:
    """The events behind a finding, those with the most to gain or the longest first."""
    weight = facts.duration(seen.rows) if seen.weight is None else seen.weight
    rows: Int64Array = seen.rows[np.argsort(-weight, kind="stable")]
    return rows


def usual_source(trace: Trace, rows: Sequence[int]) -> SourceLine | None:
    """Of the innermost user's frames around the first of them the most frequent one."""
    found = Counter(source for row in rows[:_LOOKED_AT] if (source := source_of(trace, row)) is not None)
    return found.most_common(1)[0][0] if found else None
