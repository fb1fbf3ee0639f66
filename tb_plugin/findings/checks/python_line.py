"""Without a device: which of the user's functions holds the host by itself, in Python that calls no operator?

    frames     train.py(3): step 0-100 | torch/nn/modules/linear.py(130): forward 5-40 | <built-in function sleep> 50-80
    operators                          | aten::linear 10-35
               step itself 0-5, 40-50, 80-100; sleep in it 50-80; 5-10 and 35-40 are torch's: every training has them

What lies below a frame of torch is torch's own way to its operators, but where torch writes or reads files.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.compute.intervals import covers, intersect, length, subtract
from tb_plugin.compute.nesting import marked_around
from tb_plugin.findings import worth
from tb_plugin.findings.check import NO_ROWS, Check, Evidence, Seen
from tb_plugin.findings.host_only import waiting_word
from tb_plugin.findings.idle_lines import BUILT_IN
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind
from tb_plugin.trace.modules.call_sites import call_sites, is_user_frame
from tb_plugin.trace.scope.recorded import HOST, WHOLE

if TYPE_CHECKING:
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.findings.facts import Facts
    from tb_plugin.findings.idle_lines import IdleLine

_OF_TORCH: Final = re.compile(r"nn\.Module: |(?:.*[/\\])?torch[/\\](?!serialization\.py\()")
"""Samples: `nn.Module: Linear_0`, `torch/autograd/graph.py(966): _engine_run_backward`; not `torch/serialization.py(9): save`."""

_LOADS: Final = re.compile(r"(?:.*[/\\])?torch[/\\]utils[/\\]data[/\\]")
"""Loading batches, and starting the processes that do: `data_loader` tells of it."""

_CALLS_SHOWN: Final = 3
_ITSELF: Final = "in its own Python"
_LOOP: Final = """\
values = torch.arange(600)  # one tensor instead of a loop over numbers, torch.vmap, or the function compiled:
step = torch.compile(step)"""
_OFTEN: Final = 50
"""Operators a step: from there on it is a loop over small ones."""


def find(facts: Facts) -> Seen | None:
    if len(facts.device_rows) or not facts.has(Kind.PYTHON):
        return None
    line, rows, row_ns = _largest(facts)
    if line is None or facts.share(int(row_ns.sum())) < worth.EVERYWHERE:
        return None
    time = _own(facts, rows)
    own_ns = length(time)
    if facts.share(own_ns) < worth.EVERYWHERE:
        return None
    calls = _calls(facts, rows, row_ns)
    most = next(iter(calls))
    function, n_operators = line.text, _operators(facts, line)
    is_loop = most == _ITSELF and n_operators >= _OFTEN * max(len(facts.counted.places), 1)
    return Seen(
        title=_title(function, most, is_loop=is_loop),
        what=f"For {format_ns(own_ns)} ({percent(facts.share(own_ns))}) the host was in {function} and in no operator: for "
        f"{format_ns(calls[most])} of it {most}." + (f" It calls {counted(n_operators, 'operator')}." if is_loop else ""),
        evidence=[
            Evidence(text="time without an operator", value=own_ns, unit="ns"),
            *(Evidence(text=f"of it {each}", value=ns, unit="ns") for each, ns in list(calls.items())[:_CALLS_SHOWN]),
            Evidence(text="operators that it calls", value=n_operators, unit="count"),
        ],
        rows=rows,
        weight=row_ns,
        gain_ns=own_ns,
        time=time,
        gain_how="time in which this function, or what it calls outside of torch, was innermost on the main thread. Profiling "
        "itself slows Python, so the true figure is smaller.",
        less=Less(line=line.text, during=time),
        estimate_how="this function does nothing but call its operators.",
        code=_LOOP if is_loop else "",
        confidence="likely",
    )


def _title(function: str, most: str, *, is_loop: bool) -> str:
    if not most.startswith("in "):
        return f"Do not let the step wait: {function} is {most}"
    if is_loop:
        return f"Let few operators do the work of many: {function} calls them from a loop in Python"
    return f"Do this beside the step, or less often: {function}" + ("" if most == _ITSELF else f", mostly {most}")


def _largest(facts: Facts) -> tuple[IdleLine | None, Int64Array, Int64Array]:
    """The function with most time by itself; its innermost events, and that time of each."""
    events = facts.trace.events
    loading = facts.union_of(np.concatenate((facts.loader_rows, facts.named(_LOADS.match, Kind.PYTHON))))
    is_operator = events.kind == Kind.OPERATOR
    of_torch, marked = np.zeros((2, len(events)), np.bool_)
    of_torch[facts.named(_OF_TORCH.match, Kind.PYTHON)] = True
    marked[facts.named(is_user_frame, Kind.PYTHON)] = True
    marked |= of_torch
    best: tuple[IdleLine | None, Int64Array, Int64Array] = (None, NO_ROWS, NO_ROWS)
    for line in facts.host_lines:  # most time first: what has less than the best of it by itself is not better
        if line.idle_ns <= best[2].sum():
            break
        if not is_user_frame(line.text):
            continue
        in_operator = marked_around(events.nest_parent, is_operator, line.rows) != NONE
        is_python = ~in_operator & ~covers(loading, events.start_ns[line.rows])
        rows, row_ns = line.rows[is_python], line.row_ns[is_python]
        frame = marked_around(events.nest_parent, marked, rows)
        is_own = (frame != NONE) & ~of_torch[frame]
        if row_ns[is_own].sum() > best[2].sum():
            best = (line, rows[is_own], row_ns[is_own])
    return best


def _own(facts: Facts, rows: Int64Array) -> Merged:
    """When one of these events was innermost, in the window."""
    events = facts.trace.events
    is_mine = np.zeros(len(events), np.bool_)
    is_mine[rows] = True
    above = events.nest_parent
    inside = np.flatnonzero((above != NONE) & is_mine[above] & ~is_mine & is_kind(events.kind, HOST_KINDS))
    return intersect(subtract(facts.union_of(rows), facts.union_of(inside)), facts.window)


def _calls(facts: Facts, rows: Int64Array, row_ns: Int64Array) -> dict[str, int]:
    """By what the user's function called, in words, most time first; under a range it is the function itself."""
    events = facts.trace.events
    is_user = np.zeros(len(events), np.bool_)
    is_user[facts.named(is_user_frame, Kind.PYTHON)] = True
    at, called = rows.copy(), np.full(len(rows), NONE, np.int64)
    left = np.flatnonzero(~is_user[at])
    while len(left):
        row = at[left]
        is_frame = events.kind[row] == Kind.PYTHON
        called[left[is_frame]] = row[is_frame]
        at[left] = events.nest_parent[row]
        left = left[at[left] != NONE]
        left = left[~is_user[at[left]]]
    groups = group_by(np.where(called == NONE, NONE, events.name_id[called]))
    found: dict[str, int] = {}
    for first, ns in zip(called[groups.first].tolist(), sum_by(groups, row_ns).tolist(), strict=True):
        words = _ITSELF if first == NONE else _shortly(facts.name(first))
        found[words] = found.get(words, 0) + ns
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _shortly(name: str) -> str:
    """`sleeping`, `waiting in acquire`, `in zoom_shift`, `in torch/serialization.py(9): save`."""
    called = BUILT_IN.match(name)
    return waiting_word(name) or f"in {called['name'] if called else name}"


def _operators(facts: Facts, line: IdleLine) -> int:
    """Outermost operators in the window that come from this function."""
    events, sites = facts.trace.events, call_sites(facts.trace)
    rows = facts.tree.of_kinds(Kind.OPERATOR)
    above = events.nest_parent[rows]
    is_inner = (above != NONE) & (events.kind[above] == Kind.OPERATOR)
    return len(facts.in_window(rows[~is_inner & (sites.of_row[rows] == sites.texts.index(line.text))]))


CHECK: Final = Check(
    id="python_line",
    looks_for="functions that hold the host in Python and in no operator",
    needs=(HOST, WHOLE),
    find=find,
    code="""\
# every hundred steps, or for the next step in a thread, while this one computes:
following = ThreadPoolExecutor(1).submit(work_of_the_host, next_batch)""",
    unless="profiling itself makes it slow, as many short Python calls are: record once with with_stack=False.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
