"""Summaries of ranks beside their profiles: which file is one's, and making those that are missing.

logs/run/rank3.171.pt.profile.pb    logs/run/rank3.171.pt.trace.json.gz    logs/run/rank3.171.pt.summary
"""

from __future__ import annotations

import threading
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from tb_plugin.base import child_process
from tb_plugin.base.errors import FormatError, TbPluginError
from tb_plugin.formats import reader
from tb_plugin.formats.stored import rank_summary
from tb_plugin.runs import names
from tb_plugin.runs.store import first_readable
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.trace.scope.empty import why_empty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tb_plugin.runs.catalogue import Catalogue, ProfileFile
    from tb_plugin.runs.engines import Engine
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.rank.summary import RankSummary


class Summarised(NamedTuple):
    """What became of one profile. `reason`: why there is no summary, or why the one that lay there was made anew."""

    file: str
    state: Literal["fresh", "made", "failed"]
    reason: str | None
    is_cut_off: bool = False  # the file ends before its profile does


def place_of(files: Sequence[ProfileFile]) -> Path:
    """Of a span with these files; of a profile that is gone its one file."""
    own = Path(files[0].path).name  # on the disk
    name = names.parse(own)
    if name is not None and name.is_summary:
        return Path(files[0].path)
    return rank_summary.place_beside(files[0].path, own if name is None else name.stem)


def beside(files: Sequence[ProfileFile]) -> RankSummary | None:
    """None where there is none. FormatError where one lies there and is not this profile's, as the profile is now.

    Where the profile is gone, the files are the summary.
    """
    return rank_summary.read(*_asked(files))


def beside_each(profiles: Iterable[Sequence[ProfileFile]]) -> list[RankSummary | FormatError | None]:
    """As `beside`, of the files of each profile, together."""
    return rank_summary.read_each([_asked(files) for files in profiles])


def _asked(files: Sequence[ProfileFile]) -> tuple[Path, str | None]:
    place = place_of(files)
    return place, None if str(place) == files[0].path else files[0].path


class _Work(NamedTuple):
    """What a process is given: the files of a span, and where its summary is to be."""

    files: tuple[ProfileFile, ...]
    target: Path


def make(files: tuple[ProfileFile, ...], target: Path | None = None) -> str | None:
    """Reads the first of a span's files that can be read, and writes its summary; else says in a sentence why not.

    Runs in whatever process has the time: of a pool, or of a cluster. `target`: by default beside the profile.
    """
    target = place_of(files) if target is None else target
    made_of = rank_summary.made_of(Path(file.path) for file in files)
    try:
        trace, _ = first_readable(files, read_limited)
        empty = why_empty(trace)
        if empty is not None:
            return empty
        target.parent.mkdir(parents=True, exist_ok=True)
        rank_summary.write(summarise(trace), made_of, target)
    except FormatError as error:
        return error.reason
    except OSError as error:
        return f"{target.name} cannot be written: {error.strerror or error}"
    except (TbPluginError, MemoryError) as error:
        return str(error) or "reading it takes more memory than there is"
    return None


def _make(work: _Work) -> str | None:
    return make(*work)


def make_missing(
    catalogue: Catalogue, engine: Engine, place: Callable[[Sequence[ProfileFile]], Path] = place_of
) -> Iterator[Summarised]:
    """Of every profile of torch: those with a summary that is theirs first, then each as it is done. `place`: where it lies."""
    waiting: dict[_Work, str | None] = {}
    for span in catalogue.spans():
        if not span.is_asked or span.memory_only:
            continue
        why = None
        try:
            there = rank_summary.read(place(span.files), span.files[0].path)
            if there is not None:
                yield Summarised(span.files[0].path, "fresh", None, there.is_cut_off)
                continue
        except FormatError as error:
            why = error.reason
        waiting[_Work(span.files, place(span.files))] = why
    untold = dict(waiting)
    try:
        for work, done in engine.map_unordered(_make, list(waiting)):
            del untold[work]
            reason = done if isinstance(done, str | None) else _words(done)
            if reason is None:
                yield _made(work, waiting[work])
            else:
                yield Summarised(work.files[0].path, "failed", reason)
    except TbPluginError:  # who made them has gone, and with it the answers about some that lie there
        yield from (_made(work, why) for work, why in untold.items() if _lies_there(work))
        raise


def _made(work: _Work, why: str | None) -> Summarised:
    written = rank_summary.read(work.target, None)
    return Summarised(work.files[0].path, "made", why, written is not None and written.is_cut_off)


def _lies_there(work: _Work) -> bool:
    try:
        return rank_summary.read(work.target, work.files[0].path) is not None
    except FormatError:
        return False


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, TbPluginError) else f"{type(error).__name__}: {error}"


def read_limited(file: ProfileFile) -> Trace:
    """A stranger's file, in a process that does more than that. FormatError, TooMuchError, MemoryError."""
    # Limits are a process's, and set by its main thread: a worker of a cluster has limits of its own.
    is_main = threading.current_thread() is threading.main_thread()
    try:
        most = child_process.most_for_reading(Path(file.path))
    except OSError:  # the reader says which
        is_main = False
    with child_process.limited(most) if is_main else nullcontext():
        return reader.read(file.path)
