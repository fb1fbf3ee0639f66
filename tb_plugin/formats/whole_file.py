"""Files that appear at once, complete: written under a hidden name beside the target, then renamed."""

from __future__ import annotations

import contextlib
import io
import secrets
import shutil
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING

from tb_plugin.base import fast_gzip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def hidden_beside(path: Path) -> Path:
    """A name in the same folder that no scan of a log directory takes for a profile."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")


@contextlib.contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """Compressed when the name ends in .gz. When the block fails, nothing is left and an older file stays."""
    temporary = hidden_beside(path)
    with ExitStack() as on_failure:
        on_failure.callback(_remove, temporary)
        with temporary.open("xb") as file:
            if path.suffix == ".gz":
                with fast_gzip.packed(file) as packed:
                    yield packed
            else:
                yield file
        temporary.replace(path)
        on_failure.pop_all()


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):  # a mount that went away is already the reason why nothing was written
        path.unlink()


@contextlib.contextmanager
def written_text(path: Path) -> Iterator[IO[str]]:
    """The same for UTF-8 text, line ends as given; what Unicode cannot say (half a surrogate pair) becomes `?`."""
    with written(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        yield text
        text.flush()
        text.detach()  # the file is closed by its own block


@contextlib.contextmanager
def written_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, which appears complete; in one that is there already, files of the same names are replaced."""
    temporary = hidden_beside(folder)
    temporary.mkdir()
    try:
        yield temporary
        if folder.is_dir():
            for made in temporary.iterdir():
                made.replace(folder / made.name)
        else:
            temporary.replace(folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(temporary)
