"""The allocations as a list that is sorted, filtered and cut here: a page never holds more than it shows."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.memory_categories import CATEGORIES
from tb_plugin.trace.memory_devices import id_of
from tb_plugin.trace.memory_peaks import window_of
from tb_plugin.trace.selection import Selection, is_all, name_matcher
from tb_plugin.views.memory.allocations_result import AllocationsParams, MemoryAllocation, MemoryAllocations
from tb_plugin.views.memory.block_list import STATES, BlockList, is_alive
from tb_plugin.views.memory.index import MemoryIndex, index_of
from tb_plugin.views.memory.result import MemoryCount
from tb_plugin.views.memory.where import chosen_device, devices_in, instant, kept_by_filters, range_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tb_plugin.trace.model import Trace

MOST_ROWS: Final = 200_000
"""In one answer, exports included."""

_ORDERS_KEPT: Final = 4  # somebody scrolls through one, and goes back to another
_LAST: Final = np.iinfo(np.int64).max
_SEARCHED: Final = ("name", "via", "module", "call_site", "category")
_HELD: Final = (STATES.index("held"), STATES.index("held_before"))
_BEFORE: Final = (STATES.index("earlier"), STATES.index("held_before"))


class _Found(NamedTuple):
    """Entries of the block list in the order asked for, and what they and those without a search add up to."""

    order: Int64Array
    matching: MemoryCount
    total: MemoryCount


def allocations(trace: Trace, params: AllocationsParams) -> MemoryAllocations:
    """A window of the list. UsageError for a search that is no regular expression."""
    index = index_of(trace)
    found = _found(trace, index, params)
    first = max(params.offset, 0)
    chosen = found.order[first : first + min(max(params.limit, 0), MOST_ROWS)]
    return MemoryAllocations(
        offset=first,
        matching=found.matching,
        total=found.total,
        rows=_rows(trace, index, chosen),
        has_addresses=all(device.series.has_addresses for device in index.devices),
    )


def allocations_csv(trace: Trace, params: AllocationsParams) -> bytes:
    """The same rows as CSV with a header, in base units; empty where a value is not recorded."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(MemoryAllocation.__struct_fields__)
    writer.writerows(map(msgspec.structs.astuple, allocations(trace, params).rows))
    return out.getvalue().encode(errors="replace")


def _found(trace: Trace, index: MemoryIndex, params: AllocationsParams) -> _Found:
    """Kept for the windows that follow: scrolling changes `offset` only."""
    key = msgspec.structs.replace(params, offset=0, limit=0)
    kept = index.orders.pop(key, None) or _search(trace, index, params)
    index.orders[key] = kept
    while len(index.orders) > _ORDERS_KEPT:
        index.orders.popitem(last=False)
    assert isinstance(kept, _Found)
    return kept


def _search(trace: Trace, index: MemoryIndex, params: AllocationsParams) -> _Found:
    blocks = index.block_list
    inside = _inside(trace, index, params)
    if params.only != "all":
        inside &= np.isin(blocks.state, _HELD if params.only == "held" else _BEFORE)
    total = _count(blocks, inside)
    if params.min_bytes > 0:
        inside &= blocks.bytes >= params.min_bytes
    if params.q:
        hit = np.zeros(len(blocks), np.bool_)
        for name in _SEARCHED:
            hit |= _matching(getattr(blocks, name), _texts(trace, index, name), params.q)
        inside &= hit
    chosen = np.flatnonzero(inside)
    return _Found(chosen[_order(trace, index, params, chosen)], _count(blocks, inside), total)


def _inside(trace: Trace, index: MemoryIndex, params: AllocationsParams) -> BoolArray:
    """What is alive at the instant, or was allocated in the range; on the device, and kept by the filters."""
    blocks = index.block_list
    t0_ns, t1_ns = range_of(trace, params, window_of(trace, [device.series for device in index.devices]))
    if params.alive or params.device is not None:
        chosen, _notes = chosen_device(index, devices_in(trace, index, t0_ns, t1_ns), params.device)
        if chosen is None:
            return np.zeros(len(blocks), np.bool_)
        place = index.devices.index(chosen)
        if params.alive:
            alive: BoolArray = is_alive(blocks, place, chosen, instant(chosen.series, params.at_ns, t0_ns, t1_ns))
            return alive
        inside: BoolArray = blocks.device == place
    else:
        inside = np.ones(len(blocks), np.bool_)
    inside &= (blocks.time_ns >= t0_ns) & (blocks.time_ns < t1_ns)
    if not is_all(Selection(**{name: getattr(params, name) for name in Selection.__struct_fields__})):
        for place, device in enumerate(index.devices):
            kept = kept_by_filters(trace, params, device.series)
            if kept is not None:
                mine = np.flatnonzero(blocks.device == place)
                inside[mine] &= kept[blocks.position[mine]]
    return inside


def _order(trace: Trace, index: MemoryIndex, params: AllocationsParams, chosen: Int64Array) -> npt.NDArray[np.intp]:
    """Places in `chosen`; what has no value comes last both ways, equal ones by the time of their event."""
    blocks, column = index.block_list, params.sort
    values = getattr(blocks, column)[chosen].astype(np.int64)
    absent = values == NONE
    if column in _SEARCHED:
        values = _ranks(values, _texts(trace, index, column))
    by_value = -values if params.descending else values
    return np.lexsort((blocks.time_ns[chosen], np.where(absent, _LAST, by_value)))


def _rows(trace: Trace, index: MemoryIndex, chosen: Int64Array) -> list[MemoryAllocation]:
    blocks = index.block_list
    devices = [id_of(device.series.device_type, device.series.device_index) for device in index.devices]
    numbers = [getattr(blocks, name)[chosen].tolist() for name in ("row", "state", "allocated_ns", "released_ns", "bytes")]
    texts = [_at(getattr(blocks, name)[chosen], _texts(trace, index, name)) for name in _SEARCHED]
    others = (blocks.device[chosen].tolist(), blocks.address[chosen].tolist())
    return [
        MemoryAllocation(
            row=row,
            state=STATES[state],
            allocated_ns=None if allocated == NONE else allocated,
            released_ns=None if released == NONE else released,
            lifetime_ns=None if NONE in (allocated, released) else released - allocated,
            bytes=n_bytes,
            device=devices[device],
            name=name,
            via=via,
            module=module,
            call_site=site,
            category=category,
            address=None if address == NONE else f"{address & _ADDRESS:#x}",
        )
        for row, state, allocated, released, n_bytes, name, via, module, site, category, device, address in zip(
            *numbers, *texts, *others, strict=True
        )
    ]


_CATEGORIES: Final = tuple(category.title for category in CATEGORIES)
_ADDRESS: Final = (1 << 64) - 1


def _texts(trace: Trace, index: MemoryIndex, column: str) -> Sequence[str]:
    if column == "module":
        return index.modules.texts
    if column == "category":
        return _CATEGORIES
    return index.sites.texts if column == "call_site" else trace.strings


def _matching(place: npt.NDArray[np.integer], texts: Sequence[str], pattern: str) -> BoolArray:
    """Which rows have a match. Each text that is there is judged once."""
    matches = name_matcher(pattern)
    hit = np.zeros(len(texts) + 1, np.bool_)  # NONE falls on the last
    for number in np.unique(place[place != NONE]).tolist():
        hit[number] = matches(texts[number]) is not None
    result: BoolArray = hit[place]
    return result


def _ranks(place: Int64Array, texts: Sequence[str]) -> Int64Array:
    """The place of each row's text among the texts in their order."""
    there = sorted(np.unique(place[place != NONE]).tolist(), key=lambda number: texts[number].casefold())
    ranks = np.full(len(texts) + 1, NONE, np.int64)
    ranks[there] = np.arange(len(there))
    return ranks[place]


def _at(place: npt.NDArray[np.integer], texts: Sequence[str]) -> list[str | None]:
    return [None if number == NONE else texts[number] for number in place.tolist()]


def _count(blocks: BlockList, inside: BoolArray) -> MemoryCount:
    return MemoryCount(count=int(inside.sum()), bytes=int(blocks.bytes[inside].sum()))
