"""`NAME.pt.summary`: one rank in small tables, beside its profile, so that a job opens without opening a profile.

{"format": "torch-tb-plugin rank summary", "version": 29, "made_of": [{"name": "w.1.pt.profile.pb", ...}], "crc32": 1234,
 "summary": {...}}

JSON: what is large in it is packed already, and `crc32` is that of the summary's bytes. It says of which files it was made: one
that has changed since is told by its size, or, where its time is another one (a copy's is), by its first and last bytes. Written
by another process and maybe by another version of ours, so nothing in it is believed before it was looked at.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from tb_plugin.base.errors import FormatError
from tb_plugin.formats import whole_file
from tb_plugin.formats.registry import SUMMARY_ENDING
from tb_plugin.trace.rank.sound import why_not_sound
from tb_plugin.trace.rank.summary import RankSummary

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

VERSION: Final = 31
"""Another one where a column or a field is, or means something else. Summaries of other versions are made anew."""

_STILL_READ: Final = (21, 22, 23, 24, 25, 26, 27, 28, 29, 30, VERSION)
"""Where a profile is gone, so that none can be made anew. 21 lacks `ranges` and `inputs`: what they tell is not told, and
those before 24 lack `device_waits`; 24 and 25 count them by step, which is left out, and 24 lacks `stretches`. Those before 27
have no user's frame beside an event of a pause, those before 28 no `memory`, and they count as computing what operators wait
for functional collectives, and receives in the steps of their launches; those before 29 no `without_length`. Those before 30
count calls of other names that wait for the device as the host's own time; those before 31 have collectives that were launched
before the recording in the steps in which they ran. On a CPU 21 and 22 count as computing what operators wait in `c10d::` and
what the data loader runs.
"""

_WAITS_BY_CALL: Final = 26
"""The first version in which `device_waits` has a row each."""

_FORMAT: Final = "torch-tb-plugin rank summary"
_MOST_BYTES: Final = 64 << 20
_LOOKED_AT: Final = 4096

_T = TypeVar("_T")


class MadeOf(msgspec.Struct, frozen=True):
    """A file of the profile, as it was."""

    name: str
    size_bytes: int
    mtime_ns: int
    ends: str  # hash of the first and last bytes


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """All of the file."""

    format: str
    version: int
    made_of: list[MadeOf]
    crc32: int
    summary: msgspec.Raw


class _Head(msgspec.Struct):
    format: str = ""
    version: int = 0


def place_beside(profile: str | os.PathLike[str], stem: str) -> Path:
    """Of the summary of a profile whose name without its ending is `stem`."""
    return Path(profile).parent / f"{stem.removesuffix('.trace')}{SUMMARY_ENDING}"


def made_of(files: Iterable[Path]) -> list[MadeOf]:
    """The files of a profile as they are now; to be asked before one is read. Those that are not there are left out."""
    return [_made_of(path) for path in files if path.exists()]


def write(summary: RankSummary, made_of: list[MadeOf], target: Path) -> None:
    """OSError where it cannot be written; a file that is there is whole."""
    its = msgspec.json.encode(summary)
    kept = Kept(format=_FORMAT, version=VERSION, made_of=made_of, crc32=zlib.crc32(its), summary=msgspec.Raw(its))
    with whole_file.written(target) as file:
        file.write(msgspec.json.encode(kept))


def read(path: Path, profile: str | None) -> RankSummary | None:
    """That of a profile as it is now; None where there is no such file. `profile` None: it is gone.

    FormatError says why it is not used: it cannot be read, is of another version, or of other files than `profile`.
    """
    (found,) = read_each([(path, profile)])
    if isinstance(found, FormatError):
        raise found
    return found


def read_each(asked: Sequence[tuple[Path, str | None]]) -> list[RankSummary | FormatError | None]:
    """As `read`, of many: half the time of one after the other. What it would raise is in the place of who is not used."""
    paths, found = [path for path, _ in asked], list[RankSummary | FormatError | None]()
    for path, profile in asked:
        try:
            found.append(_looked_at(path, profile))
        except FormatError as error:
            found.append(error)
    whole = [(place, one) for place, one in enumerate(found) if isinstance(one, RankSummary)]
    for (place, _), why_not in zip(whole, why_not_sound([one for _, one in whole]), strict=True):
        if why_not is not None:
            found[place] = FormatError(str(paths[place]), why_not)
    return found


def _looked_at(path: Path, profile: str | None) -> RankSummary | None:
    """Whole, and of this profile; not yet whether it is sound."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise FormatError(str(path), "too large for a summary")
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FormatError(str(path), error.strerror or str(error)) from error
    found = _decoded(path, data, (VERSION,) if profile is not None else _STILL_READ)
    if profile is not None and not _is_of(found, Path(profile)):
        raise FormatError(str(path), "made of another file, or of what the file was before")
    if zlib.crc32(found.summary) != found.crc32:
        raise FormatError(str(path), "damaged: its bytes are not those that were written")
    summary = _told(path, bytes(found.summary), RankSummary)
    if found.version < _WAITS_BY_CALL:
        summary = msgspec.structs.replace(summary, device_waits=None, wait_names=[])
    return summary


def _decoded(path: Path, data: bytes, versions: tuple[int, ...]) -> Kept:
    head = _told(path, data, _Head)
    if head.format != _FORMAT:
        raise FormatError(str(path), "no summary of a rank")
    if head.version not in versions:
        age = "an older" if head.version < VERSION else "a newer"
        raise FormatError(str(path), f"of {age} version of its format, {head.version}; this is {VERSION}")
    return _told(path, data, Kept)


def _told(path: Path, data: bytes, what: type[_T]) -> _T:
    try:
        return msgspec.json.decode(data, type=what)
    except msgspec.DecodeError as error:
        raise FormatError(str(path), f"damaged: {error}") from error


def _is_of(found: Kept, profile: Path) -> bool:
    """Whether it was made of this file, as it is."""
    said = next((one for one in found.made_of if one.name == profile.name), None)
    try:
        now = profile.stat()
        return (
            said is not None
            and said.size_bytes == now.st_size
            and (said.mtime_ns == now.st_mtime_ns or said.ends == _ends(profile, now.st_size))
        )
    except OSError:
        return False


def _made_of(path: Path) -> MadeOf:
    status = path.stat()
    return MadeOf(path.name, status.st_size, status.st_mtime_ns, _ends(path, status.st_size))


def _ends(path: Path, size: int) -> str:
    with path.open("rb") as file:
        begin = file.read(_LOOKED_AT)
        file.seek(max(size - _LOOKED_AT, 0))
        return hashlib.sha256(begin + file.read(_LOOKED_AT)).hexdigest()[:16]
