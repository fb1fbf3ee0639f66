"""A Chrome JSON file as lists of plain rows, and the arithmetic of time as loops: slow, and simple enough to be right.

Knows nothing of `tb_plugin` but the taxonomy of kernel names.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from tb_plugin.trace.work.taxonomy import Category, category_of_kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Spans = list[tuple[int, int]]

_KINDS = {
    **dict.fromkeys(("Operator", "cpu_op"), "operator"),
    **dict.fromkeys(("Runtime", "cuda_runtime", "cuda_driver", "xpu_runtime", "mtia_runtime"), "launch"),
    **dict.fromkeys(("Kernel", "kernel", "mtia_ccp_events"), "kernel"),
    **dict.fromkeys(("Memcpy", "gpu_memcpy"), "copy"),
    **dict.fromkeys(("Memset", "gpu_memset"), "set"),
    "user_annotation": "annotation",
    "python_function": "python",
}
HOST = ("operator", "annotation", "python", "launch")
WORK = ("kernel", "copy", "set")
_STEP = re.compile(r"ProfilerStep#(\d+)\Z")


@dataclass(slots=True, eq=False)
class Row:
    name: str
    kind: str
    track: tuple[str, str]
    start: int
    end: int
    order: int
    args: dict[str, Any]
    external_id: int = -1
    parent: Row | None = None  # host rows
    launch: Row | None = None  # device rows
    owner: Row | None = None

    @property
    def ns(self) -> int:
        return self.end - self.start

    @property
    def is_collective(self) -> bool:
        return self.kind == "kernel" and category_of_kernel(self.name) is Category.COMMUNICATION

    @property
    def stream(self) -> int:
        return self.number("stream" if "stream" in self.args else "sycl queue")

    def number(self, name: str) -> int:
        return int(self.args.get(name, -1))

    def around(self) -> Iterator[Row]:
        """The row and what is around it, innermost first."""
        row: Row | None = self
        while row is not None:
            yield row
            row = row.parent


@dataclass
class PlainFile:
    host: list[Row] = field(default_factory=list)
    work: list[Row] = field(default_factory=list)  # by start
    memory: list[Row] = field(default_factory=list)  # by time
    steps: dict[int, Row] = field(default_factory=dict)  # by start


def _number(text: str) -> float | Decimal:
    """Times since 1970 have more digits than a double."""
    return Decimal(text) if len(text) > len("1712195495519689") else float(text)


def read(path: Path) -> PlainFile:
    events = msgspec.json.Decoder(float_hook=_number).decode(gzip.decompress(path.read_bytes()))["traceEvents"]
    base = int(min(event["ts"] for event in events if event["ph"] in "Xi" and event.get("cat") in _KINDS))
    rows = [row for order, event in enumerate(events) if (row := _row(event, order, base)) is not None]
    zero = min(row.start for row in rows if row.kind != "memory")
    for row in rows:
        row.start, row.end = row.start - zero, row.end - zero
    plain = PlainFile()
    plain.host = [row for row in rows if row.kind in HOST]
    plain.work = sorted((row for row in rows if row.kind in WORK), key=lambda row: (row.start, row.order))
    plain.memory = sorted((row for row in rows if row.kind == "memory"), key=lambda row: (row.start, row.order))
    whole = all(isinstance(event["ts"], int) for event in events if event["ph"] == "X")
    _nest(plain.host, slack_ns=1000 if whole else 0)
    _link(plain)
    for row in sorted(plain.host, key=lambda row: row.start):
        if row.kind == "annotation" and (match := _STEP.match(row.name)):
            plain.steps.setdefault(int(match[1]), row)
    return plain


def _row(event: dict[str, Any], order: int, base: int) -> Row | None:
    kind = _KINDS.get(event.get("cat", ""))
    if event["name"] == "[memory]":
        kind = "memory"
    elif event["ph"] != "X" or kind is None:
        return None
    elif event["cat"] == "mtia_ccp_events":
        if event["name"] in ("event_wait", "event_record"):
            return None
        kind = "copy" if event["name"] == "dma_request" else kind
    elif event["name"].startswith("ProfilerStep#"):
        kind = "annotation"
    start = round((event["ts"] - base) * 1000)
    end = start + (round(event.get("dur", 0) * 1000) if kind != "memory" else 0)
    args = event.get("args") or {}
    external_id = int(args.get("External id", args.get("external id", -1)))
    return Row(event["name"], kind, (str(event["pid"]), str(event["tid"])), start, end, order, args, external_id)


def _nest(host: list[Row], slack_ns: int) -> None:
    """EventList's rule. Where times are rounded a child may seem to end after its parent."""
    stacks: dict[tuple[str, str], list[tuple[int, Row]]] = {}
    for row in sorted(host, key=lambda row: (row.start, -row.end, row.external_id, row.order)):
        stack = stacks.setdefault(row.track, [])
        while stack and (row.start >= stack[-1][0] or row.end > stack[-1][0] + slack_ns):
            stack.pop()
        row.parent = stack[-1][1] if stack else None
        if row.end > row.start:
            stack.append((min(row.end, stack[-1][0]) if stack else row.end, row))


def _link(plain: PlainFile) -> None:
    calls: dict[int, Row] = {}
    named: dict[int, Row] = {}
    for row in sorted((row for row in plain.host if row.kind == "launch"), key=lambda row: row.start):
        if row.number("correlation") > 0:
            calls.setdefault(row.number("correlation"), row)
    for row in plain.host:
        if row.kind in ("operator", "annotation") and row.external_id > 0:
            named.setdefault(row.external_id, row)
    means_operator = any(row.external_id != row.number("correlation") for row in plain.work)
    for row in plain.work:
        row.launch = calls.get(row.number("correlation"))
        if row.launch is not None:
            ranges = (above for above in row.launch.around() if above.kind in ("operator", "annotation"))
            row.owner = next(ranges, row.launch)
        elif means_operator and row.external_id > 0:
            row.owner = named.get(row.external_id)


def spans(rows: Iterable[Row]) -> Spans:
    return union((row.start, row.end) for row in rows)


def union(parts: Iterable[tuple[int, int]]) -> Spans:
    merged: list[list[int]] = []
    for start, end in sorted(parts):
        if end > start and merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        elif end > start:
            merged.append([start, end])
    return [(start, end) for start, end in merged]


def length(parts: Spans) -> int:
    return sum(end - start for start, end in parts)


def first_active(parts: list[Spans], t0: int, t1: int) -> list[int]:
    """Time in [t0, t1) in which each of `parts` is the first that is active, and in which none is: change by change."""
    changes: list[tuple[int, int, int]] = []
    for place, each in enumerate(parts):
        for start, end in each:
            if start >= t1:
                break
            if end > t0:
                changes += [(max(start, t0), 1, place), (min(end, t1), -1, place)]
    is_open = [0] * len(parts)
    found = [0] * (len(parts) + 1)
    last = t0
    for time, change, place in [*sorted(changes), (t1, 0, 0)]:
        now = next((i for i, n in enumerate(is_open) if n), len(parts))
        found[now] += time - last
        last = time
        is_open[place] += change
    return found
