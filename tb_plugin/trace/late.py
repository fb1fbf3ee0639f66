"""Columns that nobody has asked for yet: packed in the file that they come from, unpacked by the first who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    Column = npt.NDArray[Any]

LATE: Final = "_late"


class Late:
    """Those of one table. `keep` says where an unpacked one lies from then on: in memory, unless there is a shelf."""

    def __init__(self, unpack: Mapping[str, Callable[[], Column]]) -> None:
        self._unpack = unpack
        self.keep: Callable[[Column], Column] = _in_memory

    def has(self, name: str) -> bool:
        """Whether a column of this name is one of them."""
        return name in self._unpack

    def column(self, name: str) -> Column:
        """Unpacked; read-only."""
        return self.keep(self._unpack[name]())


def _in_memory(column: Column) -> Column:
    return column
