"""Profiles and answers of the shell under limits: a stranger's file must not take this machine."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.base import child_process
from tb_plugin.base.errors import FormatError
from tb_plugin.base.readable import readable
from tb_plugin.base.units import format_bytes
from tb_plugin.formats import reader
from tb_plugin.runs import store
from tb_plugin.runs.catalogue import ProfileFile
from tb_plugin.trace.scope.recording import about_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.trace.model import Trace

_LIFTED: Final = "; --no-limits lets it go on"


class Reading:
    """Reads under limits what no server has read before. `path`, `notes`: of what was read last."""

    def __init__(self, no_limits: bool) -> None:
        self._no_limits = no_limits
        self.path = Path()
        self.notes: tuple[str, ...] = ()

    def read(self, path: Path, on_progress: OnProgress) -> Trace:
        self.path = path
        reader.refuse_pipe(path)
        try:
            most = child_process.most_for_reading(path)
            status = path.stat()
        except OSError:
            return reader.read(path, on_progress)  # which says what is wrong
        trace = store.already_read(ProfileFile.of(str(path), status))
        if trace is None:
            with limits(None if self._no_limits else most):
                trace = reader.read(path, on_progress)
        how = "" if path.stat().st_size == status.st_size else " is still being written"
        self.notes = tuple(f"{readable(path.name)}{how}: {sentence}" for sentence in about_all(trace))
        return trace


@contextmanager
def limits(most: child_process.Most | None) -> Iterator[None]:
    """One line where something takes more than `most`, that says how to go on; None: no limits but the system's."""
    try:
        with nullcontext() if most is None else child_process.limited(most):
            yield
    except MemoryError as error:
        if most is None:
            raise child_process.TooMuchError("this takes more memory than there is") from error
        told = f"{most.what} takes more than {format_bytes(most.n_bytes)} of memory, too much for its size{_LIFTED}"
        raise child_process.TooMuchError(told) from error
    except child_process.TooMuchError as error:
        raise child_process.TooMuchError(f"{error}{_LIFTED}") from error
    except FormatError as error:
        if most is None or not isinstance(error.__cause__, MemoryError):
            raise
        raise FormatError(error.path, f"{error.reason}{_LIFTED}") from error
