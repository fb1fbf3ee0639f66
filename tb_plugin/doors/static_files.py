"""The built page, file by file. Names are checked, and a file must lie in the folder: nothing else can be read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tb_plugin.base.errors import NotFoundError

FOLDER: Final = Path(__file__).parents[1] / "static"

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*\Z")
_HASHED = re.compile(r"assets/.+-[A-Za-z0-9_-]{8}\.\w+\Z")

# A checkout whose page was never built must not show an empty tab.
_NOT_BUILT = b"""export function render() {
  document.body.textContent = 'The page is not built. Run "make front" in the checkout, or install the package with pip.'
}
"""


@dataclass(frozen=True, kw_only=True)
class StaticFile:
    """A file, ready to be sent."""

    content: bytes
    content_type: str
    immutable: bool
    """Its name holds a hash of its content: browsers need never ask again."""


def find(name: str, folder: Path) -> StaticFile:
    """A file of the page, or NotFoundError."""
    content_type = _TYPES.get(Path(name).suffix)
    if content_type is None or not _NAME.match(name):
        raise NotFoundError("there is no such file in the page")
    path = folder / name
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
        content = path.read_bytes() if inside else None
    except OSError:
        content = None
    if content is None and name == "index.js":
        content = _NOT_BUILT
    if content is None:
        raise NotFoundError("there is no such file in the page")
    return StaticFile(content=content, content_type=content_type, immutable=_HASHED.match(name) is not None)
