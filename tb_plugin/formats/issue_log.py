"""Collects what is odd while a file is read: a kind, how often, where first."""

from __future__ import annotations

from tb_plugin.trace.model import Issue


class IssueLog:
    """One entry per kind: the text of the first one stays."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str, str]] = {}

    def add(self, kind: str, text: str, offset: int, count: int = 1) -> None:
        """`offset` is the place of the first one in the plain (uncompressed) bytes; 0 is "no one place"."""
        before, text_before, first = self._found.get(kind, (0, text, f"byte {offset}" if offset else ""))
        self._found[kind] = (before + count, text_before, first)

    def count(self, kind: str) -> int:
        return self._found.get(kind, (0, "", ""))[0]

    def first(self, kind: str) -> str:
        return self._found.get(kind, (0, "", ""))[2]

    def as_list(self) -> list[Issue]:
        return [Issue(kind=kind, count=count, text=text, first=first) for kind, (count, text, first) in self._found.items()]
