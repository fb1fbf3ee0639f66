"""Without a device: does the process wait in collectives that the host carries out, as gloo's?

thread 1     | aten::mm |      wait for the gradients      | step |
gloo thread             |----------gloo:all_reduce---------|         nothing is computed meanwhile
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import intersect, length, length_within, subtract
from tb_plugin.findings.check import Check, Evidence, InTime, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.rank.step_work import without_on_thread
from tb_plugin.trace.scope.recorded import HOST, WHOLE
from tb_plugin.trace.work.collective_names import COLLECTIVE_RANGE, HOST_COLLECTIVE_NAME, HOST_WAIT_NAME
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_MUCH: Final = 0.2
"""Of the time, as for devices: from here on communication is the limit."""


def find(facts: Facts) -> Seen | None:
    if len(facts.device_rows):
        return None
    rows = facts.in_window(facts.named(HOST_COLLECTIVE_NAME.match, Kind.OPERATOR, Kind.ANNOTATION))
    category = category_by_row(facts.trace)
    is_operator = facts.trace.events.kind == Kind.OPERATOR
    computes = is_operator & ~np.isin(category, (Category.OTHER, Category.COMMUNICATION))
    # aten::add that waits in it for the tensor of a functional collective computes nothing meanwhile.
    waits = facts.named(HOST_WAIT_NAME.match, Kind.OPERATOR)
    moving = intersect(facts.union_of(rows), facts.window)
    exposed = subtract(moving, without_on_thread(facts.trace, np.flatnonzero(computes), waits))
    gain_ns = length(exposed)
    if facts.share(gain_ns) < _MUCH:
        return None
    in_window_ns = length_within(facts.window, facts.trace.events.start_ns[rows], facts.trace.events.end_ns[rows])
    # Of a collective the call and, of a functional one, the wait for it are there too.
    ranges = rows[rows_named(facts.trace, rows, COLLECTIVE_RANGE.match)]
    n_collectives = len(ranges) or len(rows)
    longest = int(rows[in_window_ns.argmax()])
    return Seen(
        title="Find the rank that comes late, or send fewer bytes: the process waits in collectives on the host",
        what=f"{counted(n_collectives, 'collective')} on the host took {format_ns(length(moving))}, and for {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) nothing was computed beside them. The longest, {facts.name(longest)}, took "
        f"{format_ns(int(in_window_ns.max()))}. Waiting for another rank and moving bytes look alike here.",
        evidence=[
            Evidence(text="time in collectives", value=length(moving), unit="ns"),
            Evidence(text="of it with nothing computed beside", value=gain_ns, unit="ns"),
            Evidence(text="collectives", value=n_collectives, unit="count"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        time=exposed,
        gain_how="time of collectives on the host in which no operator computed, on any thread.",
        confidence="likely",
        in_time=InTime("Send fewer bytes: the process waits in collectives on the host", code=""),
    )


CHECK: Final = Check(
    id="host_communication",
    looks_for="processes without a device that wait in collectives",
    needs=(HOST, WHOLE),
    find=find,
    code="# the other ranks' profiles, on one clock:\ntb-plugin serve logs/my_run",
    unless="the job only tries out what will run on devices.",
    link="https://docs.pytorch.org/docs/stable/notes/ddp.html",
    view="ranks",
)
