"""Collects what is odd while a file is read: a kind, how often, where first."""

from __future__ import annotations

from tb_plugin.base.units import format_bytes
from tb_plugin.trace.model import Issue


class IssueLog:
    """One entry per kind: the text of the first one stays."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str, str]] = {}
        self._n_bytes: dict[str, int] = {}

    def add(self, kind: str, text: str, offset: int, count: int = 1, *, first: str = "") -> None:
        """`offset` is the place of the first one in the plain (uncompressed) bytes; 0 is "no one place". Or what `first` says."""
        before, text_before, first = self._found.get(kind, (0, text, f"byte {offset:,}" if offset else first))
        self._found[kind] = (before + count, text_before, first)

    def lose(self, kind: str, text: str, offset: int, n_bytes: int) -> None:
        """A stretch of the file that cannot be read: `text` has `{}` for the bytes of all of its kind."""
        self.add(kind, text, offset)
        self._n_bytes[kind] = self._n_bytes.get(kind, 0) + n_bytes

    def join(self, other: IssueLog) -> None:
        """What `other` found comes after ours."""
        for kind, (count, text, first) in other._found.items():
            before, text, first = self._found.get(kind, (0, text, first))
            self._found[kind] = (before + count, text, first)
        for kind, n_bytes in other._n_bytes.items():
            self._n_bytes[kind] = self._n_bytes.get(kind, 0) + n_bytes

    def count(self, kind: str) -> int:
        return self._found.get(kind, (0, "", ""))[0]

    def first(self, kind: str) -> str:
        return self._found.get(kind, (0, "", ""))[2]

    def as_list(self) -> list[Issue]:
        lost = {kind: format_bytes(n_bytes) for kind, n_bytes in self._n_bytes.items()}
        return [
            Issue(kind=kind, count=count, text=text.format(lost[kind]) if kind in lost else text, first=first)
            for kind, (count, text, first) in self._found.items()
        ]
