"""Sums of groups of events over an area.

Rows that lie in the area whole were summed up before, in chunks of the table (`compute/keyed_sums.py`); only those that its edges
cut, and the ends of its tracks, are looked at one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.compute import intervals, keyed_sums
from tb_plugin.compute.alike import within_alike
from tb_plugin.compute.keyed_sums import CHUNK, KeyedSums, KeyLines
from tb_plugin.views.timeline.own import open_at, own_times

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.own import OwnTimes


class SumTable(NamedTuple):
    """A way to group all events: the number of each row's group, and sums of chunks of rows."""

    key: npt.NDArray[np.int32]
    names_others: BoolArray  # by group: nothing in it has time of its own
    on_device: BoolArray  # by group
    sums: KeyedSums
    inside: BoolArray | None = None  # by row: it lies in one of its group on its track, whose time it is

    def inside_of(self, trace: Trace, rows: Int64Array, *, alone: bool) -> BoolArray | None:
        """Of these rows, `inside`; `alone`: as if there were no others."""
        if self.inside is None or not alone:
            return None if self.inside is None else self.inside[rows]
        order = np.argsort(rows, kind="stable")
        found, in_order = np.empty(len(rows), np.bool_), rows[order]
        group = trace.events.track[in_order].astype(np.int64) * len(self.names_others) + self.key[in_order]
        found[order] = within_alike(group, trace.events.end_ns[in_order])
        return found


class AreaPart(NamedTuple):
    """The events of one track that overlap the area: `cut`, with their own times inside it, and all others of `low` to `high`,
    or where filters are set what they keep of these: `whole`.
    """

    low: int
    high: int
    cut: Int64Array  # rows: those that began before the area, and those that end after it
    cut_self_ns: Int64Array
    n_events: int
    self_ns: int
    whole: Int64Array | None  # rows


def parts_of(trace: Trace, tracks: Int64Array, t0_ns: int, t1_ns: int, kept: BoolArray | None) -> list[AreaPart]:
    """What of these tracks overlaps [t0, t1). `kept`: which rows count; None: all."""
    return [_part(trace, own_times(trace), track, t0_ns, t1_ns, kept) for track in tracks.tolist()]


def _part(trace: Trace, own: OwnTimes, track: int, t0_ns: int, t1_ns: int, kept: BoolArray | None) -> AreaPart:
    """Self times leave out nested events, and where events cut across each other what began later has the time."""
    first, last = own.track_first[track : track + 2].tolist()
    low, high = (np.searchsorted(trace.events.start_ns[first:last], [t0_ns, t1_ns]) + first).tolist()
    before, had_ns = open_at(trace, own, track, t0_ns)
    after, has_ns = open_at(trace, own, track, t1_ns)
    # An event that spans the area has what it has had by its end without what it had before.
    cut = np.union1d(before, after)
    self_ns = own.own_ns[cut].astype(np.int64)
    self_ns[np.searchsorted(cut, after)] = has_ns
    self_ns[np.searchsorted(cut, before)] -= had_ns
    if kept is not None:
        whole = np.setdiff1d(np.flatnonzero(kept[low:high]) + low, cut, assume_unique=True)
        cut, self_ns = cut[kept[cut]], self_ns[kept[cut]]
        kept_ns = int(own.own_ns[whole].sum(dtype=np.int64)) + int(self_ns.sum())
        return AreaPart(low, high, cut, self_ns, len(whole) + len(cut), kept_ns, whole)
    is_whole_ns = int(own.own_ns[low:high].sum(dtype=np.int64)) - int(own.own_ns[cut[cut >= low]].sum(dtype=np.int64))
    return AreaPart(low, high, cut, self_ns, len(before) + high - low, is_whole_ns + int(self_ns.sum()), None)


def sums_of(trace: Trace, table: SumTable, parts: list[AreaPart], t0_ns: int, t1_ns: int) -> KeyLines:
    """The sums of each group in [t0, t1), one a line."""
    events, own_ns = trace.events, own_times(trace).own_ns
    cut = np.concatenate([np.empty(0, np.int64), *(part.cut for part in parts)])
    cut_self_ns = np.concatenate([np.empty(0, np.int64), *(part.cut_self_ns for part in parts)])
    cut_ns = np.minimum(events.end_ns[cut], t1_ns) - np.maximum(events.start_ns[cut], t0_ns)
    chunks, whole = _whole(parts, cut, len(events))
    rows = np.concatenate((whole, cut))
    lines = keyed_sums.of_rows(
        table.key[rows],
        np.concatenate((events.duration_ns(whole), cut_ns)),
        np.concatenate((own_ns[whole].astype(np.int64), cut_self_ns)),
        rows,
        table.inside_of(trace, rows, alone=_are_filtered(parts)),
    )
    return keyed_sums.concatenated(table.sums.of_chunks(chunks), lines).in_all(len(table.names_others))


def _are_filtered(parts: list[AreaPart]) -> bool:
    return any(part.whole is not None for part in parts)


def _whole(parts: list[AreaPart], cut: Int64Array, n_rows: int) -> tuple[Int64Array, Int64Array]:
    """(chunks, rows beside them) that lie in the area whole."""
    none = np.empty(0, np.int64)
    if _are_filtered(parts):
        return none, np.concatenate([none, *(part.whole for part in parts if part.whole is not None)])
    # Rows of neighbouring tracks are neighbours: chunks reach from one into the next.
    whole = intervals.union(np.array([part.low for part in parts], np.int64), np.array([part.high for part in parts], np.int64))
    first, end = -(-whole.start // CHUNK), whole.end // CHUNK
    chunks = np.concatenate([none, *(np.arange(a, b) for a, b in zip(first, end, strict=True))])
    chunks = np.setdiff1d(chunks, cut // CHUNK)
    summed = np.zeros(-(-n_rows // CHUNK) + 1, np.bool_)
    summed[chunks] = True
    rest = [_outside(low, high, summed) for low, high in zip(whole.start.tolist(), whole.end.tolist(), strict=True)]
    return chunks, np.setdiff1d(np.concatenate([none, *rest]), cut, assume_unique=True)


def _outside(low: int, high: int, summed: BoolArray) -> Int64Array:
    """Rows of a stretch that lie in no chunk that is summed."""
    chunks = np.arange(low // CHUNK, -(-high // CHUNK))
    parts = [np.arange(max(low, c * CHUNK), min(high, (c + 1) * CHUNK)) for c in chunks[~summed[chunks]].tolist()]
    return np.concatenate([np.empty(0, np.int64), *parts])
