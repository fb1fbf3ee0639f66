"""A memory snapshot (`torch.cuda.memory._dump_snapshot`) to a Trace. Nothing in the file is ever run.

    {"segments": [{"device", "address", "total_size", "stream", "blocks": [{"size", "requested_size", "state", "frames"}]}],
     "device_traces": [[{"action", "addr", "size", "stream", "frames", "time_us"}, ...], ...], ...}

    alloc, free_requested     `[memory]` events with what is allocated (as requested) and reserved after each
    free_completed            a release where no request was seen; else the address is only free to be used again
    segment_alloc, _map, ...  instants; they change what is reserved
    oom                       a failed allocation
    frames                    Python frames around the events, as long as consecutive events share them
    segments                  the state at the end: totals are counted back from it, and blocks that are in no event were
                              allocated before the recording: they stand before its first event

The structure is that of `torch.cuda.memory._snapshot`; a bare list of segments (`memory_snapshot()`) is read too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError
from tb_plugin.formats.pickled.plain import plain_values
from tb_plugin.formats.snapshot import rows as memory_snapshot_rows
from tb_plugin.formats.snapshot.parts import Snapshot
from tb_plugin.trace.build import build

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.content import Content
    from tb_plugin.trace.model import Trace

FORMAT: Final = "memory-snapshot"

_PICKLE: Final = b"\x80"
_KEYS: Final = (b"device_traces", b"segments", b"total_size")


def is_ours(content: Content) -> bool:
    """Whether it begins as a pickle with a snapshot's keys."""
    return content.head.startswith(_PICKLE) and any(key in content.head for key in _KEYS)


def read(path: Path, on_progress: OnProgress = progress.silent) -> Trace:
    """A complete Trace. FormatError when the file is damaged, is no snapshot, or holds anything but plain values."""
    on_progress(0.0, "reading")
    size = path.stat().st_size
    snapshot = _snapshot(path, plain_values(path, "memory snapshot"), size)
    on_progress(0.5, "building")
    try:
        raw = memory_snapshot_rows.rows(snapshot, path.name, FORMAT)
    except (OverflowError, ValueError) as error:
        raise FormatError(str(path), f"not a memory snapshot: a number in it is out of range ({error})") from error
    return build(raw)


def _snapshot(path: Path, data: Any, size: int) -> Snapshot:
    if isinstance(data, list):
        data = {"segments": data}
    if not isinstance(data, dict) or not {"segments", "device_traces"} & data.keys():
        raise FormatError(str(path), "not a memory snapshot: it has neither segments nor device_traces")
    lists = [data.get("segments", ()), *_lists_in(data.get("device_traces")), *_blocks_in(data.get("segments"))]
    # A pickle may name one list again and again: few bytes that would take for ever to walk through.
    if sum(len(each) for each in lists if isinstance(each, list)) > size:
        raise FormatError(str(path), "not a memory snapshot: it repeats its lists")
    try:
        return msgspec.convert(data, Snapshot)
    except (ValueError, RecursionError) as error:  # half a surrogate pair is no text
        raise FormatError(str(path), f"not a memory snapshot: {error}") from error


def _lists_in(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _blocks_in(segments: Any) -> list[Any]:
    return [segment.get("blocks") for segment in _lists_in(segments) if isinstance(segment, dict)]
