"""One digest of a set of source files: tells whether what was generated from them is current."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def of_files(root: Path, files: Iterable[Path], *, salt: str = "") -> str:
    """SHA-256 over names (relative to root) and bytes, independent of order, times and the machine."""
    digest = hashlib.sha256(salt.encode())
    for file in sorted(files):
        # Line ends are made equal, or a Windows checkout would rebuild what an sdist carries.
        content = file.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"\0{file.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
