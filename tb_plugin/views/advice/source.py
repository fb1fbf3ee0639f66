"""Where in the user's code an event comes from: the nearest Python frame around it that is not torch's own."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.trace.model import Trace

_FRAME: Final = re.compile(r"(?P<file>.+)\((?P<line>\d+)\): (?P<function>.+)\Z", re.DOTALL)
_INTERNAL: Final = re.compile(
    r"(?:.*[/\\])?(?:torch[/\\]|<|(?:contextlib|functools|threading|runpy|selectors|queue|enum|typing|re|abc)\.py\Z)"
)
"""Files of torch, frozen modules, and what of Python's own library wraps user code. Sample: `torch/optim/optimizer.py`."""


class Source(NamedTuple):
    """`line` is where the function begins, as torch's frames have it."""

    place: str
    function: str


def source_of(trace: Trace, row: int) -> Source | None:
    """The innermost frame of the user's own code around an event, itself included."""
    events = trace.events
    if events.kind[row] not in (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON) and events.launch[row] != NONE:
        row = int(events.launch[row])  # of device work: where it was launched
    while row != NONE:
        if events.kind[row] == Kind.PYTHON:
            found = _FRAME.match(trace.text(int(events.name_id[row])))
            if found and not _INTERNAL.match(found["file"]):
                return Source(f"{found['file']}:{found['line']}", found["function"])
        row = int(events.parent[row])
    return None


def usual_source(trace: Trace, rows: Iterable[int]) -> Source | None:
    """The place that most of these events come from."""
    found = Counter(source for row in rows if (source := source_of(trace, row)) is not None)
    return found.most_common(1)[0][0] if found else None
