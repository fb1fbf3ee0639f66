"""The contract every view keeps: one question about one profile, answered by a pure function.

A view is a folder under `views/` with the same name in Python, TypeScript and tests. It exports one `VIEW`; doors find
it in `views.ALL` and never know more about it than this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.trace.model import Trace

P = TypeVar("P", bound=msgspec.Struct)
R = TypeVar("R", bound=msgspec.Struct)

Cell = str | int | float | None


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """A result as rows in base units, for CSV. `columns` name the unit (`host_self_ns`)."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, kw_only=True)
class View(Generic[P, R]):
    """`missing` says in one sentence why a trace has no answer and how to record it, or None when it has one."""

    id: str
    title: str
    question: str
    params: type[P]
    result: type[R]
    compute: Callable[[Trace, P], R]
    missing: Callable[[Trace], str | None]
    text: Callable[[R], str]
    table: Callable[[R], TextTable]

    def params_from(self, query: dict[str, Any]) -> P:
        """Params from strings (a URL's query, a command line); msgspec.ValidationError says what does not fit."""
        return msgspec.convert(query, self.params, strict=False)
