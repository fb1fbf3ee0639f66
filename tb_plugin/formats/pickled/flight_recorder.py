"""Dumps of torch's flight recorder (`TORCH_NCCL_DUMP_ON_TIMEOUT`, `_dump_nccl_trace`, gloo's), pickled or JSON: one file a rank.

    {"pg_config": {"0": {"name", "desc", "ranks": "[0, 1]"}},
     "entries": [{"process_group": ("0", "default_pg"), "collective_seq_id", "p2p_seq_id", "is_p2p", "profiling_name",
                  "input_sizes", "input_dtypes", "state": "scheduled" | "started" | "completed", "retired",
                  "time_created_ns", "frames"}]}

The rank is the number at the end of the name (`nccl_trace_rank_7`). gloo leaves `state` at "scheduled" for ever and says with
`retired` that a collective is over, and its `pg_status` counts other things: entries alone are read. Nothing of a pickle is run.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.pickled.plain import plain_values
from tb_plugin.trace.collectives.recorder import OF_ALL, Frame, Issued, RecorderDump

if TYPE_CHECKING:
    from pathlib import Path

_RANK: Final = re.compile(r"(\d{1,7})(?:\.(?:json|pickle|pkl|bin))?\Z")
_WHAT: Final = "flight-recorder dump"
_MOST_ENTRIES: Final = 200_000
_MOST_FRAMES: Final = 64
_MOST_SIZES: Final = 64
_MOST_BYTES: Final = 256 << 20
_TIMES: Final = ("time_created_ns", "time_discovered_started_ns", "time_discovered_completed_ns")


def rank_of(path: Path) -> int | None:
    """By its name; None for a file that is no dump by its name."""
    found = _RANK.search(path.name)
    return int(found[1]) if found else None


def read_dump(path: Path) -> RecorderDump:
    """FormatError for what is empty, damaged, of another kind, or asks for code."""
    rank = rank_of(path)
    if rank is None:
        raise FormatError(str(path), "the name ends in no number of a rank")
    said = _values(path)
    entries = said.get("entries") if isinstance(said, dict) else None
    if not isinstance(entries, (list, tuple)):
        raise FormatError(str(path), f"not a {_WHAT}: it has no entries")
    if len(entries) > _MOST_ENTRIES:
        raise FormatError(str(path), f"a {_WHAT} with {len(entries)} entries; {_MOST_ENTRIES} are read")
    try:
        issued = tuple(_issued(entry) for entry in entries)
        numbers = [int(entry.get("record_id", place)) for place, entry in enumerate(entries)]
        members, world = _members(said.get("pg_config"))
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise FormatError(str(path), f"not a {_WHAT}: an entry is none ({type(error).__name__}: {str(error)[:80]})") from error
    order = sorted(range(len(issued)), key=numbers.__getitem__)
    is_cut = bool(numbers) and min(numbers) > 0
    in_order = tuple(issued[place] for place in order)
    return RecorderDump(file=path.name, rank=rank, issued=in_order, members=members, is_cut=is_cut, world=world)


def _values(path: Path) -> Any:
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(1)
    except OSError as error:
        raise FormatError(str(path), f"cannot be read ({error.strerror})") from error
    if size == 0:
        raise FormatError(str(path), "the dump is empty: its process ended while it was written")
    if size > _MOST_BYTES:
        raise FormatError(str(path), f"a {_WHAT} of {size >> 20} MiB; {_MOST_BYTES >> 20} are read")
    if head == b"\x80":
        return plain_values(path, _WHAT)
    try:
        return msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(str(path), f"a damaged or incomplete {_WHAT} ({str(error)[:80]})") from error


def _issued(entry: dict[str, Any]) -> Issued:
    group = entry["process_group"]
    state, is_between_two = str(entry.get("state", "")), bool(entry.get("is_p2p", False))
    return Issued(
        group=(_text(group[0]), _text(group[1])),
        sequence=int(entry["p2p_seq_id" if is_between_two else "collective_seq_id"]),
        is_between_two=is_between_two,
        name=_text(entry["profiling_name"])[:200],
        sizes=tuple(tuple(map(int, size[:_MOST_SIZES])) for size in (entry.get("input_sizes") or ())[:_MOST_SIZES]),
        dtypes=tuple(map(_text, (entry.get("input_dtypes") or ())[:_MOST_SIZES])),
        is_started=state in ("started", "completed") or entry.get("time_discovered_started_ns") not in (None, 0),
        is_done=state == "completed" or bool(entry.get("retired", False)),
        created_ns=int(entry.get("time_created_ns") or 0),
        told_ns=max(int(entry.get(name) or 0) for name in _TIMES),
        timeout_ms=int(timeout) if (timeout := entry.get("timeout_ms")) else None,
        frames=tuple(
            Frame(
                name=_text(each.get("name", ""))[:200],
                file=_text(each.get("filename", ""))[:500],
                line=int(each.get("line") or 0),
            )
            for each in islice(entry.get("frames") or (), _MOST_FRAMES)
        ),
    )


def _text(value: object) -> str:
    """Of bytes that are no UTF-8 a pickle makes halves of characters, which nothing can write."""
    return str(value).encode(errors="replace").decode()


def _members(config: Any) -> tuple[dict[str, tuple[int, ...]], tuple[int, ...] | None]:
    """(of each group, all ranks). `ranks` is JSON in a text; gloo writes one group without a name or members."""
    found, world = {}, None
    for each in config.values() if isinstance(config, dict) else ():
        said = each.get("ranks")
        ranks = msgspec.json.decode(said, type=list[int]) if isinstance(said, str) and said else said
        if ranks:
            found[_text(each.get("name", ""))] = tuple(map(int, ranks))
            if each.get("desc") == OF_ALL:
                world = tuple(sorted(map(int, ranks)))
    return found, world
