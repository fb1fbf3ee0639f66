"""Who is late, in which steps and why; the slow link; what experts receive: checks 13 to 15 and 22."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ranks_jobs import Line, Recorded, held

if TYPE_CHECKING:
    from tb_plugin.job.own.load_balance import LoadBalance
    from tb_plugin.views.ranks.result import Blamed

_CAUSES = {
    "slow": "slow_kernels",
    "stage": "slow_kernels",
    "input": "input",
    "gc": "pause",
    "host": "launches",
    "silent": "pause",
}
"""Of the faults that were simulated, what we call them."""

_RECORDED = {"slow": "pause"}
"""On CPU the slow rank does nothing for 40 ms of each step, outside of any operator: no operator of its own is slower."""

_UNEVEN = {"syn8_ep4_dp8_input": {10, 11}}
"""Experts are uneven there: ranks may be named for more work in these steps, and for nothing else."""


class Fault(NamedTuple):
    """As it was put in. `who` is a name of ours; None: a link."""

    who: str | None
    cause: str
    steps: list[int]
    where: int
    amount: float


def faults_of(one: Recorded) -> list[Fault]:
    """All of them; none where the job is healthy."""
    numbers = one.truth.get("step_numbers", one.truth.get("steps", []))
    found = []
    for fault in one.truth.get("faults", ()):
        where = fault.get("where", fault.get("rank"))
        step = fault.get("step")
        who = None if fault["kind"] == "link" else f"{'stage' if fault['kind'] == 'stage' else 'rank'} {where}"
        causes = _CAUSES if one.is_simulated else {**_CAUSES, **_RECORDED}
        steps = list(numbers) if step is None else [numbers[step]]
        found.append(Fault(who, causes.get(fault["kind"], fault["kind"]), steps, where, fault["amount"]))
    return found


def blame(one: Recorded) -> list[Line]:
    """All that were made late are named at the right level, in exactly the steps in which they are, and nobody else is."""
    faults = faults_of(one)
    wanted = {fault.who: fault for fault in faults if fault.who is not None}
    named = [each for each in one.table.blamed if not _is_uneven(one, each)]
    got = {each.name: each for each in named}
    right = got.keys() == wanted.keys() and all(sorted(got[who].steps) == fault.steps for who, fault in wanted.items())
    said = "; ".join(f"{each.name} in {each.steps}" for each in named) or "nobody"
    if uneven := [each.name for each in one.table.blamed if _is_uneven(one, each)]:
        said += f" (for more work: {', '.join(uneven)})"
    asked = "; ".join(f"{who} in {fault.steps}" for who, fault in wanted.items()) or "nobody"
    found = [held(13, "who is late, in which steps", one.name, asked, said, good=right)]
    for who, fault in wanted.items():
        cause = got[who].cause if who in got else "not named"
        found.append(held(14, f"why {who} is", one.name, fault.cause, cause, good=cause == fault.cause))
    return found + [line for fault in faults if fault.who is None for line in _link(one, fault)]


def _is_uneven(one: Recorded, named: Blamed) -> bool:
    return named.cause == "more_work" and set(named.steps) <= _UNEVEN.get(one.name, set())


def _link(one: Recorded, fault: Fault) -> list[Line]:
    slow, name = one.of.links.slow, f"node{fault.where:04d}"
    hosts = [one.of.job.of.hosts[at] for at in slow.hosts] if slow else []
    factor = slow.factor if slow else 1.0
    said = f"host {', '.join(hosts) or 'none'}, {factor:.2f} x as long"
    good = hosts == [name] and abs(factor / fault.amount - 1) <= 0.1
    found = [held(14, "why it is slow", one.name, "a slow link", one.table.slow_link or "nothing", good=slow is not None)]
    return [*found, held(15, "slow link: host and factor", one.name, f"{name}, {fault.amount} within 10 %", said, good=good)]


def tokens(one: Recorded, found: LoadBalance) -> Line:
    """What a rank receives is what the members of its group send it, counted from the other side: nothing is lost on the way."""
    sent: Counter[tuple[int, int]] = Counter()
    n_calls = 0
    for path in one.folder.glob("*.trace.json.gz"):
        events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
        for number, args in _dispatches(events):
            n_calls += 1
            members = json.loads(args["Process Group Ranks"])
            for member, size in zip(members, json.loads(args["In split size"]), strict=True):
                sent[member, number] += size
    wrong = 0
    for place, number in itertools.product(range(len(found.received)), one.of.own.number.tolist()):
        mine = found.received[place, int(np.searchsorted(one.of.own.number, number))]
        wrong += int(mine != sent[one.of.job.of.numbers[place], number])
    ours = f"{wrong} of {found.received.size} ranks and steps wrong; {n_calls} dispatches, worst group {found.worst:.1%}"
    return held(22, "tokens that an expert's rank receives", one.name, "exact", ours, good=wrong == 0 < n_calls)


def _dispatches(events: list[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """(step, args of the call) of each all-to-all that brings tokens there. In these jobs every second one brings them back."""
    steps = sorted((e["ts"], e["ts"] + e["dur"], int(e["name"][13:])) for e in events if re.match(r"ProfilerStep#\d", e["name"]))
    calls = [e for e in events if e["name"] == "record_param_comms" and "to_all" in e["args"].get("Collective name", "")]
    return [
        (next(number for begin, end, number in steps if begin <= call["ts"] < end), call["args"])
        for call in calls
        if call["args"]["Seq"] % 2
    ]
