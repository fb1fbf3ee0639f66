"""What the first bytes of a file say about it, long before anybody opens it: whose is it, and of which rank?

For lists of thousands of files. Says None where the first bytes do not say; opening the file tells more.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.formats.content import is_stored
from tb_plugin.formats.packing import plain

if TYPE_CHECKING:
    from pathlib import Path

_FIRST_BYTES = 16 << 10
"""torch writes devices and rank before the events: within 4 kB in each recording we have, 8 GPUs take 8 kB."""
_FAR_BYTES = 64 << 10
"""Names of events come after hundreds of names of threads in some files."""

_EVENTS = re.compile(rb'"traceEvents"\s*:')
_RANK = re.compile(rb'"distributedInfo"\s*:\s*\{[^}]*?"rank"\s*:\s*"?(\d{1,7})\b')
# Keys and categories that Kineto writes, names that torch's old exporter and torch_npu's write. Chrome's own tools,
# JAX, clang and viztracer have none of them.
_OF_TORCH = re.compile(
    rb'"(?:schemaVersion|distributedInfo|deviceProperties|baseTimeNanoseconds)"\s*:|'
    rb'"cat"\s*:\s*"(?:cpu_op|user_annotation|gpu_user_annotation|python_function|cuda_runtime|cuda_driver|kernel|gpu_mem\w+|'
    rb"ac2g|fwdbwd|cpu_instant_event|Operator|Runtime|Kernel|Memcpy|Memset|privateuse1_\w+|xpu_\w+|mtia_\w+|hpu_\w+)"
    rb'"|aten::|ProfilerStep#|"CPU functions"|"CUDA functions"|"Ascend Hardware"|"CANN"'
)


class Glance(NamedTuple):
    """`of_torch` is False for a Chrome trace without a sign of torch in its first bytes, True for all other files."""

    of_torch: bool
    rank: int | None


def glance(path: Path, *, far: bool = False) -> Glance:
    """Reads 16 kB, `far` 64 kB. OSError when the file cannot be read; nothing else, whatever is in it."""
    size = _FAR_BYTES if far else _FIRST_BYTES
    with path.open("rb") as file:
        head = plain(file.read(size), size)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if is_stored(head) or text[:1] not in (b"{", b"["):
        return Glance(of_torch=True, rank=_stored_rank(head))
    events = _EVENTS.search(text)
    rank = _RANK.search(text, 0, events.start() if events else len(text))
    return Glance(of_torch=_OF_TORCH.search(text) is not None, rank=int(rank[1]) if rank else None)


def _stored_rank(head: bytes) -> int | None:
    if head[:1] != b"\n":
        return None
    from tb_plugin.formats.stored import profile_pb

    return profile_pb.rank_in(head)
