"""Rows of production jobs: one operation of a rank each, and what waits for what, as the names of operations say it.

dp_rank, stage, rank, step, optype, seq_id       whose it is, and which of those of its kind
start_ts, duration                               seconds
mc, gmc, mb_id                                   chunk of the model on its rank, in the model, and micro-batch; of computing

forward-recv > forward-compute > forward-send       of a micro-batch and chunk, and so backward
params-all-gather > forward-compute of its chunk; the last backward-compute > reductions of gradients > clipping
computing one after the other, and so collectives, and so what is sent and received each way
a receive is posted when what the one before it brought has been computed
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMPUTING: Final = ("forward-compute", "backward-compute", "gc", "optimizer")
_PASSES: Final = {"forward": 1, "backward": -1}
_NORMS: Final = "layernorm-grads-all-reduce"
_EMBEDDINGS: Final = "embedding-grads-all-reduce"
_SCATTER: Final = "grads-reduce-scatter"
_CLIPPING: Final = "optimizer-clip-main-grad"
"""Communication: all ranks of the job agree on the norm. Within a rank it stands among what is computed."""

_GATHER: Final = "params-all-gather"
_MESSAGES: Final = tuple(f"{each}-{what}" for each in _PASSES for what in ("send", "recv"))
_KNOWN: Final = frozenset((*_COMPUTING, *_MESSAGES, _NORMS, _EMBEDDINGS, _SCATTER, _CLIPPING, _GATHER))
_STREAMS: Final = {
    **dict.fromkeys((*_COMPUTING, _CLIPPING), "computing"),
    **dict.fromkeys((_NORMS, _EMBEDDINGS, _SCATTER, _GATHER), "collectives"),
}
"""Of what is not on one of its own."""

_WHOLE: Final = {
    "dp_rank": "replica",
    "stage": "stage",
    "rank": "",
    "step": "step",
    "seq_id": "number",
    "mc": "on_rank",
    "gmc": "chunk",
    "mb_id": "batch",
}
"""Columns of whole numbers, and what they are called here."""

_ENDS_EARLY_NS: Final = -10e6
"""A transfer shorter than this is an error of the clocks, says the study: it is set to 0."""


class NotReplayed(Exception):
    """Why not."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """One operation of a rank each, ns; in order of rank, step and start."""

    kind: list[str]
    replica: Int64Array
    stage: Int64Array
    step: Int64Array
    number: Int64Array  # of those of its kind in the step, from 0
    on_rank: Int64Array  # which chunk of the model, of those on its rank; these three of what is computed
    chunk: Int64Array  # of all
    batch: Int64Array
    start: Float64Array
    end: Float64Array

    @cached_property
    def is_computing(self) -> BoolArray:
        return np.isin(self.kind, _COMPUTING)

    @cached_property
    def line(self) -> Int64Array:
        """Which rank and step: each step is replayed by itself, as it was for the study, so these are lines of their own."""
        return np.unique(np.stack([self.replica, self.stage, self.step]), axis=1, return_inverse=True)[1].reshape(-1)

    @cached_property
    def by_line(self) -> list[dict[str, list[int]]]:
        """Rows of each kind."""
        found: list[dict[str, list[int]]] = [defaultdict(list) for _ in range(int(self.line.max()) + 1)]
        for row, (line, kind) in enumerate(zip(self.line.tolist(), self.kind, strict=True)):
            found[line][kind].append(row)
        return found

    @cached_property
    def computed(self) -> dict[int, int]:
        """Of a message what was computed of what it brings, or of which it takes away: messages keep the order of computing."""
        found: dict[int, int] = {}
        last = int(self.chunk.max())
        for (which, way), by_kind in itertools.product(_PASSES.items(), self.by_line):
            ends = (0, last) if way > 0 else (last, 0)
            for what, without in zip(("recv", "send"), ends, strict=True):
                computed = [row for row in by_kind[f"{which}-compute"] if self.chunk[row] != without]
                messages = by_kind[f"{which}-{what}"]
                if len(messages) != len(computed):
                    raise NotReplayed(f"{len(messages)} {which}-{what} of {len(computed)} that are computed, in a step of a rank")
                found.update(zip(messages, computed, strict=True))
        return found

    @cached_property
    def instance(self) -> Int64Array:
        """Of communication which; NONE of computing."""
        found: dict[tuple[object, ...], int] = {}
        of_row = (self._who_meets(row) for row in range(len(self.kind)))
        return np.array([NONE if who is None else found.setdefault(who, len(found)) for who in of_row], np.int64)

    @cached_property
    def transfer(self) -> Float64Array:
        """Of communication its end after the last start of those that take part, of computing its duration."""
        found = self.end - self.start
        at = np.flatnonzero(self.instance != NONE)
        arrived = np.full(int(self.instance.max(initial=NONE)) + 1, -np.inf)
        np.maximum.at(arrived, self.instance[at], self.start[at])
        found[at] = self.end[at] - arrived[self.instance[at]]
        found[at] = np.where(found[at] < _ENDS_EARLY_NS, 0.0, found[at])
        return found

    @cached_property
    def ideal(self) -> Float64Array:
        """How long each row takes in the ideal."""
        found, kinds = np.zeros(len(self.kind)), np.array(self.kind)
        for kind in np.unique(kinds):
            mine = kinds == kind
            found[mine] = (np.mean if kind in _COMPUTING else np.median)(self.transfer[mine])
        return found

    def check(self) -> None:
        """NotReplayed where something is not known, or lacks what it belongs to."""
        unknown = sorted(set(self.kind) - _KNOWN)
        if unknown:
            raise NotReplayed(f"operations that are not known: {', '.join(unknown)}")
        ends = np.bincount(self.instance[np.isin(self.kind, _MESSAGES)], minlength=1)
        if not np.isin(ends, (0, 2)).all():
            raise NotReplayed(f"{int((ends == 1).sum())} messages of which one end is not here")

    def _who_meets(self, row: int) -> tuple[object, ...] | None:
        """The same of all who take part in a row's communication."""
        kind, replica, stage, step = self.kind[row], int(self.replica[row]), int(self.stage[row]), int(self.step[row])
        here = (kind, step, int(self.number[row]))
        if kind in _COMPUTING:
            return None
        if kind in _MESSAGES:
            which, _, what = kind.partition("-")
            computed = self.computed[row]
            into = int(self.chunk[computed]) + (_PASSES[which] if what == "send" else 0)
            return (which, step, replica, into, int(self.batch[computed]))
        if kind == _CLIPPING:
            return here
        if kind == _EMBEDDINGS:
            return (*here, replica)
        if kind == _NORMS:
            return (*here, replica, stage)  # a tensor group, of which one rank is recorded
        return (*here, stage, int(self.on_rank[row]))


def read(path: Path) -> Rows:
    """NotReplayed where pyarrow is not here."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise NotReplayed("not measured here: the rows are Parquet, which needs pyarrow: pip install pyarrow") from error
    table = parquet.read_table(path)
    columns = {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
    start, duration = (np.rint(columns[name].astype(np.float64) * 1e9) for name in ("start_ts", "duration"))
    whole = {name: columns[name].astype(np.int64) for name in _WHOLE}
    places = np.unique(np.stack([whole["dp_rank"], whole["stage"], whole["rank"]]), axis=1)
    if places.shape[1] != np.unique(places[:2], axis=1).shape[1]:
        raise NotReplayed("several ranks of a data-parallel rank and stage")
    order = np.lexsort((whole["seq_id"], start, whole["step"], whole["stage"], whole["dp_rank"]))
    return Rows(
        kind=columns["optype"].astype(str)[order].tolist(),
        **{field: whole[name][order] for name, field in _WHOLE.items() if field},
        start=start[order],
        end=(start + duration)[order],
    )


def waits(rows: Rows) -> Iterator[tuple[int, int]]:
    """(a row, the row that begins after its end), both of one rank and step."""
    for by_kind in rows.by_line:
        on_stream: dict[str, list[int]] = defaultdict(list)
        for kind, mine in by_kind.items():
            on_stream[_STREAMS.get(kind, kind)] += mine
        for stream in on_stream.values():
            yield from itertools.pairwise(sorted(stream))
        for each in _PASSES:
            received = by_kind[f"{each}-recv"]
            yield from ((rows.computed[row], row) for row in by_kind[f"{each}-send"])
            yield from ((row, rows.computed[row]) for row in received)
            yield from ((rows.computed[before], row) for before, row in itertools.pairwise(received))
        for row, one in itertools.product(by_kind[_GATHER], by_kind["forward-compute"]):
            if rows.on_rank[one] == rows.on_rank[row]:
                yield row, one
        for row, one in itertools.product(by_kind[_SCATTER], by_kind["backward-compute"]):
            if rows.on_rank[one] == rows.on_rank[row]:
                yield one, row
        yield from itertools.product(by_kind[_SCATTER], by_kind[_CLIPPING])
        yield from itertools.product(by_kind["backward-compute"][-1:], by_kind[_NORMS] + by_kind[_EMBEDDINGS])
