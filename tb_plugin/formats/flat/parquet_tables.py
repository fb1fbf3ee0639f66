"""The Trace's tables as Parquet: one file per table in a folder, or the events alone. Needs the extra `parquet`.

Columns are those of the CSV tables, typed: texts are dictionary-encoded, times int64 ns since `info.base_ns`, "not recorded"
is null. `info.parquet` and `issues.parquet` hold the rest; what `info.csv` says is in the metadata of every file too.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.formats import whole_file
from tb_plugin.formats.flat.csv_tables import LOST_BY_EVENTS, can_lack, heads, info_rows, is_text
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TABLES, Events

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.table import Table

EXTRA: Final = "parquet"


def check() -> tuple[Any, Any]:
    """(pyarrow, pyarrow.parquet); UsageError that says how to get them."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError(f"Parquet needs pyarrow: pip install 'torch-tb-plugin[{EXTRA}]' ({error})") from error
    return pyarrow, parquet


def write_events(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """The events alone; says what it cannot hold."""
    _save(trace, Events, Path(path))
    return (LOST_BY_EVENTS,)


def write_folder(trace: Trace, folder: str | Path) -> tuple[str, ...]:
    """A file per table. The folder appears complete; in one that is there, files of the same names are replaced."""
    arrow, _ = check()
    keys, texts = zip(*info_rows(trace), strict=True)
    issues = {name: [getattr(issue, name) for issue in trace.issues] for name in ("kind", "count", "text", "first")}
    with whole_file.written_folder(Path(folder)) as temporary:
        for table in TABLES:
            _save(trace, table, temporary / f"{table.name}.parquet")
        _write(arrow.table({"key": keys, "json": texts}), temporary / "info.parquet")
        _write(arrow.table(issues), temporary / "issues.parquet")
    return ()


def _save(trace: Trace, table: type[Table], path: Path) -> None:
    arrow, _ = check()
    strings = arrow.array([_clean(text) for text in trace.strings], arrow.string())
    found: dict[str, Any] = {}
    for name, values in trace.table(table).columns().items():
        schema = table.schema()[name]
        parts = [values] if schema[2] == 1 else list(values.T)
        for head, part in zip(heads(name, schema), parts, strict=True):
            found[head] = _column(arrow, strings, name, np.ascontiguousarray(part, schema[0]), schema)
    if table is Events:
        found = {"row": arrow.array(np.arange(len(trace.events), dtype=np.int32)), **found}
        texts = map(trace.args.reader(), trace.events.order.tolist())
        found["args"] = arrow.array([text or None for text in texts], arrow.string())
    _write(arrow.table(found).replace_schema_metadata(dict(info_rows(trace))), path)


def _column(arrow: Any, strings: Any, name: str, values: Any, schema: tuple[np.dtype[Any], float, int]) -> Any:
    dtype, missing, _ = schema
    if name == "kind":
        kinds = arrow.array([kind.name.lower() for kind in sorted(Kind)])
        return arrow.DictionaryArray.from_arrays(arrow.array(np.searchsorted(sorted(Kind), values).astype(np.int8)), kinds)
    if is_text(name, dtype):
        return arrow.DictionaryArray.from_arrays(arrow.array(values, mask=values == NONE), strings)
    if dtype.kind == "f":
        return arrow.array(values, mask=np.isnan(values))
    return arrow.array(values, mask=values == NONE if can_lack(name, missing) else None)


def _write(table: Any, path: Path) -> None:
    _, parquet = check()
    with whole_file.written(path) as file:
        parquet.write_table(table, file, compression="zstd")


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
