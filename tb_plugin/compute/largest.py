"""The largest rows of a long list, and all others as one row, so that what is shown adds up to the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

MOST_ROWS: Final = 40
"""What a reader looks through; a longer list is a table of its own."""


def largest(rows: Iterable[T], by: Callable[[T], Any], rest: Callable[[list[T]], T]) -> list[T]:
    """Rows in the order of `by`, those beyond MOST_ROWS replaced by what `rest` makes of them.

    A rest of one is shown itself: it takes the same room, and says what it is.
    """
    ordered = sorted(rows, key=by)
    if len(ordered) <= MOST_ROWS + 1:
        return ordered
    return [*ordered[:MOST_ROWS], rest(ordered[MOST_ROWS:])]
