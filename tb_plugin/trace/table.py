"""What a table of a Trace is: columns of equal length, declared once with their types. `model.py` says which tables there are."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE
from tb_plugin.trace.compact import compact, is_missing, nothing
from tb_plugin.trace.late import LATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.trace.late import Late

T = TypeVar("T", bound="Table")


def column(
    dtype: npt.DTypeLike, missing: float = NONE, width: int = 1, least: npt.DTypeLike | None = None, *, seldom: bool = False
) -> Any:
    """A column of a table: its dtype, what stands for "not recorded", and how many numbers a row holds.

    `least`: the narrower type that it has in memory where its values allow it (`trace.compact`); files have `dtype`.
    `seldom`: opening a profile and looking at its timeline need it not, so the cache packs it (`trace.late`). Never a first one.
    """
    narrow = None if least is None else np.dtype(least)
    declared = {"dtype": np.dtype(dtype), "missing": missing, "width": width, "least": narrow, "seldom": seldom}
    return dataclasses.field(metadata=declared)


@dataclass(frozen=True, kw_only=True)
class Table:
    """Columns of equal length. Subclasses declare them with `column`; storage and checks read that declaration."""

    name: ClassVar[str]

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))  # asked very often: `dataclasses.fields` takes 20 us

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}

    if not TYPE_CHECKING:  # so that a name that no column has is still found by mypy

        def __getattr__(self, name: str) -> npt.NDArray[Any]:
            """A column that nobody has asked for yet. Of threads that ask at once all get the same."""
            late = vars(self).get(LATE)
            if late is None or not late.has(name):
                raise AttributeError(name)
            return vars(self).setdefault(name, late.column(name))

    @classmethod
    def opened(cls: type[T], columns: Mapping[str, npt.NDArray[Any]], late: Late) -> T:
        """A table as its columns were, without a look at them; what is not among `columns` is late."""
        table = cls.__new__(cls)
        vars(table).update(columns)
        vars(table)[LATE] = late
        return table

    @property
    def late(self) -> Late | None:
        """Columns that were packed when it was opened."""
        found: Late | None = vars(self).get(LATE)
        return found

    def columns_here(self) -> dict[str, npt.NDArray[Any]]:
        """Those that are unpacked."""
        return {name: column for name, column in vars(self).items() if name != LATE}

    @classmethod
    def seldom_asked(cls) -> frozenset[str]:
        """Names of columns that few views ask for."""
        return frozenset(f.name for f in dataclasses.fields(cls) if f.metadata["seldom"])

    @classmethod
    def schema(cls) -> dict[str, tuple[np.dtype[Any], float, int]]:
        """Column name to (dtype, value for "not recorded", numbers per row)."""
        return {f.name: (f.metadata["dtype"], f.metadata["missing"], f.metadata["width"]) for f in dataclasses.fields(cls)}

    @classmethod
    def from_columns(cls: type[T], columns: Mapping[str, npt.NDArray[Any]], n_rows: int | None = None) -> T:
        """A table of read-only columns; a column that is absent (an older file) is filled with "not recorded"."""
        if n_rows is None:
            n_rows = len(next(iter(columns.values()))) if columns else 0
        filled: dict[str, npt.NDArray[Any]] = {}
        least = {f.name: f.metadata["least"] for f in dataclasses.fields(cls)}
        for name, (dtype, missing, width) in cls.schema().items():
            shape = (n_rows,) if width == 1 else (n_rows, width)
            given = columns.get(name)
            if given is None or (n_rows and not any(given.strides) and is_missing(given[:1], missing)):
                filled[name] = nothing(shape, dtype, missing)
            else:
                filled[name] = compact(np.ascontiguousarray(given, dtype).reshape(shape), missing, least[name])
        return cls(**filled)
