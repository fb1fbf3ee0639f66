"""What collectives there are: their names in every vintage, the bytes of their message, and what the busiest link carries.

    all_reduce of 17.6 MB over 8 ranks in 8.9 ms     17.6 MB x 2 x 7/8 = 30.9 MB     3.5 GB/s

Sizes and factors are those of nccl-tests (its doc/PERFORMANCE.md).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import numpy as np

from tb_plugin.base.units import NONE, Float64Array, Int64Array

KINDS: Final = (
    *("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "barrier"),
    *("send", "recv", "send_recv", "other"),
)
"""A row's `kind` is a place in this. `send_recv` is a kernel's word for send, recv and all_to_all, where no call tells which."""

ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL = range(4)
BROADCAST, REDUCE = 4, 5
BARRIER = KINDS.index("barrier")
SEND = KINDS.index("send")
RECV = KINDS.index("recv")
SEND_RECV = KINDS.index("send_recv")
OTHER = KINDS.index("other")

SYNCHRONISING: Final = (ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BARRIER)
"""No member may end before the last one has come. Of the others the root may leave early."""

_WORDS: Final = (
    ("allreduce|crossdevicereduce|multimemallreduce|quickreduce", "all_reduce"),
    ("allgather", "all_gather"),
    ("reducescatter", "reduce_scatter"),
    ("alltoall", "all_to_all"),
    ("sendrecv", "send_recv"),
    ("broadcast", "broadcast"),
    ("barrier", "barrier"),
    ("send", "send"),
    ("recv|receive", "recv"),
    ("gather", "gather"),
    ("scatter", "scatter"),
    ("reduce", "reduce"),
)
"""Searched in a name without underscores, in small letters; the first that is found decides."""

_RULES: Final = tuple((re.compile(words), KINDS.index(kind)) for words, kind in _WORDS)

_ELEMENT_BYTES: Final = {
    **dict.fromkeys(("byte", "char", "bool", "int8", "uint8", "signed char", "unsigned char"), 1),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"), 1),
    **dict.fromkeys(("half", "bfloat16", "short", "short int", "c10::half", "c10::bfloat16", "uint16", "int16"), 2),
    **dict.fromkeys(("float", "int", "uint32", "int32", "complexhalf"), 4),
    **dict.fromkeys(("double", "long", "long int", "uint64", "int64", "complexfloat", "c10::complex<float>"), 8),
    **dict.fromkeys(("complexdouble", "c10::complex<double>"), 16),
}
"""By the names of c10::ScalarType, as torch writes a collective's `dtype`, and of C++, as "Input type" has them."""


@lru_cache(maxsize=4096)
def kind_of(name: str) -> int:
    """Of a kernel, a range (`nccl:_all_gather_base`), an operator or a "Collective name" (`_allgather_base`)."""
    text = name.lower().replace("_", "")
    return next((kind for rule, kind in _RULES if rule.search(text)), OTHER)


def element_bytes(dtype: str) -> int | None:
    """None for a type that nobody knows."""
    return _ELEMENT_BYTES.get(dtype.lower())


def message_bytes(kind: Int64Array, bytes_in: Int64Array, bytes_out: Int64Array) -> Int64Array:
    """nccl-tests' size of a collective: of all-gather what comes out, of the others what goes in. NONE where not recorded."""
    by_out = (kind == ALL_GATHER) | (kind == RECV)
    first, second = np.where(by_out, bytes_out, bytes_in), np.where(by_out, bytes_in, bytes_out)
    # Broadcast, send and receive have one buffer: whichever is named. The others differ by the number of ranks.
    one_buffer = ~np.isin(kind, (ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL))
    size: Int64Array = np.where((first == NONE) & one_buffer, second, first)
    return size


def bus_factor(kind: Int64Array, n_ranks: Int64Array) -> Float64Array:
    """Of the message, over the busiest link; NaN where that is not known."""
    n = np.maximum(n_ranks, 1).astype(np.float64)
    factor = np.full(len(kind), np.nan)
    factor[kind == ALL_REDUCE] = 2.0
    factor[np.isin(kind, (ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL))] = 1.0
    factor = factor * (n - 1) / n
    factor[np.isin(kind, (BROADCAST, REDUCE, SEND, RECV))] = 1.0
    factor[n_ranks < 2] = np.nan
    return factor


def least_bus_rate(kind: Int64Array, message_bytes: Int64Array, n_ranks: Int64Array, took_ns: Int64Array) -> Float64Array:
    """Bytes a second at least, of what took so long on one rank, waiting included; NaN where one of these is not known."""
    of_one_link = np.isin(kind, (BROADCAST, REDUCE, SEND, RECV))  # their factor is 1 however large the group is
    factor = bus_factor(kind, np.where(of_one_link & (n_ranks == NONE), 2, n_ranks))
    rate: Float64Array = (
        np.where(message_bytes > 0, message_bytes, np.nan) * factor / np.where(took_ns > 0, took_ns, np.nan) * 1e9
    )
    return rate
