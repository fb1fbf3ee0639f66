"""Whether a summary that somebody else wrote can be joined with others: every table whole, every place in a table there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.trace.collectives.kinds import KINDS
from tb_plugin.trace.rank import summary
from tb_plugin.trace.rank.device_waits import DEVICE_WAITS
from tb_plugin.trace.rank.host_stretches import HOST_STRETCHES
from tb_plugin.trace.rank.memory_peaks import MEMORY
from tb_plugin.trace.rank.order import COLLECTIVE, NEEDS, ORDER
from tb_plugin.trace.rank.packed import MOST_BYTES, Packed, matrix_of, unpack_ahead
from tb_plugin.trace.rank.pause_events import MOST_NAME
from tb_plugin.trace.rank.step_work import COPIES, IN_PAUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.rank.summary import RankSummary

_LARGEST: Final = 1 << 61
"""Of a time: two of them still add up in 64 bits."""

_STRETCHES: Final = "stretches of the host"
_MOST_RANKS: Final = 1 << 20

_Tables: TypeAlias = dict[str, tuple[Packed, tuple[str, ...]]]


def why_not_sound(found: Sequence[RankSummary]) -> list[str | None]:
    """Of each in a few words; None where it is. Tables of several are unpacked together."""
    tables = [_tables_of(one) for one in found]
    large = [sum(max(table.n_bytes, 0) for table, _ in each.values()) > MOST_BYTES for each in tables]
    unpack_ahead(table for each, is_large in zip(tables, large, strict=True) if not is_large for table, _ in each.values())
    too_much = f"its tables are said to hold more than {MOST_BYTES >> 20} MiB"
    return [too_much if is_large else _why_not(one, each) for one, each, is_large in zip(found, tables, large, strict=True)]


def _tables_of(found: RankSummary) -> _Tables:
    """By what they are called, with the columns that they should have."""
    return {
        "collectives": (found.collectives, summary.COLLECTIVES),
        "steps": (found.steps, summary.STEPS),
        "work": (found.work, summary.WORK),
        "computing": (found.computing, summary.COMPUTING),
        "shapes": (found.shapes, summary.SHAPES),
        "order": (found.order, ORDER),
        "needs": (found.needs, NEEDS),
        **({} if found.ranges is None else {"ranges": (found.ranges, summary.RANGES)}),
        **({} if found.device_waits is None else {"waits for the device": (found.device_waits, DEVICE_WAITS)}),
        **({} if found.host_waits is None else {"waits of the host": (found.host_waits, summary.HOST_WAITS)}),
        **({} if found.stretches is None else {_STRETCHES: (found.stretches, HOST_STRETCHES)}),
        **({} if found.memory is None else {"memory": (found.memory, MEMORY)}),
    }


def _why_not(found: RankSummary, tables: _Tables) -> str | None:
    columns: dict[str, dict[str, Int64Array]] = {}
    for name, (table, wanted) in tables.items():
        if tuple(table.columns) != wanted:
            return f"its {name} have other columns"
        rows = _rows(table)
        if rows is None:
            return f"its {name} are damaged"
        columns[name] = rows
    if found.work.n_rows != found.steps.n_rows:
        return "its steps and their work differ in number"
    if found.memory is not None and found.memory.n_rows != found.steps.n_rows:
        return "its steps and their memory differ in number"
    numbers = (found.base_ns, found.start_ns, found.end_ns, found.resolution_ns, found.n_events)
    if max(map(abs, numbers)) > _LARGEST or not 0 <= (found.rank or 0) < _MOST_RANKS or found.resolution_ns < 1:
        return "it says numbers that no rank has"
    events = [text for event in found.pause_events for text in event.where]
    texts = [*events, *found.range_names, *found.wait_names, *found.inputs.values()]
    if max(map(len, texts), default=0) > MOST_NAME:
        return "it holds names that are longer than they are kept"
    return _misplaced(found, columns)


def _misplaced(found: RankSummary, columns: dict[str, dict[str, Int64Array]]) -> str | None:
    """A place that its table does not have."""
    collectives, order, needs = columns["collectives"], columns["order"], columns["needs"]
    is_met = order["kind"] == COLLECTIVE
    n_rows = len(order["kind"])
    places = (
        ("group", collectives["group"], NONE, len(found.groups)),
        ("kind", collectives["kind"], 0, len(KINDS)),
        ("dtype", collectives["dtype"], NONE, len(found.dtypes)),
        *(("event", columns["work"][name], NONE, len(found.pause_events)) for name in (*IN_PAUSES, COPIES)),
        ("name of a kernel", columns["shapes"]["name"], 0, len(found.names)),
        *(
            (f"name of {called}", columns[table]["name"], 0, len(names))
            for table, called, names in (
                ("ranges", "a range", found.range_names),
                ("waits for the device", "a wait", found.wait_names),
            )
            if table in columns
        ),
        ("collective", order["what"][is_met], 0, found.collectives.n_rows),
        ("chunk", order["after"], NONE, n_rows),
        ("chunk of another stream", order["behind"], NONE, n_rows),
        ("row", needs["row"], 0, n_rows),
        *([("row of the host", columns[_STRETCHES]["row"], 0, n_rows)] if _STRETCHES in columns else []),
        ("collective of a row", needs["collective"], 0, n_rows),
    )
    return next((f"it names a {what} that is not there" for what, of, low, high in places if not _is_within(of, low, high)), None)


def _is_within(column: Int64Array, low: int, high: int) -> bool:
    return len(column) == 0 or bool(column.min() >= low and column.max() < high)


def _rows(table: Packed) -> dict[str, Int64Array] | None:
    try:
        rows = matrix_of(table)
    except UsageError:
        return None
    # What is no time is a place, checked below, or a hash, which may be anything.
    is_bound = [name != "shape" for name in table.columns]
    fine = _is_within((rows if all(is_bound) else rows[is_bound]).reshape(-1), -_LARGEST, _LARGEST)
    return dict(zip(table.columns, rows, strict=True)) if fine else None
