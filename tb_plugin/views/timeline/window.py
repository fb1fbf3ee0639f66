"""One screenful: the blocks of a window in raw columns. The reply is bounded whatever the trace holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.compute import pyramid
from tb_plugin.compute.distinct import distinct
from tb_plugin.views.timeline.asked import asked_tracks
from tb_plugin.views.timeline.kept import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index
    from tb_plugin.views.timeline.result import WindowParams

MAX_BLOCKS: Final = 11_000
"""Blocks in one reply; more are merged further. About 10 bytes each, compressed."""

_LABEL_PX: Final = 12  # a narrower block has no room for a name: its name is asked for when it is pointed at
_LISTED: Final = 50
"""Names of devices, and as many of threads, that come along for the table beside the picture: those of the longest blocks."""
_DELTA: Final = ("start", "row")
_REACH: Final = (1 << 31) - 2  # of an int32


@dataclass(frozen=True, kw_only=True)
class WindowColumns:
    """Blocks of the asked lanes, lane after lane; one event where `count` is 1, else several shorter than `bucket_ns`.

        header   t0_ns, t1_ns, unit_ns, bucket_ns, lane_track, lane_depth, lane_blocks, names {name_id: text}; where filters or a
                 search leave something out, and the window is all of the recording, density: the strip of what is kept
        columns  start int32 (units from t0, cut at the reach of 31 bits; delta), width uint32 (units), longest_ns float32
                 (three digits are right), row int32 (delta) and name_id int32 of the longest event, count int32, paint uint8
                 (that of most time in the block), fill uint8 (share of the block that is covered, of 255), others uint8 (how
                 many paints it has besides)
        longer   other uint8 (these paints, block after block), part uint8 (the share of the block's time that each has, of 255)

    A unit is at most a thirty-second of a bucket. A *delta* column holds differences: each value is the sum so far, in int32
    arithmetic that wraps. Both halve the compressed size.
    """

    header: dict[str, Any]
    columns: dict[str, npt.NDArray[Any]]
    strings: Sequence[str]
    """Of the trace: what `name_id` means. Not sent: the header has those that the page has room for."""

    def encode(self) -> bytes:
        """`uint32` length of the header, the header padded to 8 bytes, then the columns, each at a multiple of 8."""
        places: dict[str, dict[str, Any]] = {}
        offset = 0
        for name, column in self.columns.items():
            places[name] = {"dtype": column.dtype.name, "offset": offset, "length": len(column)}
            if name in _DELTA:
                places[name]["delta"] = True
            offset += -(-column.nbytes // 8) * 8
        header = json.dumps({**self.header, "columns": places}, separators=(",", ":")).encode()
        header += b" " * (-(len(header) + 4) % 8)
        parts = [len(header).to_bytes(4, "little"), header]
        for column in self.columns.values():
            little = column.astype(column.dtype.newbyteorder("<"), copy=False)
            parts += [little.tobytes(), bytes(-column.nbytes % 8)]
        return b"".join(parts)


def window(trace: Trace, index: Index, params: WindowParams, max_blocks: int = MAX_BLOCKS) -> WindowColumns:
    t0_ns = trace.info.start_ns if params.t0_ns is None else params.t0_ns
    # A recording may be one instant, which has a width too.
    t1_ns = max(trace.info.end_ns, t0_ns + 1) if params.t1_ns is None else params.t1_ns
    if t1_ns <= t0_ns or params.width_px <= 0:
        raise UsageError(f"no window: t0_ns={t0_ns}, t1_ns={t1_ns}, width_px={params.width_px}")
    lanes = _lanes(index, params.tracks)
    ns_per_px = (t1_ns - t0_ns) / params.width_px
    shift = max(0, int(np.ceil(np.log2(ns_per_px))))
    picture, rows, density = shown(trace, index, params, params.q, regex=params.regex)
    is_whole = t0_ns <= trace.info.start_ns and t1_ns >= trace.info.end_ns
    blocks = pyramid.window(picture, lanes, t0_ns, t1_ns, shift, max_blocks)
    events, row = trace.events, blocks.longest_row if rows is None else rows[blocks.longest_row]
    longest = events.duration_ns(row)
    name_id = events.name_id[row]
    on_device = trace.tracks.device[events.track[row]] != NONE
    wide = longest >= ns_per_px * _LABEL_PX
    listed = [_of_longest(name_id[side], longest[side]) for side in (on_device, ~on_device)]
    named = distinct(np.concatenate([name_id[wide], *listed])).tolist()
    unit_shift = max(0, (t1_ns - t0_ns).bit_length() - 30, blocks.shift - 5)
    start = ((blocks.start_ns - t0_ns) >> unit_shift).clip(-_REACH, _REACH)
    # Begin and end are rounded alike: what follows without a gap is drawn so, and nowhere twice.
    end = np.maximum((blocks.end_ns - t0_ns) >> unit_shift, start + 1).clip(-_REACH, _REACH)
    others, other, part = blocks.parts.other_kinds()
    return WindowColumns(
        header={
            "t0_ns": t0_ns,
            "t1_ns": t1_ns,
            "unit_ns": 1 << unit_shift,
            "bucket_ns": 1 << blocks.shift,
            "lane_track": index.lane_track[lanes].tolist(),
            "lane_depth": index.lane_depth[lanes].tolist(),
            "lane_blocks": blocks.n_of_lane.tolist(),
            "names": {n: trace.text(n) for n in named},
            **({"density": msgspec.to_builtins(density)} if density is not None and is_whole else {}),
        },
        columns={
            "start": _delta(start),
            "width": (end - start).astype(np.uint32),
            "longest_ns": _rounded(longest),
            "row": _delta(row),
            "name_id": name_id,
            "count": blocks.count.astype(np.int32),
            "paint": blocks.parts.main_kinds(),
            "fill": _fill(blocks, np.maximum(blocks.end_ns - blocks.start_ns, 1 << unit_shift)),
            "others": others,
            "other": other,
            "part": part,
        },
        strings=trace.strings,
    )


def _of_longest(name_id: npt.NDArray[np.integer], longest: Int64Array) -> npt.NDArray[np.integer]:
    """The first `_LISTED` names, in the order of their longest blocks."""
    ids = name_id[np.argsort(-longest, kind="stable")]
    _, first = np.unique(ids, return_index=True)
    found: npt.NDArray[np.integer] = ids[np.sort(first)[:_LISTED]]
    return found


def _delta(values: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    narrow = values.astype(np.uint32)
    return np.diff(narrow, prepend=np.uint32(0)).astype(np.int32)


def _rounded(ns: Int64Array) -> npt.NDArray[np.float32]:
    """To 13 bits of mantissa: an error under 0.01 %, and zeros to compress."""
    bits = ns.astype(np.float32).view(np.uint32)
    kept: npt.NDArray[np.uint32] = (bits + np.uint32(1 << 9)) & np.uint32(0xFFFF_FC00)
    return kept.view(np.float32)


def _fill(blocks: pyramid.Blocks, width_ns: Int64Array) -> npt.NDArray[np.uint8]:
    """Of its own width, of a unit at least. Never 0: a block always shows."""
    share: npt.NDArray[np.float64] = blocks.parts.busy_ns() / np.maximum(width_ns, 1)
    return np.rint(255 * share).clip(1, 255).astype(np.uint8)


def _lanes(index: Index, tracks: str | None) -> npt.NDArray[np.int64]:
    if tracks is None:
        return np.arange(len(index.lane_track), dtype=np.int64)
    first = index.track_lane_first
    asked = asked_tracks(tracks, len(first) - 1).tolist()
    return np.concatenate([np.empty(0, np.int64), *(np.arange(first[t], first[t + 1]) for t in asked)])
