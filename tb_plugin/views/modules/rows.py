"""From sums to the rows of the view: modules in the order of the tree, then what is in none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.modules.scopes import FRAME_PREFIX, LABEL_PREFIX
from tb_plugin.views.modules.result import MemoryBytes, ModuleRow, PhaseTimes
from tb_plugin.views.modules.sums import BACKWARD, COLUMNS, FORWARD, is_call

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.modules.paths import ModuleWalk
    from tb_plugin.views.modules.shape import Place, Shape
    from tb_plugin.views.modules.sums import Sums

OUTSIDE = "not in a module"
NOT_ATTRIBUTED = "not attributed"

_Values: TypeAlias = list[list[int]]
"""By phase and column, as in `Sums`. Plain numbers: a row reads eighty of them."""

_COLUMN = {name: place for place, name in enumerate(COLUMNS)}


class _Calls(NamedTuple):
    """By place: rows of the first and of the longest call that counts, or NONE."""

    first: Int64Array
    longest: Int64Array
    is_recorded: BoolArray


def modules(trace: Trace, walk: ModuleWalk, shape: Shape, sums: Sums, kept: BoolArray) -> list[ModuleRow]:
    """Rows of modules; with a selection only those that have anything of it, and what is around them."""
    n_places = len(shape.places)
    own, total = shape.own(sums.values[:-1]), shape.total(sums.values[:-1])
    own_values, total_values = own.tolist(), total.tolist()
    calls = _calls(trace, walk, shape, kept)
    is_all = bool(kept.all())
    is_shown: BoolArray = np.any(total != 0, axis=(1, 2)) | np.full(n_places, is_all)
    rows: list[ModuleRow] = []
    row_of_place: dict[int, int] = {}
    for number in shape.in_order(_weight(own)):
        if not is_shown[number]:
            continue
        place = shape.places[number]
        above = rows[row_of_place[place.parent]] if place.parent != NONE else None
        row_of_place[number] = len(rows)
        # Around what is selected the calls themselves are not: how many there are is another question.
        has_calls = calls.is_recorded[number] and (is_all or calls.longest[number] != NONE)
        first, longest = (_times_of(trace, int(column[number])) for column in (calls.first, calls.longest))
        mine, all_inside = own_values[number], total_values[number]
        rows.append(
            ModuleRow(
                id=len(rows),
                parent=None if above is None else above.id,
                depth=0 if above is None else above.depth + 1,
                kind="module",
                name=place.name,
                class_name=place.class_name,
                qualified=place.qualified,
                path=place.path,
                instances=place.instances,
                calls=mine[FORWARD][_COLUMN["calls"]] if has_calls else None,
                recomputed=mine[BACKWARD][_COLUMN["calls"]] if has_calls else None,
                operators_self=_both(mine, "operators"),
                operators_total=_both(all_inside, "operators"),
                kernels_self=_both(mine, "kernels"),
                kernels_total=_both(all_inside, "kernels"),
                host=_phases(mine, all_inside, "host_ns"),
                device=_phases(mine, all_inside, "device_ns"),
                host_memory=_memory(mine, all_inside, "host") if sums.has_host_memory else None,
                device_memory=_memory(mine, all_inside, "device") if sums.has_device_memory else None,
                first_start_ns=first[0],
                first_end_ns=first[1],
                longest_start_ns=longest[0],
                longest_end_ns=longest[1],
                calls_pattern=_pattern(trace, int(calls.first[number]), place) if has_calls else "",
            )
        )
    return rows


def _pattern(trace: Trace, first_call: int, place: Place) -> str:
    """A regular expression for the names of the calls in the timeline."""
    name = trace.text(int(trace.events.name_id[first_call]))
    if place.qualified or place.name != place.class_name:
        return f"^{_literal(name)}$"
    if name.startswith(FRAME_PREFIX):
        return rf"^{_literal(FRAME_PREFIX + place.class_name)}_\d+$"
    return rf"^{_literal(LABEL_PREFIX)}(.*\.)?{_literal(place.class_name)}: "


def _literal(text: str) -> str:
    """Escaped, but for spaces: people read it in the search box."""
    return re.escape(text).replace("\\ ", " ")


def outside(row: int, sums: Sums) -> ModuleRow:
    own = sums.values[-1].tolist()
    return _no_module(
        row,
        OUTSIDE,
        kernels=_both(own, "kernels"),
        operators=_both(own, "operators"),
        host=_without_forward(own, "host_ns"),
        device=_without_forward(own, "device_ns"),
        host_memory=_memory(own, own, "host") if sums.has_host_memory else None,
        device_memory=_memory(own, own, "device") if sums.has_device_memory else None,
    )


def not_attributed(row: int, sums: Sums) -> ModuleRow:
    times = _no_phase(None, sums.not_attributed_ns)
    return _no_module(row, NOT_ATTRIBUTED, kernels=sums.not_attributed_kernels, operators=0, host=None, device=times)


def _calls(trace: Trace, walk: ModuleWalk, shape: Shape, kept: BoolArray) -> _Calls:
    events, n_places = trace.events, len(shape.places)
    first = np.full(n_places, NONE, np.int64)
    first_row = np.array(walk.tree.first_row, np.int64)
    for path, place in shape.pairs(np.arange(len(first_row))):
        first[place[::-1]] = first_row[path[::-1]]  # in reverse, so that the first path of a place is written last
    scopes = np.flatnonzero(is_call(walk) & (walk.node != NONE))
    called = list(shape.pairs(walk.node[scopes].astype(np.int64)))
    row = np.concatenate([walk.scopes.row[scopes[which]] for which, _ in called])
    place = np.concatenate([found for _, found in called])
    is_recorded = np.zeros(n_places, np.bool_)
    is_recorded[place] = True
    counts = kept[row]
    row, place = row[counts], place[counts]
    longest = np.full(n_places, NONE, np.int64)
    by_length = np.argsort(events.duration_ns(row), kind="stable")
    longest[place[by_length]] = row[by_length]
    by_start = np.argsort(-events.start_ns[row], kind="stable")
    first[place[by_start]] = row[by_start]
    return _Calls(first, longest, is_recorded)


def _weight(own: Int64Array) -> list[int]:
    """What classes are ordered by: own time on the device; without one, on the host."""
    device, host = (own[:, :, _COLUMN[column]].sum(axis=1) for column in ("device_ns", "host_ns"))
    found: list[int] = (device if device.any() else host).tolist()
    return found


def _times_of(trace: Trace, row: int) -> tuple[int | None, int | None]:
    return (None, None) if row == NONE else (int(trace.events.start_ns[row]), int(trace.events.end_ns[row]))


def _both(values: _Values, column: str) -> int:
    """Of both phases."""
    place = _COLUMN[column]
    return values[FORWARD][place] + values[BACKWARD][place]


def _phases(own: _Values, total: _Values, column: str) -> PhaseTimes:
    place = _COLUMN[column]
    return PhaseTimes(
        forward_self_ns=own[FORWARD][place],
        forward_total_ns=total[FORWARD][place],
        backward_self_ns=own[BACKWARD][place],
        backward_total_ns=total[BACKWARD][place],
        self_ns=_both(own, column),
        total_ns=_both(total, column),
    )


def _memory(own: _Values, total: _Values, side: str) -> MemoryBytes:
    return MemoryBytes(
        allocated_self_bytes=_both(own, f"{side}_allocated"),
        allocated_total_bytes=_both(total, f"{side}_allocated"),
        net_self_bytes=_both(own, f"{side}_net"),
        net_total_bytes=_both(total, f"{side}_net"),
    )


def _without_forward(own: _Values, column: str) -> PhaseTimes:
    return _no_phase(own[BACKWARD][_COLUMN[column]], _both(own, column))


def _no_phase(backward_ns: int | None, all_ns: int) -> PhaseTimes:
    return PhaseTimes(
        forward_self_ns=None,
        forward_total_ns=None,
        backward_self_ns=backward_ns,
        backward_total_ns=backward_ns,
        self_ns=all_ns,
        total_ns=all_ns,
    )


def _no_module(
    row: int,
    name: str,
    *,
    kernels: int,
    operators: int,
    host: PhaseTimes | None,
    device: PhaseTimes,
    host_memory: MemoryBytes | None = None,
    device_memory: MemoryBytes | None = None,
) -> ModuleRow:
    return ModuleRow(
        id=row,
        parent=None,
        depth=0,
        kind="outside" if name == OUTSIDE else "not_attributed",
        name=name,
        class_name="",
        qualified="",
        path=name,
        instances=0,
        calls=None,
        recomputed=None,
        operators_self=operators,
        operators_total=operators,
        kernels_self=kernels,
        kernels_total=kernels,
        host=host,
        device=device,
        host_memory=host_memory,
        device_memory=device_memory,
        first_start_ns=None,
        first_end_ns=None,
        longest_start_ns=None,
        longest_end_ns=None,
        calls_pattern="",
    )
