"""Arguments of an event in the types that the live profiler had: a file holds values of inputs as text."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NamedTuple

_WORDS: Final = {"": None, "True": True, "False": False, "inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_WHOLE: Final = re.compile(r"-?\d+\Z")

_OF_OPERATORS: Final = frozenset(
    (
        *("External id", "Record function id", "Ev Idx", "Sequence number", "Fwd thread id", "finished", "Device"),
        *("Input Dims", "Input dims", "Input Strides", "Input type", "Concrete Inputs", "Call stack", "Module Hierarchy"),
        *("Trace name", "Trace iteration", "Python id", "Python parent id", "Python module id", "Python thread"),
    )
)
"""What the profiler itself says of an operator or a range. All else are keyword inputs, or facts of a collective."""


class EventMetadata(NamedTuple):
    """How device work was launched, and what a collective moved; the same fields as torch's."""

    registers_per_thread: int | None = None
    shared_memory: int | None = None
    grid: list[int] | None = None
    block: list[int] | None = None
    priority: int | None = None
    blocks_per_sm: float | None = None
    warps_per_sm: float | None = None
    occupancy: dict[str, Any] | None = None
    est_occupancy_pct: float | None = None
    queued: int | None = None
    graph_id: int | None = None
    graph_node_id: int | None = None
    stream: int | None = None
    context: int | None = None
    channel: int | None = None
    channel_type: int | None = None
    bytes: int | None = None
    bandwidth_gb_s: float | None = None
    collective_name: str | None = None
    dtype: str | None = None
    in_msg_nelems: int | None = None
    out_msg_nelems: int | None = None
    in_split_size: str | None = None
    out_split_size: str | None = None
    global_rank_start: int | None = None
    global_rank_stride: int | None = None
    group_size: int | None = None
    process_group_name: str | None = None
    process_group_desc: str | None = None
    group_ranks: str | None = None
    rank: int | None = None
    src_rank: int | None = None
    dst_rank: int | None = None
    seq: int | None = None
    is_async: bool | None = None


_OF_WORK: Final = {
    "registers per thread": "registers_per_thread",
    "shared memory": "shared_memory",
    "grid": "grid",
    "block": "block",
    "priority": "priority",
    "blocks per SM": "blocks_per_sm",
    "warps per SM": "warps_per_sm",
    "occupancy": "occupancy",
    "est. achieved occupancy %": "est_occupancy_pct",
    "queued": "queued",
    "graph id": "graph_id",
    "graph node id": "graph_node_id",
    "stream": "stream",
    "context": "context",
    "channel": "channel",
    "channel_type": "channel_type",
    "bytes": "bytes",
    "memory bandwidth (GB/s)": "bandwidth_gb_s",
}
_OF_COLLECTIVES: Final = {
    "Collective name": "collective_name",
    "dtype": "dtype",
    "In msg nelems": "in_msg_nelems",
    "Out msg nelems": "out_msg_nelems",
    "In split size": "in_split_size",
    "Out split size": "out_split_size",
    "Global rank start": "global_rank_start",
    "Global rank stride": "global_rank_stride",
    "Group size": "group_size",
    "Process Group Name": "process_group_name",
    "Process Group Description": "process_group_desc",
    "Process Group Ranks": "group_ranks",
    "Rank": "rank",
    "Src Rank": "src_rank",
    "Dst Rank": "dst_rank",
    "Seq": "seq",
    "Is asynchronized op": "is_async",
}
_LISTS_AS_TEXT: Final = ("in_split_size", "out_split_size", "group_ranks")


def concrete_inputs(args: dict[str, Any]) -> list[Any]:
    """`[None, 2.5, [3, 3], True]` from `["", "2.5", "[3, 3]", "True"]`: None for tensors and what was not recorded."""
    values = args.get("Concrete Inputs")
    return [_value(value) for value in values] if isinstance(values, list) else []


def keyword_inputs(args: dict[str, Any]) -> dict[str, Any]:
    """What was handed to a range by name. A tensor among them is "NULL", as in torch."""
    is_collective = "Collective name" in args
    return {
        key: value for key, value in args.items() if key not in _OF_OPERATORS and not (is_collective and key in _OF_COLLECTIVES)
    }


def metadata(args: dict[str, Any], *, of_work: bool) -> EventMetadata | None:
    """Of device work and its launches all fields, of other events those of a collective; None where there is nothing."""
    keys = {**_OF_WORK, **_OF_COLLECTIVES} if of_work else _OF_COLLECTIVES if "Collective name" in args else {}
    found = {field: _typed(field, args[key]) for key, field in keys.items() if args.get(key) is not None}
    return EventMetadata(**found) if found else None


def metadata_json(args: dict[str, Any], *, of_work: bool) -> str:
    """As torch with `expose_kineto_event_metadata=True`: all arguments of device work; others' turn, and if they were open."""
    is_open = args.get("finished") is False
    told = {
        key: value
        for key, value in args.items()
        if (key != "External id" if of_work else key == "Ev Idx" or (is_open and key == "finished"))
    }
    return json.dumps(told, ensure_ascii=False)[1:-1]


def _value(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text.startswith("[") and text.endswith("]"):
        return [_value(part.strip()) for part in text[1:-1].split(",")] if text[1:-1].strip() else []
    try:
        return int(text) if _WHOLE.match(text) else float(text)
    except ValueError:
        return text  # complex numbers, and what other writers put there


def _typed(field: str, value: Any) -> Any:
    if field == "is_async":
        return value in (1, True, "1", "true")
    return json.dumps(value) if field in _LISTS_AS_TEXT and not isinstance(value, str) else value
