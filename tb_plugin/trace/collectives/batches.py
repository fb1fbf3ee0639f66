"""Sends and receives of one batch (torch's `batch_isend_irecv`, which its pipelines use): several calls, and one kernel.

    record_param_comms    send 2, recv 2           launch nothing
    nccl:coalesced        launches one kernel      -> a row for the send and a row for the receive, both of that kernel

What a batch does twice alike (kind, peer, group) is one row with the bytes of both: the other side has one kernel for them, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.call_args import CallArgs, said_by
from tb_plugin.trace.collectives.calls import RECORD
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

BATCH: Final = re.compile(r"[a-z]+:coalesced$")
"""The range in which a batch is launched. Sample: `nccl:coalesced`."""


class BatchCalls(NamedTuple):
    """Of each row of the table: its kernel, its call, and what is said of it."""

    row: Int64Array
    call: Int64Array
    said: list[CallArgs | None]


def with_parts(trace: Trace, of: BatchCalls) -> BatchCalls:
    """A batch of which nothing is said becomes its parts; one whose parts are not in the file stays as it is."""
    is_known = of.call != NONE
    ranges = of.call[is_known][rows_named(trace, of.call[is_known], BATCH.match)]
    if len(ranges) == 0:
        return of
    parts = _parts(trace, np.unique(ranges), np.unique(of.call[is_known]))
    rows = zip(of.row.tolist(), of.call.tolist(), of.said, strict=True)
    found = [
        (row, part, its)
        for row, call, said in rows
        for part, its in (parts.get(call, [(call, said)]) if said is None else [(call, said)])
    ]
    row, call, said = zip(*found, strict=True)
    return BatchCalls(np.array(row, np.int64), np.array(call, np.int64), list(said))


def _parts(trace: Trace, ranges: Int64Array, launching: Int64Array) -> dict[int, list[tuple[int, CallArgs]]]:
    """Of each of these ranges its calls, and what each says: those of its thread since the batch before that launch nothing
    themselves.
    """
    events, said_of = trace.events, said_by(trace)
    every = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    batches = every[rows_named(trace, every, BATCH.match)]
    records = np.setdiff1d(every[rows_named(trace, every, RECORD.__eq__)], launching)
    found: dict[int, dict[tuple[object, ...], tuple[int, CallArgs]]] = {}
    for track in np.unique(events.track[ranges]).tolist():
        of_track = batches[events.track[batches] == track]
        of_track = of_track[np.argsort(events.start_ns[of_track], kind="stable")]
        calls = records[events.track[records] == track]
        following = np.searchsorted(events.start_ns[of_track], events.start_ns[calls], side="right")
        calls, following = calls[following < len(of_track)], following[following < len(of_track)]
        for call, batch in zip(calls.tolist(), of_track[following].tolist(), strict=True):
            said = said_of(call)
            if said is None or (kind := kinds.kind_of(said.name)) == kinds.OTHER:
                continue
            alike = found.setdefault(batch, {})
            key = (kind, said.peer, said.place, said.group)
            first, before = alike.get(key, (call, None))
            alike[key] = (first, said if before is None else _sum(before, said))
    return {batch: list(alike.values()) for batch, alike in found.items()}


def _sum(one: CallArgs, other: CallArgs) -> CallArgs:
    def of(first: int, second: int) -> int:
        return NONE if NONE in (first, second) else first + second

    return one._replace(bytes_in=of(one.bytes_in, other.bytes_in), bytes_out=of(one.bytes_out, other.bytes_out))
