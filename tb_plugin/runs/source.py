"""A hash of our own code: what was computed by other code is not used again, whatever the version number says."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
READING = ("base", "compute", "trace", "formats")
"""The folders that decide what a file becomes."""


@functools.cache
def fingerprint_of(*folders: str) -> str:
    """Of the Python files in these folders of the package; of all of it when none is named. Takes about a millisecond."""
    digest = hashlib.sha256()
    for folder in folders or (".",):
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
