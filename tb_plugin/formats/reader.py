"""Opens any file we can read, by what is in it: names lie, and people rename and zip what they share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError, NotFoundError, TbPluginError
from tb_plugin.formats.content import Content
from tb_plugin.formats.registry import FORMATS, Format
from tb_plugin.formats.texts import sound_texts
from tb_plugin.trace.check import InconsistentTraceError, check

if TYPE_CHECKING:
    from tb_plugin.base.progress import OnProgress
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.so_far import OnSoFar

UNFORESEEN = "this reader did not foresee what is in the file"
"""In the reason of an error that is a fault of ours; the fuzzer looks for it."""

_NSIGHT_REPORTS = (".nsys-rep", ".qdrep")


def read(
    path: str | Path, on_progress: OnProgress = progress.silent, on_so_far: OnSoFar | None = None, n_helpers: int = 0
) -> Trace:
    """The Trace of a file, with all that `trace/check.py` promises. `on_progress` gets (0 to 1, what is being done).

    `on_so_far` gets what is known of a Chrome JSON while it is read; other formats are not large. `n_helpers`: processes that may
    be forked to read a large one; only for who has no threads.

    FormatError when the file is empty, foreign or too broken; NotFoundError when there is none.
    """
    path = Path(path)
    place = _Place(on_progress)
    try:
        trace = sound_texts(_read(path, place, on_so_far, n_helpers))
        check(trace)
    except InconsistentTraceError as error:
        raise FormatError(str(path), f"{UNFORESEEN}: {error}") from error
    except TbPluginError:
        raise
    except MemoryError as error:
        raise FormatError(str(path), f"reading it takes more memory than it may ({place})") from error
    except Exception as error:
        raise FormatError(str(path), f"{UNFORESEEN}: {type(error).__name__}: {str(error)[:200]} ({place})") from error
    return trace


class _Place:
    """Passes progress on and remembers it: where in the file something went wrong."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self._last = (0.0, "opening")

    def __call__(self, fraction: float, stage: str) -> None:
        self._last = (fraction, stage)
        self._on_progress(fraction, stage)

    def __str__(self) -> str:
        fraction, stage = self._last
        return f"{stage}, at {fraction:.0%}"


def _read(path: Path, on_progress: OnProgress, on_so_far: OnSoFar | None, n_helpers: int) -> Trace:
    try:
        content = Content(path)
    except FileNotFoundError as error:
        raise NotFoundError(f"{path}: no such file") from error
    except OSError as error:
        raise FormatError(str(path), f"cannot be read ({error.strerror})") from error
    # Kineto's keys may stand behind the first bytes, and its reader says best what is wrong with any JSON.
    if content.is_json:
        from tb_plugin.formats.kineto import kineto_json

        return kineto_json.read(path, on_progress, on_so_far, n_helpers)
    found = _format_of(content)
    if found is not None:
        return found.reader().read(path, on_progress)
    if path.suffix in _NSIGHT_REPORTS:
        raise FormatError(str(path), "a report of Nsight Systems; export it with: nsys export --type sqlite " + path.name)
    raise FormatError(str(path), _foreign(content))


def refuse_pipe(path: Path) -> None:
    """FormatError for what would make whoever opens it wait for a writer, or read for ever. Children have a limit for that."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise FormatError(str(path), "a pipe or a device, and no file: write it to a file first")


def sniff(path: str | Path) -> str | None:
    """Which format a file has, or None when it is not a profile. Reads 64 kB at most; never raises for a file's content."""
    path = Path(path)
    if not path.is_file():  # opening a pipe would wait for its writer
        return None
    try:
        found = _format_of(Content(path))
    except (OSError, FormatError):
        return None
    return None if found is None else found.id


def why_not(path: Path) -> str | None:
    """Why a file is no profile, and None where it may be one. Reads as little as `sniff`."""
    try:
        content = Content(path)
        return None if _format_of(content) is not None else _foreign(content)
    except FormatError as error:
        return error.reason


def _foreign(content: Content) -> str:
    return f"not a PyTorch profile: {content.seems(each.title for each in FORMATS)}"


def _format_of(content: Content) -> Format | None:
    return next((each for each in FORMATS if each.is_ours(content)), None)
