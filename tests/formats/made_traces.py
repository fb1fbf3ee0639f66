"""Traces made of random columns: every dtype's whole range, sorted, constant and absent columns, and valid references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.trace.args import ArgsStore, ArgsWriter
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TABLES, Device, Issue, Schedule, Trace, TraceInfo

if TYPE_CHECKING:
    from tb_plugin.trace.table import Table

_TARGETS = {
    "track": "tracks", "parent": "events", "nest_parent": "events", "launch": "events", "owner": "events",
    "step": "steps", "row": "events", "parent_elsewhere": "events",
}  # fmt: skip

STRINGS = ("", "aten::mm", "aten::mm", "größer \u2028 \x00 \"'\\", "half \ud800 pair", '[[1,2],["日本"]]', "x" * 3000)
INFO = TraceInfo(
    source="worker.1.pt.trace.json", format="chrome-json", base_ns=1_700_000_000_000_000_000, resolution_ns=1000,
    start_ns=-5, end_ns=10**12, rank=0, world_size=8, backend="nccl", host="hörst", worker="", torch_version="2.13.0",
    trace_id="A1", schedule=Schedule(cycle=0, step_num=None), record_shapes=True, profile_memory=False, with_flops=None,
    activities=("CPU", "CUDA"),
    devices=(Device(index=0, name="H100", memory_bytes=80 << 30, properties={"id": 0, "warpSize": 32}),),
    metadata={"schemaVersion": 1, "deep": {"list": [1, 2.5, None, "\ud800"]}},
)  # fmt: skip
ISSUES = (Issue(kind="repaired", count=3, text="Three quotes were repaired.", first="byte 12"),)


def random_trace(seed: int, n_rows: int = 20, **changes: object) -> Trace:
    """A Trace whose tables have up to `n_rows` rows each."""
    random = np.random.default_rng(seed)
    sizes = {table.name: int(random.integers(0, n_rows + 1)) for table in TABLES}
    if sizes["events"] == 0:
        sizes |= dict.fromkeys(("work", "memory", "live", "steps", "tensors", "frames"), 0)  # their rows are rows of events
    parts: dict[str, Any] = {table.name: _table(table, sizes, random) for table in TABLES}
    parts |= {"strings": STRINGS, "info": INFO, "issues": ISSUES, "args": args_of(sizes["events"])} | changes
    return Trace(**parts)


def args_of(n_events: int, per_block: int = 7) -> ArgsStore:
    """Arguments of `n_events` events, in several blocks: event k has {"k": k}, every third has none."""
    writer = ArgsWriter()
    for start in range(0, n_events, per_block):
        values = [None if k % 3 == 2 else {"k": k} for k in range(start, min(start + per_block, n_events))]
        writer.add(msgspec.json.encode(values), len(values))
    return writer.finish()


def _table(table: type[Table], sizes: dict[str, int], random: np.random.Generator) -> Table:
    n_rows = sizes[table.name]
    columns: dict[str, npt.NDArray[Any]] = {}
    for name, (dtype, _, width) in table.schema().items():
        shape = (n_rows,) if width == 1 else (n_rows, width)
        if name in _TARGETS:
            low = 0 if name == "row" else -1
            high = max(sizes[_TARGETS[name]], low + 1)
            columns[name] = random.integers(low, high, shape).astype(dtype)
        elif name.endswith("_id") and dtype == np.int32:
            columns[name] = random.integers(-1, len(STRINGS), shape).astype(dtype)
        elif name == "kind":
            columns[name] = random.integers(0, max(Kind) + 1, shape).astype(dtype)
        elif (values := _values(dtype, shape, random)) is not None:
            columns[name] = values
    return table.from_columns(columns, n_rows)


def _values(dtype: np.dtype[Any], shape: tuple[int, ...], random: np.random.Generator) -> npt.NDArray[Any] | None:
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "f":
        return np.where(random.random(shape) < 0.2, np.nan, random.normal(size=shape)).astype(dtype)
    whole = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)
    small = random.integers(-1, 100, shape).astype(dtype)
    ways: list[npt.NDArray[Any] | None] = [
        whole,
        small,
        np.sort(whole, axis=0),
        np.sort(small, axis=0),
        np.sort(small, axis=0) * np.array(1000).astype(dtype),
        None,
    ]
    return ways[int(random.integers(len(ways)))]
