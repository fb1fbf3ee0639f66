"""What is read from a live profile: columns that grow by rows, and lie one after the other in a scratch file.

Columns hold whole numbers; texts are numbers of `texts`. Times are ns since 1970, threads are torch's own small numbers.

    events       an operator or annotation, in no order
                 start_ns    end_ns      start_thread  end_thread  name  scope  is_async
                 1790...351  1790...821             1           1     0      7         0
    operators    what only the tree says of an operator; `correlation` is its External id in the JSON, `parent_start_ns` is NONE
                 but where the parent is an event of another thread
    allocations  `[memory]` events; these three find them again: start_ns, address, bytes
    frames       Python frames, as `tb_plugin.trace.model.Frames`
    tensors      as `Tensors`; `owner` is an operator's correlation, or the place of a frame in `frames`
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import BinaryIO

NONE: Final = -1

TABLES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "events": (
        ("start_ns", "q"),
        ("end_ns", "q"),
        ("start_thread", "q"),
        ("end_thread", "q"),
        ("name", "i"),
        ("scope", "h"),
        ("is_async", "b"),
    ),
    "operators": (("correlation", "q"), ("parent_start_ns", "q"), ("allow_tf32", "b")),
    "allocations": (("start_ns", "q"), ("address", "q"), ("bytes", "q"), ("tensor_id", "q"), ("allocation_id", "q")),
    "frames": (
        ("start_ns", "q"),
        ("class_pointer", "q"),
        ("self_pointer", "q"),
        ("name", "i"),
        ("caller_file_id", "i"),
        ("caller_line", "i"),
        ("caller_function_id", "i"),
        ("file_id", "i"),
        ("line", "i"),
        ("function_id", "i"),
        ("class_id", "i"),
        ("is_c", "b"),
        ("is_optimizer", "b"),
    ),
    "tensors": (
        ("owner", "q"),
        ("tensor_id", "q"),
        ("allocation_id", "q"),
        ("impl", "q"),
        ("storage", "q"),
        ("place", "i"),
        ("item", "i"),
        ("name_id", "i"),
        ("dtype_id", "i"),
        ("layout_id", "i"),
        ("sizes_id", "i"),
        ("strides_id", "i"),
        ("device_type", "h"),
        ("device_index", "h"),
        ("part", "b"),
    ),
}
"""Column and `array` type code, in the order in which they lie in a scratch file."""


def _empty() -> dict[str, dict[str, array[int]]]:
    return {table: {name: array(code) for name, code in columns} for table, columns in TABLES.items()}


@dataclass
class LiveColumns:
    """All tables of a profile. See this module's head."""

    tables: dict[str, dict[str, array[int]]] = field(default_factory=_empty)
    texts: list[str] = field(default_factory=list)
    harmed: list[tuple[int, str]] = field(default_factory=list)
    """(start_ns, name) of events of any kind whose names torch's JSON writer cannot write."""
    schemas: dict[str, list[str]] = field(default_factory=dict)
    """`schemas.read` of the operators' names; empty where tensors have no ids."""
    _ids: dict[str, int] = field(default_factory=dict)

    def add(self, table: str, rows: Iterable[Sequence[int]]) -> None:
        """Appends rows, whose values are in the order of `TABLES`."""
        columns = self.tables[table]
        for (name, _), values in zip(TABLES[table], zip(*rows, strict=True), strict=False):
            columns[name].extend(values)

    def text_id(self, text: str) -> int:
        found = self._ids.get(text)
        if found is None:
            found = self._ids[text] = len(self.texts)
            self.texts.append(text)
        return found

    def n_rows(self) -> dict[str, int]:
        """Tables that have rows, with their number."""
        return {table: n for table, columns in self.tables.items() if (n := len(next(iter(columns.values()))))}

    def save(self, file: BinaryIO) -> None:
        """Writes the columns of all tables that have rows."""
        for table in self.n_rows():
            for column in self.tables[table].values():
                column.tofile(file)

    def forget(self, tables: Iterable[str]) -> None:
        """Empties tables that could be read in part only."""
        for table in tables:
            self.tables[table] = _empty()[table]
