"""What the first bytes of a file say about it, long before anybody opens it: whose is it, of which rank, and when did it begin?

For lists of thousands of files. Says None where the first bytes do not say; opening the file tells more.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.formats.content import is_stored
from tb_plugin.formats.packing import last_plain, plain

if TYPE_CHECKING:
    from pathlib import Path

_FIRST_BYTES = 16 << 10
"""torch writes devices and rank before the events: within 4 kB in each recording we have, 8 GPUs take 8 kB."""
_FAR_BYTES = 64 << 10
"""Names of events come after hundreds of names of threads in some files."""

_LAST_BYTES = 4 << 10
_MOST_FOR_THE_LAST = 128 << 20
"""Unpacked, 0.2 s: some tools write `baseTimeNanoseconds` behind the events, and a packed file has no end to look at."""

_UNIX_TIME_NS = 10**17
"""Later than this (1973) is Unix time; the clock of a machine's uptime stays below."""
_LATEST_NS = 1 << 62

_EVENTS = re.compile(rb'"traceEvents"\s*:')
_TIME = re.compile(rb'"ts"\s*:\s*"?(\d{1,18})(?=\D)')  # not one that is cut off where the first bytes end
_BASE = re.compile(rb'"baseTimeNanoseconds"\s*:\s*(\d{1,19})\b')
_RANK = re.compile(rb'"distributedInfo"\s*:\s*\{[^}]*?"rank"\s*:\s*("?)(\d{1,7})\1\s*[,}]')
_SIZE = re.compile(rb'"distributedInfo"\s*:\s*\{[^}]*?"world_size"\s*:\s*("?)(\d{1,7})\1\s*[,}]')
_HOST = re.compile(rb'"host_name"\s*:\s*"([^"\\]{1,255})"')
_GROUP = re.compile(rb'"pg_desc"\s*:\s*"([^"\\]{0,255})"[^{}]*?"pg_size"\s*:\s*(\d{1,7})\b')
# Keys and categories that Kineto writes, names that torch's old exporter and torch_npu's write. Chrome's own tools,
# JAX, clang and viztracer have none of them.
_OF_TORCH = re.compile(
    rb'"(?:schemaVersion|distributedInfo|deviceProperties|baseTimeNanoseconds)"\s*:|'
    rb'"cat"\s*:\s*"(?:cpu_op|user_annotation|gpu_user_annotation|python_function|cuda_runtime|cuda_driver|kernel|gpu_mem\w+|'
    rb"ac2g|fwdbwd|cpu_instant_event|Operator|Runtime|Kernel|Memcpy|Memset|privateuse1_\w+|xpu_\w+|mtia_\w+|hpu_\w+)"
    rb'"|aten::|ProfilerStep#|"CPU functions"|"CUDA functions"|"Ascend Hardware"|"CANN"'
)


class Glance(NamedTuple):
    """`of_torch` is False for a Chrome trace without a sign of torch in its first bytes, True for all other files.

    `began_ns`: the first of the times in the first bytes, Unix time; None where the clock is another. `groups`: what its process
    groups are for, and their sizes; none where the first bytes do not tell of any.
    """

    of_torch: bool
    rank: int | None
    began_ns: int | None = None
    world_size: int | None = None
    host: str | None = None
    groups: frozenset[tuple[str, int]] = frozenset()


def glance(path: Path, *, far: bool = False) -> Glance:
    """Reads 16 kB, `far` 64 kB and the end, if needed. OSError when the file cannot be read; nothing else, whatever is in it."""
    size = _FAR_BYTES if far else _FIRST_BYTES
    with path.open("rb") as file:
        head = plain(file.read(size), size)
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if is_stored(head) or text[:1] not in (b"{", b"["):
            return _stored(head)
        events = _EVENTS.search(text)
        before = text[: events.start()] if events else text
        times = {int(found) for found in _TIME.findall(text)}  # names of processes may have 0
        began_ns = 1000 * min(times - {0}, default=0)
        base = _BASE.search(before)
        if base is None and far and 0 < began_ns < _UNIX_TIME_NS:
            base = _BASE.search(last_plain(file, _LAST_BYTES, _MOST_FOR_THE_LAST))
    rank, n_ranks, host = _RANK.search(before), _SIZE.search(before), _HOST.search(before)
    began_ns += int(base[1]) if times and base else 0
    return Glance(
        _OF_TORCH.search(text) is not None,
        int(rank[2]) if rank else None,
        _unix_time(began_ns),
        int(n_ranks[2]) if n_ranks else None,
        host[1].decode(errors="replace") if host else None,
        frozenset((what.decode(errors="replace"), int(n)) for what, n in _GROUP.findall(before)),
    )


def _stored(head: bytes) -> Glance:
    if head[:1] != b"\n":
        return Glance(of_torch=True, rank=None)
    from tb_plugin.formats.stored import profile_pb

    told = profile_pb.told_by(head)
    return Glance(True, told.rank, _unix_time(told.base_ns), told.world_size, told.host)


def _unix_time(ns: int) -> int | None:
    return ns if _UNIX_TIME_NS < ns < _LATEST_NS else None
