"""The first screen for a terminal, and one of the tables as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tb_plugin.base.units import format_ns
from tb_plugin.question.figure import columns_of, value_of
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.views.ranks.basis.names import short_waits, slowdown_in_words
from tb_plugin.views.ranks.result import CollectiveRow, DimensionRow, HostRow, JobStepRow, LinkRow, PathRow, RankRow, StageRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    import msgspec

    from tb_plugin.question.figure import Column
    from tb_plugin.views.ranks.result import AbsentRank, By, RanksTable

_MOST: Final = 64
_FEW: Final = 10
_MOST_SPANS: Final = 4
_STRUCTS: Final[dict[By, type[msgspec.Struct]]] = {
    "rank": RankRow,
    "step": JobStepRow,
    "dimension": DimensionRow,
    "collective": CollectiveRow,
    "link": LinkRow,
    "host": HostRow,
    "node": HostRow,
    "stage": StageRow,
    "path": PathRow,
}
_WHY_NONE: Final[dict[By, str]] = {
    "stage": "none: no collective here is of a pipeline, or no rank has steps",
    "path": "not known; a sentence or a note here says why",
    "link": "none: of no collective both bytes and transfer are known",
    "collective": "none: of no collective two ranks are known; a sentence here says why",
}
_OF_DIMENSION: Final = (
    *("name", "n_instances", "exposed_wait_ns", "exposed_transfer_ns", "exposed_untold_ns", "hidden_transfer_share"),
    *("inside_bytes_per_s", "between_bytes_per_s"),
)
_SUMMED: Final = "summed over members and instances; where several are open at once, each counts"
_REASON: Final = "why_absent"
_NOT_SHOWN: Final = {"all_computation_ns", "all_communication_ns", "all_overlap_ns", "copy_ns", "caused_most_ns"}


def text(reply: RanksTable) -> str:
    """Sentences, then dimensions, then the table that was asked for, then what there is to doubt."""
    head = _head(reply)
    parts = [head, "\n".join(f"{place}  {sentence}" for place, sentence in enumerate(reply.sentences, 1))]
    if reply.dimensions and reply.by != "dimension":
        shown = [name for name in _OF_DIMENSION if not _is_nothing(DimensionRow, reply.dimensions, name)]
        waits = short_waits(shown, reply.clock_error_ns)
        by_dimension = text_table(DimensionRow, reply.dimensions, shown, left=("name",), values=waits)
        parts.append(f"a rank{' and step' if reply.n_steps else ', the whole recording'}\n{by_dimension}")
    rows = _rows(reply)
    absent = [_AbsentRow(row) for row in reply.absent] if reply.by == "rank" else []
    if rows or absent:
        struct = _STRUCTS[reply.by]
        names = [name for name in columns_of(struct) if name not in _NOT_SHOWN and not _is_nothing(struct, rows, name)]
        if absent:
            names = [*(names or ["rank"]), _REASON]
        more = f"\n... and {len(rows) - _MOST} more (--format csv has all)" if len(rows) > _MOST else ""
        left = [name for name, column in columns_of(struct).items() if column.figure.unit == "text"]
        values = {**short_waits(names, reply.clock_error_ns), _REASON: _reason}
        rows, order = _worst_first(reply) if reply.by == "rank" else (rows, "")
        cells = text_table(struct, [*rows[:_MOST], *absent], names, left=left, values=values)
        head = f"{_SUMMED}\n" if reply.by == "collective" else order
        parts.append(head + cells + more + _left_out(reply, struct, rows))
    elif reply.by in _WHY_NONE:
        parts.append(f"{reply.by}: {_WHY_NONE[reply.by]}")
    for what, said in (("note", [*_on_spans(reply.other_spans), *reply.notes]), ("doubt", reply.doubts)):
        parts += ["\n".join(f"{what}: {one}" for one in said)] if said else []
    return "\n\n".join(parts)


def _worst_first(reply: RanksTable) -> tuple[Sequence[RankRow], str]:
    """Of more ranks than one looks over, sorted as the page's table is; else in the order of their numbers."""
    key = "transfer_ns" if reply.slow_link is not None else "excess_ns"
    values = {row.rank: getattr(row, key) for row in reply.ranks}
    if len(values) <= _FEW or all(value is None for value in values.values()):
        return reply.ranks, ""
    worst = sorted(reply.ranks, key=lambda row: (values[row.rank] is None, -(values[row.rank] or 0), row.rank))
    why = ", since a link is slow" if reply.slow_link is not None else ""
    return worst, f"worst rank first, by {columns_of(RankRow)[key].figure.title.lower()}{why}; --format csv is by number\n"


def _on_spans(others: Sequence[str]) -> list[str]:
    """The page has a choice for it."""
    if not others:
        return []
    names = ", ".join(others[-_MOST_SPANS:]) + (f" and {len(others) - _MOST_SPANS} more" if len(others) > _MOST_SPANS else "")
    older = "an older recording" if len(others) == 1 else f"{len(others)} older recordings"
    return [f"There {'is' if len(others) == 1 else 'are'} {older} of these ranks; with --span: {names}."]


def _is_nothing(struct: type[msgspec.Struct], rows: Sequence[Any], name: str) -> bool:
    """Whether the column is of what is not told apart, and everything is; or no row has a value, as of a reason none has."""
    if name == _REASON:
        return True
    values = [value_of(row, columns_of(struct)[name]) for row in rows]
    return (name.endswith("untold_ns") and not any(values)) or all(value is None for value in values)


def _left_out(reply: RanksTable, struct: type[msgspec.Struct], rows: Sequence[Any]) -> str:
    """Of a job of which nothing is matched: the columns that would have told, and why they do not."""
    if reply.n_matched:
        return ""
    columns = columns_of(struct)
    gone = [
        name
        for name in columns
        if name not in (*_NOT_SHOWN, _REASON) and all(value_of(row, columns[name]) is None for row in rows)
    ]
    titles = ", ".join(columns[name].figure.title.lower() for name in gone)
    return f"\nNo column, since no collective could be matched: {titles}." if gone else ""


def table(reply: RanksTable) -> TextTable:
    struct = _STRUCTS[reply.by]
    columns = columns_of(struct)
    rows = [[_exact(row, name, column) for name, column in columns.items()] for row in _rows(reply)]
    if reply.by == "rank":
        each = sorted((number, row.reason) for row in reply.absent for number in row.ranks)
        rows += [[{"rank": number, _REASON: reason}.get(name) for name in columns] for number, reason in each]
        more = [f"{row.n_more} ranks more: {row.reason}" for row in reply.absent if row.n_more]
        rows += [[{_REASON: reason}.get(name) for name in columns] for reason in more]
    return TextTable(columns=list(columns), rows=rows)


def _exact(row: Any, name: str, column: Column) -> Any:
    return _reason(row) if name == _REASON else value_of(row, column)


def _reason(row: Any) -> str | None:
    return row.reason if isinstance(row, _AbsentRow) else None


class _AbsentRow:
    """A row whose every figure is not recorded."""

    def __init__(self, of: AbsentRank) -> None:
        self.rank = str(of.ranks[0]) if len(of.ranks) == 1 else f"{len(of.ranks) + of.n_more} ranks"
        self.reason = of.reason

    def __getattr__(self, name: str) -> None:
        return None


def _head(reply: RanksTable) -> str:
    size = f" of {reply.world_size}" if reply.world_size else ""
    parts = [f"run {reply.run}"] if reply.run is not None else []
    parts += [
        f"{reply.n_ranks}{size} rank{'s' if (reply.world_size or reply.n_ranks) != 1 else ''}",
        f"{len(reply.hosts)} host{'s' if len(reply.hosts) != 1 else ''}",
    ]
    inferred = {row.name for row in reply.dimensions if row.is_inferred}
    sizes = [f"{name} {size}{' (by its use)' if name in inferred else ''}" for name, size in reply.layout.items()]
    parts += [" x ".join(sizes)] if sizes else []
    parts.append(f"{reply.n_steps} step{'s' if reply.n_steps != 1 else ''}")
    parts.append(f"{reply.n_matched} collectives matched")
    n_cut_off = sum(row.is_cut_off for row in reply.ranks)
    if n_cut_off:
        parts.append(f"{n_cut_off} cut off")
    if reply.slowdown is not None:
        parts.append(slowdown_in_words(reply.slowdown, reply.ideal_steps, is_least=reply.is_slowdown_least))
    if reply.clock_error_ns is not None:
        apart = [row.host for row in reply.hosts if row.error_ns is None]
        which = "" if not apart else f", {apart[0] if len(apart) == 1 else f'{len(apart)} hosts'} not tied"
        parts.append(f"clocks +-{format_ns(reply.clock_error_ns)}{which}")
    elif reply.sigma_ns is not None:
        parts.append("clocks not tied")
    return " · ".join(parts)


def _rows(reply: RanksTable) -> Sequence[Any]:
    tables: dict[By, Sequence[Any]] = {
        "rank": reply.ranks,
        "step": reply.steps,
        "dimension": reply.dimensions,
        "collective": reply.collectives,
        "link": reply.links,
        "host": reply.hosts,
        "node": reply.hosts,
        "stage": reply.stages,
        "path": reply.path,
    }
    return tables[reply.by]
