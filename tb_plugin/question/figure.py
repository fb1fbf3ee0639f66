"""What a figure is, declared once, on the field of the row that holds it; page, terminal and docs read that.

    class Row(msgspec.Struct):
        name: Annotated[str, Figure("Operator", "text")]
        host_self_ns: Annotated[int | None, Figure("Host self", "ns", sums=True, absent="–")]
        device: Annotated[Times, FigurePart("Device")]       its figures are columns too: `device_self_ns`, "Device self"
        example: Annotated[int, NO_COLUMN]
        DERIVED: ClassVar = {"host_self_share": Figure("Of host", "share")}

    figures_of(Row)    name, host_self_ns, device_self_ns, host_self_share

The text behind "?" is in the view's `definitions.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args, get_type_hints

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Unit = Literal[
    "text", "count", "number", "dims", "ns", "time", "bytes", "bytes_per_s", "flops", "flops_per_s", "share", "percent"
]  # `dims`: sizes by axis; `time`: Unix time in ns; `share`: 0 to 1; `percent`: 0 to 100; `number`: any other

NO_COLUMN: Final = "no column"
"""Marks a field that no table shows: what a row is asked for with, or parts of figures."""


@dataclass(frozen=True)
class Figure:
    """`sums`: the sum over rows means something. `absent`: the word for None; a dash where there is nothing to record."""

    title: str
    unit: Unit
    sums: bool = field(default=False, kw_only=True)
    absent: str = field(default="not recorded", kw_only=True)


@dataclass(frozen=True)
class FigurePart:
    """A Struct within a row. Its figures are the row's, with these before their titles and their names."""

    title: str
    prefix: str


class Column(NamedTuple):
    """`path` leads to the value, field by field; empty: it is made of several values of the row."""

    figure: Figure
    path: tuple[str, ...]


def figures_of(struct: type[msgspec.Struct]) -> dict[str, Figure]:
    """The figures of a row by the names of their columns, in the order of its fields."""
    return {name: column.figure for name, column in columns_of(struct).items()}


@cache
def columns_of(struct: type[msgspec.Struct]) -> Mapping[str, Column]:
    """As `figures_of`, with the way to each value."""
    derived: dict[str, Figure] = getattr(struct, "DERIVED", {})
    return dict(_of_fields(struct)) | {name: Column(figure, ()) for name, figure in derived.items()}


def value_of(row: msgspec.Struct, column: Column) -> Any:
    """What the row has there; None within a part that it does not have."""
    value: Any = row
    for name in column.path:
        value = None if value is None else getattr(value, name)
    return value


def _of_fields(struct: type[msgspec.Struct]) -> Iterator[tuple[str, Column]]:
    for name, hint in get_type_hints(struct, include_extras=True).items():
        for mark in getattr(hint, "__metadata__", ()):
            if isinstance(mark, Figure):
                yield name, Column(mark, (name,))
            elif isinstance(mark, FigurePart):
                for inner, (figure, path) in columns_of(_struct_in(hint)).items():
                    titled = replace(figure, title=f"{mark.title} {figure.title}".strip())
                    yield mark.prefix + inner, Column(titled, (name, *path) if path else ())


def _struct_in(hint: Any) -> type[msgspec.Struct]:
    """The Struct of `Annotated[Struct | None, FigurePart(..)]`."""
    kind = get_args(hint)[0]
    (found,) = (each for each in (kind, *get_args(kind)) if isinstance(each, type) and issubclass(each, msgspec.Struct))
    return found
