"""The allocations as a list that is sorted, filtered and cut here: a page never holds more than it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.memory.categories import CATEGORIES
from tb_plugin.trace.memory.devices import id_of
from tb_plugin.trace.memory.peaks import window_of
from tb_plugin.trace.modules.call_sites import call_sites
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.scope.patterns import name_matcher
from tb_plugin.trace.scope.selection import Selection, is_all
from tb_plugin.views.memory.allocations_result import AllocationsParams, MemoryAllocation, MemoryAllocations
from tb_plugin.views.memory.block_list import STATES, BlockList, block_list, is_alive
from tb_plugin.views.memory.index import devices_of
from tb_plugin.views.memory.result import MemoryCount
from tb_plugin.views.memory.where import chosen_device, devices_in, instant, kept_by_filters, range_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tb_plugin.trace.model import Trace

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
    # Scrolling changes `offset` only.
    found = _orders(trace).get(replace(params, offset=0, limit=0), lambda: _search(trace, params))
    chosen = found.order[params.offset : params.offset + params.limit]
    return MemoryAllocations(
        offset=params.offset,
        matching=found.matching,
        total=found.total,
        rows=_rows(trace, chosen),
        has_addresses=all(device.series.has_addresses for device in devices_of(trace)),
    )


@once_per_trace
def _orders(_trace: Trace) -> LastAnswers[AllocationsParams, _Found]:
    return LastAnswers(_ORDERS_KEPT)


def _search(trace: Trace, params: AllocationsParams) -> _Found:
    blocks = block_list(trace)
    inside = _inside(trace, params)
    if params.only != "all":
        inside &= np.isin(blocks.state, _HELD if params.only == "held" else _BEFORE)
    total = _count(blocks, inside)
    if params.min_bytes > 0:
        inside &= blocks.bytes >= params.min_bytes
    if params.q:
        hit = np.zeros(len(blocks), np.bool_)
        for name in _SEARCHED:
            hit |= _matching(getattr(blocks, name), _texts(trace, name), params.q)
        inside &= hit
    chosen = np.flatnonzero(inside)
    return _Found(chosen[_order(trace, params, chosen)], _count(blocks, inside), total)


def _inside(trace: Trace, params: AllocationsParams) -> BoolArray:
    """What is alive at the instant, or was allocated in the range; on the device, and kept by the filters."""
    blocks, every = block_list(trace), devices_of(trace)
    t0_ns, t1_ns = range_of(trace, params, window_of(trace, [device.series for device in every]))
    if params.alive or params.device is not None:
        chosen = chosen_device(every, devices_in(trace, every, t0_ns, t1_ns), params.device)
        if chosen is None:
            return np.zeros(len(blocks), np.bool_)
        place = every.index(chosen)
        if params.alive:
            alive: BoolArray = is_alive(blocks, place, chosen, instant(chosen.series, params.at_ns, t0_ns, t1_ns))
            return alive
        inside: BoolArray = blocks.device == place
    else:
        inside = np.ones(len(blocks), np.bool_)
    inside &= (blocks.time_ns >= t0_ns) & (blocks.time_ns < t1_ns)
    if not is_all(Selection(**{name: getattr(params, name) for name in Selection.__struct_fields__})):
        for place, device in enumerate(every):
            kept = kept_by_filters(trace, params, device.series)
            if kept is not None:
                mine = np.flatnonzero(blocks.device == place)
                inside[mine] &= kept[blocks.position[mine]]
    return inside


def _order(trace: Trace, params: AllocationsParams, chosen: Int64Array) -> npt.NDArray[np.intp]:
    """Places in `chosen`; what has no value comes last both ways, equal ones by the time of their event."""
    blocks, column = block_list(trace), params.sort
    values = getattr(blocks, column)[chosen].astype(np.int64)
    absent = values == NONE
    if column in _SEARCHED:
        values = _ranks(values, _texts(trace, column))
    by_value = -values if params.descending else values
    return np.lexsort((blocks.time_ns[chosen], np.where(absent, _LAST, by_value)))


def _rows(trace: Trace, chosen: Int64Array) -> list[MemoryAllocation]:
    blocks = block_list(trace)
    devices = [id_of(device.series.device_type, device.series.device_index) for device in devices_of(trace)]
    numbers = [getattr(blocks, name)[chosen].tolist() for name in ("row", "state", "allocated_ns", "released_ns", "bytes")]
    texts = [_at(getattr(blocks, name)[chosen], _texts(trace, name)) for name in _SEARCHED]
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


def _texts(trace: Trace, column: str) -> Sequence[str]:
    if column == "module":
        return module_paths(trace).texts
    if column == "category":
        return _CATEGORIES
    return call_sites(trace).texts if column == "call_site" else trace.strings


def _matching(place: npt.NDArray[np.integer], texts: Sequence[str], pattern: str) -> BoolArray:
    """Which rows have a match. Each text that is there is judged once."""
    matches = name_matcher(pattern)
    hit = np.zeros(len(texts) + 1, np.bool_)  # NONE falls on the last
    for number in distinct(place[place != NONE]).tolist():
        hit[number] = matches(texts[number])
    result: BoolArray = hit[place]
    return result


def _ranks(place: Int64Array, texts: Sequence[str]) -> Int64Array:
    """The place of each row's text among the texts in their order."""
    there = sorted(distinct(place[place != NONE]).tolist(), key=lambda number: texts[number].casefold())
    ranks = np.full(len(texts) + 1, NONE, np.int64)
    ranks[there] = np.arange(len(there))
    return ranks[place]


def _at(place: npt.NDArray[np.integer], texts: Sequence[str]) -> list[str | None]:
    return [None if number == NONE else texts[number] for number in place.tolist()]


def _count(blocks: BlockList, inside: BoolArray) -> MemoryCount:
    return MemoryCount(count=int(inside.sum()), bytes=int(blocks.bytes[inside].sum()))
