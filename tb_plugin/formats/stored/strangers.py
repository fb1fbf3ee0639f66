"""A stored profile that anybody may have written. What we have read of it and keep (`mapped.py`) needs none of this.

References that lead nowhere are dropped and arguments that cannot be read left out, both as issues; columns that contradict each
other (events that are each other's parents, that end before they start, ...) make the file one `FormatError`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError
from tb_plugin.base.units import NONE
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.check import InconsistentTraceError, check
from tb_plugin.trace.model import Events, Issue, Work

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.trace.model import Trace

FORMAT = profile_pb.FORMAT
is_ours = profile_pb.is_ours

_ABSURD = 1e9  # blocks and warps of a multiprocessor, percent


def read(path: Path, on_progress: OnProgress = progress.silent) -> Trace:
    """A Trace that keeps every promise of `trace/check.py`; FormatError when there is none in the file."""
    return _mended(profile_pb.read(path, on_progress), path)


def _mended(trace: Trace, path: Path) -> Trace:
    """The same object where there is nothing to mend; FormatError where it cannot be."""
    args, n_lost = trace.args.sound()
    if args is not trace.args:
        trace = dataclasses.replace(trace, args=args)
    if n_lost:
        text = "Blocks of arguments are damaged; their events are shown without."
        issue = Issue(kind="damaged arguments", count=n_lost, text=text)
        trace = dataclasses.replace(trace, issues=(*trace.issues, issue))
    trace = _named(_believable(trace))
    try:
        check(trace)
    except InconsistentTraceError as error:
        raise FormatError(str(path), f"a damaged profile: {error.broken}") from error
    return trace


def _named(trace: Trace) -> Trace:
    """Every event has a name, if only an empty one."""
    events = trace.events
    if not (events.name_id == NONE).any():
        return trace
    name_id = np.where(events.name_id == NONE, len(trace.strings), events.name_id)
    named = Events.from_columns(events.columns() | {"name_id": name_id})
    return dataclasses.replace(trace, strings=(*trace.strings, ""), events=named)


def _believable(trace: Trace) -> Trace:
    """Estimates that are no numbers, or absurd ones, were not recorded."""
    work = trace.work
    columns = {name: np.abs(getattr(work, name)) for name in ("blocks_per_sm", "warps_per_sm", "occupancy_percent")}
    if not any((column >= _ABSURD).any() for column in columns.values()):
        return trace
    kept = {name: np.where(column < _ABSURD, getattr(work, name), np.nan) for name, column in columns.items()}
    return dataclasses.replace(trace, work=Work.from_columns(work.columns() | kept))
