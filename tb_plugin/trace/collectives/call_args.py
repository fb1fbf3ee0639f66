"""What torch says of one collective: the arguments of a NCCL kernel, or of `record_param_comms`.

    2023           nothing
    2024           Collective name, In/Out msg nelems, dtype, Group size, Process Group Name, Description, Ranks
    2025           and Seq, Src Rank, Dst Rank

Values of another type than torch writes are not recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tb_plugin.base.units import NONE
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.kinds import element_bytes
from tb_plugin.trace.json_text import list_of, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tb_plugin.trace.model import Trace

_LARGEST = 1 << 60


class GroupSaid(NamedTuple):
    """A process group as one call names it. Equal ones are one group."""

    name: str
    description: str
    size: int
    ranks: str  # as they are written
    start: int  # global rank start and stride, of newer torch
    stride: int


class CallArgs(NamedTuple):
    """One collective; NONE and "" are "not recorded"."""

    name: str
    group: GroupSaid
    bytes_in: int
    bytes_out: int
    dtype: str
    sequence: int
    peer: int  # global rank of the other side of a send or recv
    place: int  # "Rank": of a send or recv the peer's place in the group
    sent: tuple[int, ...]  # of an all-to-all what goes to each member and comes from each; () where all get the same
    received: tuple[int, ...]


def call_args(args: Mapping[str, Any]) -> CallArgs | None:
    """None where it says nothing of a collective."""
    name = args.get("Collective name")
    if not isinstance(name, str) or not name:
        return None
    dtype = _text(args.get("dtype"))
    each = element_bytes(dtype) if dtype else None
    return CallArgs(
        name=name,
        group=_group(args),
        bytes_in=_bytes(args.get("In msg nelems"), each),
        bytes_out=_bytes(args.get("Out msg nelems"), each),
        dtype=dtype,
        sequence=_int(args.get("Seq")),
        peer=_peer(args, name),
        place=_int(args.get("Rank")),
        sent=_split(args.get("In split size")),
        received=_split(args.get("Out split size")),
    )


def said_by(trace: Trace) -> Callable[[int], CallArgs | None]:
    """What an event says of a collective, by its row; None of NONE."""
    read, order = trace.args.reader(), trace.events.order

    def of(row: int) -> CallArgs | None:
        value = value_of(read(int(order[row])) or "{}") if row != NONE else None
        return call_args(value) if isinstance(value, dict) else None

    return of


def _peer(args: Mapping[str, Any], name: str) -> int:
    """Where both are said, one of them is the rank itself: of a receive that to which it goes."""
    to, source = _int(args.get("Dst Rank")), _int(args.get("Src Rank"))
    first, second = (source, to) if kinds.kind_of(name) == kinds.RECV else (to, source)
    return first if first != NONE else second


def _group(args: Mapping[str, Any]) -> GroupSaid:
    return GroupSaid(
        name=_text(args.get("Process Group Name")),
        description=_text(args.get("Process Group Description")),
        size=_int(args.get("Group size")),
        ranks=_text(args.get("Process Group Ranks")),
        start=_int(args.get("Global rank start")),
        stride=_int(args.get("Global rank stride")),
    )


def _split(written: object) -> tuple[int, ...]:
    """A list, or the text of one."""
    sizes = written if isinstance(written, list) else list_of(written) if isinstance(written, str) else []
    return tuple(sizes) if all(_int(size) != NONE for size in sizes) else ()


def _int(value: object) -> int:
    return value if type(value) is int and 0 <= value < _LARGEST else NONE


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _bytes(n_elements: object, each: int | None) -> int:
    count = _int(n_elements)
    return NONE if each is None or count == NONE or count >= _LARGEST // 16 else count * each
