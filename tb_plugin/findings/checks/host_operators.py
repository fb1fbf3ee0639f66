"""Do operators work on the host itself, beside a device that could do it or that will wait for them once it is faster?

thread 1 | permute_2D_sparse_data 0-800 | linear 810-830 | permute_2D_sparse_data 840-1640     calls nothing of the device
device   |------------------------------- busy ------------------------------|
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.compute.intervals import intersect, length
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.edits import written
from tb_plugin.trace.kinds import LAUNCH_KINDS, Kind
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, WHOLE
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_CALLS: Final = 5
"""Fewer are the start of something."""

_WORKS_NS: Final = 100_000
"""Mean of a call: views, empty tensors and all that only leads to a launch take a tenth of it at most."""

_LOADER: Final = """\
loader = DataLoader(dataset, collate_fn=permute_and_batch, num_workers=8, pin_memory=True)
# or the same on the device:
batch = batch.to(device, non_blocking=True)"""


def find(facts: Facts) -> Seen | None:
    rows = _on_the_host(facts)
    if len(rows) == 0:
        return None
    groups = group_by(facts.trace.events.name_id[rows])
    time_ns, calls = sum_by(groups, facts.duration(rows)), np.bincount(groups.of)
    time_ns = np.where((calls >= _CALLS) & (time_ns >= _WORKS_NS * calls), time_ns, 0)
    largest = int(time_ns.argmax())
    mine = rows[groups.of == largest]
    took = facts.union_of(mine)
    if facts.share(float(time_ns[largest])) < worth.EVERYWHERE:
        return None
    waited = intersect(took, facts.when("waiting_for_host"))
    is_felt = facts.share(length(waited)) >= worth.REWRITE
    name, gain_ns, busy_ns = facts.name(int(mine[0])), length(waited), length(intersect(took, facts.busy))
    return Seen(
        title=f"Do {name} on the device, or in another thread beside it: it works on the host alone",
        what=f"{counted(len(mine), 'call')} of {name} took {format_ns(int(time_ns[largest]))} of host threads and called nothing "
        f"of the device. Of the {format_ns(length(took))} in which one of them ran that was busy for {format_ns(busy_ns)} and "
        f"waited for the host for {format_ns(gain_ns)}. A faster device would wait for it longer.",
        evidence=[
            Evidence(text=f"{name}, on all threads", value=int(time_ns[largest]), unit="ns"),
            Evidence(text="its calls", value=len(mine), unit="count"),
            Evidence(text="device waiting for the host meanwhile", value=gain_ns, unit="ns"),
        ],
        rows=mine,
        gain_ns=gain_ns if is_felt else None,
        time=waited,
        gain_how="time of these calls in which the busiest device waited for the host, as on the overview."
        if is_felt
        else "nothing, as long as the device is busy meanwhile.",
        without=written("host", name, 0) if is_felt else (),
        code=_LOADER if facts.is_loading(took) else "",
        confidence="likely",
    )


def _on_the_host(facts: Facts) -> Int64Array:
    """Outermost operators in the window that call nothing of the device, load nothing and wait for no other rank."""
    events, parent = facts.trace.events, facts.trace.events.nest_parent
    works = (events.kind == Kind.OPERATOR) & ~_calls_the_device(facts)
    works[facts.loader_rows] = False
    works &= category_by_row(facts.trace) != Category.COMMUNICATION
    is_inner = (parent != NONE) & np.append(works, False)[parent]
    return facts.in_window(np.flatnonzero(works & ~is_inner))


def _calls_the_device(facts: Facts) -> BoolArray:
    """Of every event row: is there a call to the device's runtime in it?"""
    parent = facts.trace.events.nest_parent
    found = np.zeros(len(parent), np.bool_)
    at = parent[facts.tree.of_kinds(*LAUNCH_KINDS)]
    while len(at := distinct(at[at != NONE])):
        at = at[~found[at]]
        found[at] = True
        at = parent[at]
    return found


CHECK: Final = Check(
    id="host_operators",
    looks_for="operators that work on the host beside the device",
    needs=(HOST, DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="""\
result = work_of_the_host(batch.to(device, non_blocking=True))  # on the device, where it can do that
# or for the next step in a thread, while the device works on this one:
following = ThreadPoolExecutor(1).submit(work_of_the_host, next_batch)""",
    unless="the device is busy all the time and stays as fast as it is.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
