"""What the first bytes of the files say: which are profiles, whose, of which rank and when. Each file is looked at once.

Nothing here needs more than the standard library until a file has to be looked into.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from tb_plugin.runs import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.formats.glance import Glance
    from tb_plugin.runs.catalogue import ProfileFile

_ARCHIVE_BYTES = 64 << 10
_DUMP_BEGINS = (b"\x80", b"{")
_DUMP_WORDS = (b"entries", b"pg_config", b"pg_status", b"nccl_version", b"comm_lib_version")
_DUMP_BYTES = 4096


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """`foreign`: a Chrome trace of another tool. The rest as in `formats/glance.py`: None where the first bytes do not tell."""

    foreign: bool = False
    rank: int | None = None
    began_ns: int | None = None
    world_size: int | None = None
    host: str | None = None
    groups: frozenset[tuple[str, int]] = frozenset()

    @staticmethod
    def of(found: Glance, *, foreign: bool) -> Head:
        return Head(foreign=foreign, **{name: getattr(found, name) for name in _TOLD})

    @staticmethod
    def joined(heads: Sequence[Head]) -> Head:
        """Of files that hold the same recording: what the first of them tells that tells it."""
        if len(heads) == 1:  # most, of thousands
            return heads[0]

        def first(name: str) -> Any:
            return next((told for head in heads if (told := getattr(head, name)) not in (None, frozenset())), None)

        told = {name: first(name) for name in _TOLD}
        return Head(**{**told, "groups": told["groups"] or frozenset()}, foreign=any(head.foreign for head in heads))


_TOLD = tuple(name for name in Head.__slots__ if name != "foreign")


class Heads:
    """Remembers by path, size and time: a changed file is looked at again. Safe to use from any thread."""

    def __init__(self) -> None:
        self._found: dict[ProfileFile, Head | None] = {}
        self._packed: dict[ProfileFile, str | None] = {}
        self._dumps: dict[ProfileFile, bool] = {}

    def recognise(self, file: ProfileFile) -> Head | None:
        """None when the content is no profile."""
        if file not in self._found:
            self._found[file] = _recognise(Path(file.path))
        return self._found[file]

    def read(self, file: ProfileFile, *, far: bool = False) -> Head:
        """Of a file whose name already says that it is a profile; `far` where it does not say when."""
        known = self._found.get(file)
        if known is None:
            known = self._found[file] = _of_torch(Path(file.path), far=far)
        return known

    @property
    def n_known(self) -> int:
        """Of how many files something is known by now; of none another thing later."""
        return len(self._found)

    def known(self, file: ProfileFile) -> Head | None:
        """What was read before. Opens nothing."""
        return self._found.get(file)

    def is_dump(self, file: ProfileFile) -> bool:
        """Whether it is of a flight recorder. An empty one is by torch's own name alone, as a log may be empty too."""
        if file not in self._dumps:
            named = file.name.startswith(names.DUMP)
            self._dumps[file] = named or (file.size_bytes > 0 and begins_as_dump(Path(file.path)))
        return self._dumps[file]

    def profile_in(self, file: ProfileFile) -> str | None:
        """The name of the profile that a packed folder begins with."""
        if file not in self._packed:
            self._packed[file] = _first_profile(Path(file.path))
        return self._packed[file]


def begins_as_dump(path: Path) -> bool:
    """Of a flight recorder. An empty one counts: its process ended while it was written. So does one that cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(_DUMP_BYTES)
    except OSError:
        return True
    return not head or (head.startswith(_DUMP_BEGINS) and any(word in head for word in _DUMP_WORDS))


def _recognise(path: Path) -> Head | None:
    # Here, not above: most logdirs never need the readers.
    from tb_plugin.formats import glance, reader

    if reader.sniff(path) is None:
        return None
    try:
        found = glance.glance(path, far=True)
    except OSError:
        return None
    return Head.of(found, foreign=not found.of_torch)


def _of_torch(path: Path, *, far: bool) -> Head:
    from tb_plugin.formats import glance

    try:
        found = glance.glance(path, far=far)
    except OSError:  # whoever opens it hears why
        return Head()
    return Head.of(found, foreign=False)


def _first_profile(path: Path) -> str | None:
    """Of the first file in it, as far as the first bytes reach: a hostile archive gets no more memory than that."""
    import tarfile

    from tb_plugin.formats.packing import plain

    try:
        with path.open("rb") as file:
            unpacked = plain(file.read(_ARCHIVE_BYTES), _ARCHIVE_BYTES)
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as packed:
            names_in = (PurePath(member.name).name for member in packed if member.isfile())
            return next((name for name in names_in if names.parse(name) is not None), None)
    except (OSError, tarfile.TarError):
        return None
