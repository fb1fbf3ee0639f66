"""What each rank did last, by its dump: its newest calls, with their sizes, how far they came and when they were issued.

Times are of the ranks' own hosts. No dump says when it was written: how long a rank has waited is known up to the last time that
any dump holds, and its timeout says when torch gives up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from tb_plugin.base.units import format_ns, signed_ns
from tb_plugin.views.ranks.basis.names import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.collectives.recorder import Issued, RecorderDump

MOST_RANKS: Final = 32
"""Each rank has its calls, and a job may have thousands of ranks."""

_MOST_CALLS: Final = 8
_RANKS_IN_TEXT: Final = 3
_CALLS_IN_TEXT: Final = 5
_MOST_SIZES: Final = 4
_NS_A_MS: Final = 1_000_000


class HangCall(msgspec.Struct, frozen=True, kw_only=True):
    """`issued_ns`: after the first rank issued what the job hangs in; before it, negative. `size`: of what is sent."""

    collective: str
    group: str
    size: str
    state: Literal["over", "started", "scheduled"]
    issued_ns: int


class HangLast(msgspec.Struct, frozen=True, kw_only=True):
    """A rank's last calls, the newest first. `waited_ns`: in its first call that is not over, at the least, None where that is
    no time at all; torch ends it after `timeout_ns`.
    """

    rank: int
    is_at_fault: bool
    waited_ns: int | None
    timeout_ns: int | None
    calls: list[HangCall]


def last_calls(dumps: Sequence[RecorderDump], at_fault: Sequence[int], places: Sequence[int], begun_ns: int) -> list[HangLast]:
    """Who is at fault first, then one rank of each place that programs stand at (`places`), then the others."""
    order = {rank: place for place, rank in reversed([*enumerate([*at_fault, *places])])}
    known = [dump for dump in dumps if dump.issued]
    first = sorted(known, key=lambda dump: (order.get(dump.rank, len(order)), dump.rank))[:MOST_RANKS]
    until_ns = max((one.told_ns for dump in known for one in dump.issued), default=0)
    return [_of_rank(dump, dump.rank in at_fault, until_ns, begun_ns) for dump in first]


def _of_rank(dump: RecorderDump, is_at_fault: bool, until_ns: int, begun_ns: int) -> HangLast:
    waits = next((one for one in dump.issued if not one.is_done), None)
    return HangLast(
        rank=dump.rank,
        is_at_fault=is_at_fault,
        waited_ns=None if waits is None or until_ns <= waits.created_ns else until_ns - waits.created_ns,
        timeout_ns=None if waits is None or waits.timeout_ms is None else waits.timeout_ms * _NS_A_MS,
        calls=[_call(one, begun_ns) for one in dump.issued[: -_MOST_CALLS - 1 : -1]],
    )


def _call(one: Issued, begun_ns: int) -> HangCall:
    return HangCall(
        collective=f"{short(one.name)} {one.sequence}",
        group=one.group_title,
        size=_size_of(one),
        state="over" if one.is_done else "started" if one.is_started else "scheduled",
        issued_ns=one.created_ns - begun_ns,
    )


def _size_of(one: Issued) -> str:
    """`2,097,152 BFloat16`; of many tensors the first."""
    sizes = [" x ".join(f"{n:,}" for n in size) or "1" for size in one.sizes[:_MOST_SIZES]]
    more = len(one.sizes) - len(sizes)
    joined = ", ".join([*sizes, *([f"{more} more"] if more else [])])
    return f"{joined} {', '.join(dict.fromkeys(one.dtypes))}".strip()


def short(name: str) -> str:
    """`all_reduce` of `nccl:all_reduce`."""
    return name.partition(":")[2].lstrip("_") or name


def last_text(last: Sequence[HangLast], n_ranks: int) -> list[str]:
    """Of a few ranks, for a terminal."""
    parts = []
    for one in last[:_RANKS_IN_TEXT]:
        calls = one.calls[:_CALLS_IN_TEXT]
        width, wide = (max(len(text) for text in texts) for texts in ([_named(call) for call in calls], [c.size for c in calls]))
        rows = "".join(
            f"\n    {_named(call):<{width}}  {call.size:<{wide}}  {call.state:<9}  {signed_ns(call.issued_ns)}" for call in calls
        )
        parts.append(f"last calls of rank {one.rank}{' (at fault)' if one.is_at_fault else ''}{_waits(one)}{rows}")
    if parts:
        parts.append("Times: since the first rank issued what the job hangs in, by each host's own clock.")
    if rest := [one.rank for one in last[_RANKS_IN_TEXT:]]:
        more = f", of {n_ranks} ranks" if n_ranks > len(last) else ""
        parts.append(f"Those of rank{'s' if len(rest) > 1 else ''} {ranges(sorted(rest))} are in --format json{more}.")
    return parts


def _named(call: HangCall) -> str:
    return f"{call.collective} of {call.group}"


def _waits(one: HangLast) -> str:
    said = [] if one.waited_ns is None else [f"has waited {format_ns(one.waited_ns)} at least"]
    said += [] if one.timeout_ns is None else [f"torch ends its call after {format_ns(one.timeout_ns)}"]
    return f": {', '.join(said)}" if said else ""
