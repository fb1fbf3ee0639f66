"""A stretch of a profile as a file for Perfetto: what the page hands to whoever wants to look at it there.

Events that reach into the stretch are in it with their whole length, and arrows of which it has both ends. A counter begins with
its first value in the stretch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.text_table import aligned
from tb_plugin.formats import slices
from tb_plugin.formats.perfetto import write as perfetto
from tb_plugin.question.outline import TextTable
from tb_plugin.question.question import Question

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

MAX_EVENTS: Final = 200_000
"""Each takes 20 to 30 us to write, and a request has 10 s."""


class PerfettoParams(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of time, by default all of it."""

    t0_ns: int | None = None
    t1_ns: int | None = None


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Rows of events, in the order of the Trace."""

    trace: Trace
    rows: Int64Array

    def encode(self) -> bytes:
        """As `.pftrace`. UsageError where the extra `perfetto` is not installed."""
        return perfetto.stretch(self.trace, self.rows)


def stretch(trace: Trace, params: PerfettoParams) -> Stretch:
    """UsageError for an empty stretch, and for more events than one request can write."""
    t0_ns = trace.info.start_ns if params.t0_ns is None else params.t0_ns
    t1_ns = max(trace.info.end_ns, t0_ns + 1) if params.t1_ns is None else params.t1_ns
    if t1_ns <= t0_ns:
        raise UsageError(f"no stretch of time: t0_ns={t0_ns}, t1_ns={t1_ns}")
    events = trace.events
    rows = np.flatnonzero((events.start_ns < t1_ns) & (events.end_ns >= t0_ns))
    if len(rows) > MAX_EVENTS:
        raise UsageError(
            f"{len(rows):,} events are here, and {MAX_EVENTS:,} can be written while somebody waits: zoom in, or write all with "
            "tb-plugin convert PROFILE OUT.pftrace"
        )
    return Stretch(trace=trace, rows=rows)


def text(found: Stretch) -> str:
    """The same for people."""
    counted = table(found)
    return aligned(counted.columns, [[str(cell) for cell in row] for row in counted.rows], left=("track",))


def table(found: Stretch) -> TextTable:
    """How many events of each track."""
    tracks, counts = np.unique(found.trace.events.track[found.rows], return_counts=True)
    named = [slices.track_title(found.trace, track) for track in tracks.tolist()]
    return TextTable(columns=["track", "events"], rows=[list(row) for row in zip(named, counts.tolist(), strict=True)])


QUESTION: Final = Question(
    id="perfetto",
    title="A stretch of the profile as a Perfetto trace.",
    params=PerfettoParams,
    reply=Stretch,
    answer=stretch,
    encode=Stretch.encode,
    text=text,
    table=table,
    is_file=True,
)
