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

import io
import pickle
from typing import TYPE_CHECKING, Any, Final, NoReturn

import msgspec

from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError
from tb_plugin.formats.snapshot import opcodes
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
_BROKEN: Final = (
    pickle.UnpicklingError,
    EOFError,
    AttributeError,
    ImportError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
    OverflowError,
    MemoryError,
    RecursionError,
)
"""What unpickling damaged bytes may raise (`pickle.UnpicklingError`'s documentation, and opcodes in the wrong place)."""


def is_ours(content: Content) -> bool:
    """Whether it begins as a pickle with a snapshot's keys."""
    return content.head.startswith(_PICKLE) and any(key in content.head for key in _KEYS)


def read(path: Path, on_progress: OnProgress = progress.silent) -> Trace:
    """A complete Trace. FormatError when the file is damaged, is no snapshot, or holds anything but plain values."""
    on_progress(0.0, "reading")
    size = path.stat().st_size
    snapshot = _snapshot(path, _plain_values(path), size)
    on_progress(0.5, "building")
    try:
        raw = memory_snapshot_rows.rows(snapshot, path.name, FORMAT)
    except (OverflowError, ValueError) as error:
        raise FormatError(str(path), f"not a memory snapshot: a number in it is out of range ({error})") from error
    return build(raw)


class _PlainUnpickler(pickle.Unpickler):
    """Makes dicts, lists, tuples, sets, text, bytes and numbers; refuses to look up anything that could be called."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise _NotPlainError(f"{module}.{name}"[:100])

    def persistent_load(self, pid: object) -> NoReturn:
        raise _NotPlainError("a reference to something outside the file")


class _NotPlainError(Exception):
    pass


def _plain_values(path: Path) -> Any:
    try:
        content = path.read_bytes()
        if len(content) <= opcodes.LARGEST_FILE:
            opcodes.check(content)
        return _PlainUnpickler(io.BytesIO(content)).load()
    except _NotPlainError as error:
        reason = f"not a memory snapshot: it holds {error}, and a snapshot has plain values only; nothing of it was run"
        raise FormatError(str(path), reason) from None
    except OSError as error:
        raise FormatError(str(path), f"cannot be read ({error.strerror})") from error
    except _BROKEN as error:
        raise FormatError(str(path), f"a damaged or incomplete memory snapshot ({error or type(error).__name__})") from error


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
