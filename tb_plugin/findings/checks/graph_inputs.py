"""Are tensors copied into the places that a recorded graph reads, one by one before each of its launches?

thread  |copy_||copy_||copy_| ... |cudaGraphLaunch|      twenty or more copies on the device, and no kernel between
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct, in_both
from tb_plugin.compute.intervals import union
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import LAUNCH_KINDS, Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_MANY: Final = 20
"""Copies before a launch: fewer are inputs that do change, as a batch does."""

_NEEDED: Final = 0.2
"""Of their time, for inputs that change with every step."""


def find(facts: Facts) -> Seen | None:
    graphs = facts.in_window(facts.named(lambda name: "GraphLaunch" in name, *LAUNCH_KINDS))
    copies = _copied_for(facts, graphs)
    if len(copies) == 0:
        return None
    owner = distinct(facts.trace.events.owner[copies]).astype(np.int64)
    device, host = facts.union_of(copies), facts.union_of(owner[owner != NONE])
    both = union(np.concatenate((device.start, host.start)), np.concatenate((device.end, host.end)))
    gain_ns = facts.window_part(both)
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    return Seen(
        title="Mark inputs of graphs that do not move: each is copied before every launch",
        what=f"{counted(len(copies), 'copy', 'copies')} on the device put inputs where graphs read them, before "
        f"{counted(len(graphs), 'launch', 'launches')}: {format_ns(facts.window_part(device))} on the device and "
        f"{format_ns(facts.window_part(host))} of the host ({percent(facts.share(gain_ns))}).",
        evidence=[
            Evidence(text="copies before graph launches", value=len(copies), unit="count"),
            Evidence(text="their time on the device", value=facts.window_part(device), unit="ns"),
            Evidence(text="host time of the operators that copy", value=facts.window_part(host), unit="ns"),
        ],
        rows=copies,
        time=both,
        gain_ns=gain_ns,
        gain_how="time of these copies on the device and of the operators that launch them on the host.",
        estimate_how="a fifth of them left: what changes with every step has to be copied.",
        less=Less(work=copies, work_factor=_NEEDED, host=owner[owner != NONE], host_factor=_NEEDED),
        confidence="likely",
    )


def _copied_for(facts: Facts, graphs: Int64Array) -> Int64Array:
    """Copies on the busiest device that the operator around a graph's launch launched before it, where these are many."""
    events = facts.trace.events
    around = events.nest_parent[graphs].astype(np.int64)
    graphs, around = graphs[around != NONE], around[around != NONE]
    found = [np.zeros(0, np.int64)]
    for track in distinct(events.track[graphs]).tolist():
        mine = events.track[graphs] == track
        before = union(events.start_ns[around[mine]], events.start_ns[graphs[mine]])
        work = in_both(facts.launched_on(track, before), facts.busiest)
        copies = work[(events.kind[work] == Kind.COPY) & rows_named(facts.trace, work, lambda name: "DtoD" in name)]
        launch = np.searchsorted(before.start, events.start_ns[events.launch[copies]], side="right")
        found.append(copies[np.bincount(launch)[launch] >= _MANY])
    return np.sort(np.concatenate(found))


CHECK: Final = Check(
    id="graph_inputs",
    looks_for="inputs copied before graphs are launched",
    needs=(HOST, DEVICE, LAUNCHES),
    find=find,
    code="""\
torch._dynamo.mark_static_address(tensor)  # buffers and states that stay where they are
# parameters are static already where they belong to the module that is compiled""",
    unless="The inputs do change their place with every step.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html",
)
