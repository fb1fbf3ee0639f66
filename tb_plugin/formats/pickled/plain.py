"""Plain values out of a pickle: dicts, lists, tuples, sets, text, bytes and numbers. Nothing in the file is ever run."""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any, Final, NoReturn

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.pickled import opcodes

if TYPE_CHECKING:
    from pathlib import Path

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


class _PlainUnpickler(pickle.Unpickler):
    """Refuses to look up anything that could be called."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise _NotPlainError(f"{module}.{name}"[:100])

    def persistent_load(self, pid: object) -> NoReturn:
        raise _NotPlainError("a reference to something outside the file")


class _NotPlainError(Exception):
    pass


def plain_values(path: Path, what: str) -> Any:
    """Of the file, which should be a `what` ("memory snapshot"). FormatError for one that is damaged or asks for code."""
    try:
        content = path.read_bytes()
        if len(content) <= opcodes.LARGEST_FILE:
            opcodes.check(content)
        return _PlainUnpickler(io.BytesIO(content)).load()
    except _NotPlainError as error:
        kind = what.rsplit(maxsplit=1)[-1]
        reason = f"not a {what}: it holds {error}, and a {kind} has plain values only; nothing of it was run"
        raise FormatError(str(path), reason) from None
    except OSError as error:
        raise FormatError(str(path), f"cannot be read ({error.strerror})") from error
    except _BROKEN as error:
        raise FormatError(str(path), f"a damaged or incomplete {what} ({error or type(error).__name__})") from error
