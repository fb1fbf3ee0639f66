"""Are gradients reduced over ranks in each micro-batch of gradient accumulation, where once before the optimizer's step would do?

host    |DDP.forward| backward |DDP.forward| backward |Optimizer.step|       two micro-batches, an update
device       all-reduce A, B        all-reduce A, B                          the first two are not needed
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.distinct import in_both
from tb_plugin.compute.intervals import intersect, length, subtract
from tb_plugin.findings import worth
from tb_plugin.findings.check import NO_ROWS, Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.collectives.kinds import ALL_REDUCE, OTHER, REDUCE_SCATTER
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.findings.facts import Facts

_FORWARD: Final = "DistributedDataParallel.forward"
_UPDATE: Final = "Optimizer.step"


class _Accumulated(NamedTuple):
    """All-reduces of micro-batches that another one of the same update follows, and how many micro-batches an update has."""

    rows: Int64Array
    n_updates: int
    n_micro_batches: int


def find(facts: Facts) -> Seen | None:
    found = _needless(facts)
    if len(found.rows) == 0:
        return None
    exposed = intersect(subtract(facts.union_of(found.rows), facts.computation), facts.window)
    gain_ns = length(exposed)
    if facts.share(gain_ns) < worth.ONE_LINE:
        return None
    total_ns = facts.window_part(facts.union_of(found.rows))
    return Seen(
        title="Reduce gradients once an update: run all but the last micro-batch under model.no_sync()",
        what=f"{counted(found.n_updates, 'update')} of the optimizer came after {found.n_micro_batches} micro-batches each, and "
        f"each micro-batch reduced the same gradients over all ranks: {counted(len(found.rows), 'all-reduce')} of "
        f"{format_ns(total_ns)} were not needed, {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}) of it with nothing "
        "computed beside.",
        evidence=[
            Evidence(text="micro-batches an update", value=found.n_micro_batches, unit="count"),
            Evidence(text="all-reduces that are not needed", value=len(found.rows), unit="count"),
            Evidence(text="their time", value=total_ns, unit="ns"),
            Evidence(text="of it exposed", value=gain_ns, unit="ns"),
        ],
        rows=found.rows,
        gain_ns=gain_ns,
        time=exposed,
        gain_how="time of these all-reduces with no computing kernel beside. Where they wait for slower ranks, the one that is "
        "left waits for them.",
        confidence="likely",
    )


def _needless(facts: Facts) -> _Accumulated:
    """Those of updates all of whose micro-batches reduce the same."""
    events = facts.trace.events
    forwards, updates = (
        np.sort(events.start_ns[_outermost(facts, name)]) for name in (_FORWARD.__eq__, lambda name: name.startswith(_UPDATE))
    )
    reduces = facts.busiest[facts.is_collective[facts.busiest] & (events.launch[facts.busiest] != NONE)]
    known = collectives(facts.trace)
    reduces = in_both(reduces, known.row[np.isin(known.kind, (ALL_REDUCE, REDUCE_SCATTER, OTHER))])
    reduces = reduces[np.argsort(events.start_ns[events.launch[reduces]], kind="stable")]
    if len(forwards) <= 1 or len(updates) == 0 or len(reduces) == 0:
        return _Accumulated(NO_ROWS, 0, 0)
    called_ns = events.start_ns[events.launch[reduces]]
    batch = np.searchsorted(forwards, called_ns, side="right") - 1
    update = np.searchsorted(updates, forwards)  # of each micro-batch the update that comes after it
    found, sizes = [], Counter[int]()
    for number in range(len(updates)):
        members = np.flatnonzero(update == number)
        of_each = [reduces[(batch == member) & (called_ns <= updates[number])] for member in members.tolist()]
        kinds = {tuple(sorted(facts.name(row) for row in rows.tolist())) for rows in of_each}
        if len(members) > 1 and len(kinds) == 1 and kinds != {()}:
            found += of_each[:-1]
            sizes[len(members)] += 1
    rows = facts.in_window(np.concatenate(found)) if found else NO_ROWS
    return _Accumulated(rows, sizes.total(), sizes.most_common(1)[0][0] if sizes else 0)


def _outermost(facts: Facts, is_wanted: Callable[[str], object]) -> Int64Array:
    """Ranges of this name that lie in no other one of it."""
    rows = facts.named(is_wanted, Kind.ANNOTATION, Kind.OPERATOR)
    parent = facts.trace.events.nest_parent
    return rows[~np.isin(parent[rows], rows)]


CHECK: Final = Check(
    id="no_sync",
    looks_for="gradients that are reduced in each micro-batch",
    needs=(HOST, DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="""\
for place, batch in enumerate(micro_batches):
    with contextlib.nullcontext() if place == len(micro_batches) - 1 else model.no_sync():
        loss(model(batch)).backward()
optimizer.step()""",
    unless="gradients are clipped or read in each micro-batch; with FSDP no_sync() keeps whole gradients in memory.",
    link="https://docs.pytorch.org/docs/stable/notes/ddp.html",
)
