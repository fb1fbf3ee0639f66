"""Opens any file we can read, by what is in it: names lie, and people rename and zip what they share."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import FormatError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from tb_plugin.trace.model import Trace

KINETO_JSON: Final = "kineto-json"
PROFILE_PB: Final = "profile-pb"
NSIGHT_SQLITE: Final = "nsight-sqlite"
NVPROF_SQLITE: Final = "nvprof-sqlite"
PERFETTO: Final = "perfetto"
MEMORY_SNAPSHOT: Final = "memory-snapshot"

_HEAD_BYTES = 64 << 10
_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_SQLITE = b"SQLite format 3\x00"
_NSIGHT_REPORTS = (".nsys-rep", ".qdrep")
# torch writes some of these before the events, which may stand megabytes later.
_KINETO_KEY = re.compile(
    rb'"(traceEvents|schemaVersion|deviceProperties|distributedInfo|baseTimeNanoseconds|displayTimeUnit)"\s*:'
)
_EVENT_KEY = re.compile(rb'"ph"\s*:')

_FOREIGN: Final[tuple[tuple[bytes, str], ...]] = (
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\x80", "a Python pickle that is no memory snapshot"),
    (b"<", "a text of HTML or XML"),
)


def read(path: str | Path, on_progress: Callable[[float, str], None] | None = None) -> Trace:
    """The Trace of a file. `on_progress` gets (0 to 1, what is being done).

    FormatError when the file is empty, foreign or too broken; NotFoundError when there is none.
    """
    path = Path(path)
    try:
        head = _head(path)
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}: no such file") from error
    except OSError as error:
        raise FormatError(str(path), f"cannot be read ({error.strerror})") from error
    text = head.removeprefix(_BOM).lstrip()
    # Only the reader of a format is imported, because each takes its time.
    if text[:1] in (b"{", b"["):
        from tb_plugin.formats import kineto_json

        return kineto_json.read(path, on_progress)
    from tb_plugin.formats import profile_pb

    if profile_pb.is_profile(head):
        return profile_pb.read(path, on_progress)
    if _is_perfetto(head, path):
        from tb_plugin.formats import perfetto_read

        return perfetto_read.read(path, on_progress)
    if head.startswith(_SQLITE):
        trace: Trace = _database_reader(path).read(path, on_progress or (lambda _share, _stage: None))
        return trace
    from tb_plugin.formats import memory_snapshot

    if memory_snapshot.is_snapshot(head):
        return memory_snapshot.read(path, on_progress)
    if path.suffix in _NSIGHT_REPORTS:
        raise FormatError(str(path), "a report of Nsight Systems; export it with: nsys export --type sqlite " + path.name)
    raise FormatError(str(path), f"not a PyTorch profile: {_foreign(head, text)}")


def sniff(path: str | Path) -> str | None:
    """Which format a file has, or None when it is not a profile. Reads 64 kB at most; never raises for a file's content."""
    path = Path(path)
    try:
        head = _head(path) if path.is_file() else b""  # opening a pipe would wait for its writer
    except OSError:
        return None
    text = head.removeprefix(_BOM).lstrip()
    if text[:1] == b"{":
        return KINETO_JSON if _KINETO_KEY.search(text) else None
    if text[:1] == b"[":
        return KINETO_JSON if text[1:].lstrip()[:1] == b"{" and _EVENT_KEY.search(text) else None
    from tb_plugin.formats import profile_pb

    if head.startswith(_SQLITE):
        try:
            found: str = _database_reader(path).FORMAT
        except FormatError:
            return None
        return found
    if profile_pb.is_profile(head):
        return PROFILE_PB
    from tb_plugin.formats import memory_snapshot

    if memory_snapshot.is_snapshot(head):
        return MEMORY_SNAPSHOT
    return PERFETTO if _is_perfetto(head, path) else None


def _is_perfetto(head: bytes, path: Path) -> bool:
    """Nothing in the bytes says so but that they are packets: the name has to say it too."""
    return head[:1] == b"\n" and ".pftrace" in path.suffixes[-2:]


def _database_reader(path: Path) -> ModuleType:
    """The module that reads this SQLite file, by its tables."""
    try:
        from tb_plugin.formats import nsight_sqlite, nvprof_sqlite, sqlite_tables
    except ImportError as error:  # some builds of Python have no sqlite3
        raise FormatError(str(path), f"an SQLite database, which this Python cannot read ({error})") from error
    with path.open("rb") as file:
        if file.read(len(_GZIP)) == _GZIP:
            raise FormatError(str(path), "a compressed SQLite database; unpack it first")
    with sqlite_tables.opened(path) as tables:
        names = tables.names
    for module in (nsight_sqlite, nvprof_sqlite):
        if module.is_ours(names):
            return module
    some = ", ".join(sorted(names)[:3]) or "none"
    expected = "StringTable as nvprof writes it, or StringIds as nsys does, beside CUPTI_ACTIVITY_KIND_... or NVTX_EVENTS"
    raise FormatError(str(path), f"not a PyTorch profile: an SQLite database with the tables {some}; expected {expected}")


def _head(path: Path) -> bytes:
    """The first bytes of the content, gunzipped; of a damaged gzip file what can be had."""
    with path.open("rb") as file:
        raw = file.read(_HEAD_BYTES)
    if not raw.startswith(_GZIP):
        return raw
    try:
        return zlib.decompressobj(wbits=31).decompress(raw, _HEAD_BYTES)
    except zlib.error:
        return b""


def _foreign(head: bytes, text: bytes) -> str:
    """What a file that is none of ours seems to be."""
    if not head:
        return "the file is empty"
    if not text:
        return "nothing but white space"
    return next((what for magic, what in _FOREIGN if head.startswith(magic)), "neither Chrome trace JSON nor our stored profile")
