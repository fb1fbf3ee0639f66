"""C++ names from their mangled form, by the C++ library of this machine, in a process of its own.

The names are a stranger's, and the library is C: should it hang or crash on one, the names stay as they are. Run as a
script, this file reads names from stdin, one JSON text a line, and writes the demangled ones.
"""

from __future__ import annotations

import json
import subprocess
import sys

_LONGEST = 1 << 14
_TIMEOUT_S = 20.0


def demangled(texts: dict[int, str]) -> tuple[dict[int, str], int]:
    """(texts with `_Z...` names made readable, how many could not be)."""
    mangled = sorted({text for text in texts.values() if text.startswith("_Z") and len(text) < _LONGEST})
    if not mangled:
        return texts, 0
    readable = dict(zip(mangled, _ask(mangled), strict=False))
    found = {number: readable.get(text) or text for number, text in texts.items()}
    return found, sum(not readable.get(text) for text in mangled)


def _ask(names: list[str]) -> list[str]:
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__],
            input="".join(json.dumps(name) + "\n" for name in names),
            capture_output=True,
            encoding="utf-8",
            timeout=_TIMEOUT_S,
            check=False,
        )
        return [str(json.loads(line)) for line in done.stdout.splitlines()]
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return []


def _main() -> None:
    import ctypes
    import ctypes.util

    library = next(filter(None, map(ctypes.util.find_library, ("stdc++", "c++abi", "c++"))), None)
    if library is None:
        return
    demangle = ctypes.CDLL(library).__cxa_demangle
    demangle.restype = ctypes.c_void_p
    demangle.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))
    for line in sys.stdin:
        status = ctypes.c_int()
        found = demangle(json.loads(line).encode("utf-8", "replace"), None, None, ctypes.byref(status))
        text = ctypes.string_at(found).decode("utf-8", "replace") if found and status.value == 0 else ""
        sys.stdout.write(json.dumps(text) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _main()
