"""By what allocations and releases can be grouped. A new grouping is a function here and a line in GROUPINGS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.memory_categories import CATEGORIES
from tb_plugin.trace.module_scopes import FRAME_PREFIX, LABEL_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.memory.index import DeviceIndex, MemoryIndex

_STACKS: Final = "Record with with_stack=True to see this."


@dataclass(frozen=True, kw_only=True)
class Keys:
    """A key per event (NONE: not attributed) and the text of each key; `via` tells rows of one name apart."""

    key: Int64Array
    texts: Sequence[str]
    via: Int64Array | None = None
    frames: Callable[[int], list[int]] | None = None  # of a key: name ids of a stack, innermost first


@dataclass(frozen=True, kw_only=True)
class Grouping:
    """`missing` says why a profile cannot be grouped so, or None."""

    title: str
    keys: Callable[[Trace, MemoryIndex, DeviceIndex], Keys]
    missing: Callable[[Trace, MemoryIndex], str | None]


def _operator(trace: Trace, _index: MemoryIndex, device: DeviceIndex) -> Keys:
    return Keys(key=device.callers.name, texts=trace.strings, via=device.callers.via)


def _module(_trace: Trace, index: MemoryIndex, device: DeviceIndex) -> Keys:
    return Keys(key=device.module, texts=index.modules.texts)


def _call_site(_trace: Trace, index: MemoryIndex, device: DeviceIndex) -> Keys:
    return Keys(key=device.call_site, texts=index.sites.texts)


def _stack(trace: Trace, _index: MemoryIndex, device: DeviceIndex) -> Keys:
    found = device.stacks
    names = [trace.strings[name_id] for name_id in found.name_id.tolist()]
    return Keys(key=found.of, texts=names, frames=found.frames)


def _category(_trace: Trace, _index: MemoryIndex, device: DeviceIndex) -> Keys:
    return Keys(key=device.category, texts=[category.title for category in CATEGORIES])


def _needs_operators(trace: Trace, _index: MemoryIndex) -> str | None:
    if is_kind(trace.events.kind, (Kind.OPERATOR, Kind.ANNOTATION)).any():
        return None
    return "This file has no operators."


def _needs_modules(trace: Trace, index: MemoryIndex) -> str | None:
    # Paths are worked out only when asked for; a profile without module calls says so at no cost.
    if any(text.startswith((FRAME_PREFIX, LABEL_PREFIX)) for text in trace.strings) or len(index.modules):
        return None
    return f"No modules were recorded. {_STACKS}"


def _needs_sites(trace: Trace, _index: MemoryIndex) -> str | None:
    # Files without frames may hold stacks as text, which only reading all of them would tell.
    if trace.info.with_stack or (trace.events.kind == Kind.PYTHON).any():
        return None
    return f"No Python stacks were recorded. {_STACKS}"


def _needs_frames(trace: Trace, _index: MemoryIndex) -> str | None:
    return None if (trace.events.kind == Kind.PYTHON).any() else f"No Python stacks were recorded. {_STACKS}"


def _needs_tensors(trace: Trace, _index: MemoryIndex) -> str | None:
    if len(trace.tensors):
        return None
    return (
        "Categories need our trace handler (tb_plugin.tensorboard_trace_handler) "
        "with record_shapes=True, profile_memory=True and with_stack=True."
    )


GROUPINGS: Final[dict[str, Grouping]] = {
    "operator": Grouping(title="operator", keys=_operator, missing=_needs_operators),
    "module": Grouping(title="module", keys=_module, missing=_needs_modules),
    "call_site": Grouping(title="call site", keys=_call_site, missing=_needs_sites),
    "stack": Grouping(title="call stack", keys=_stack, missing=_needs_frames),
    "category": Grouping(title="category", keys=_category, missing=_needs_tensors),
}


def usual(trace: Trace, index: MemoryIndex) -> str:
    """The grouping of a profile that nobody asked another for: the first that it has."""
    return next((name for name, grouping in GROUPINGS.items() if grouping.missing(trace, index) is None), "operator")
