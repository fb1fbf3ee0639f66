"""The place in the user's code that most of some events come from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tb_plugin.trace.patterns.source import Source, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.trace.model import Trace


def usual_source(trace: Trace, rows: Iterable[int]) -> Source | None:
    """Of the innermost user's frames around them the most frequent one."""
    found = Counter(source for row in rows if (source := source_of(trace, row)) is not None)
    return found.most_common(1)[0][0] if found else None
