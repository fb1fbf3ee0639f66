"""Do a few steps take longer than the others?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import Int64Array, format_ns
from tb_plugin.compute.intervals import EMPTY, intersect, union
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.outlying import come_first, outlying_steps
from tb_plugin.findings.words import counted
from tb_plugin.trace.scope.ranges import ranges_in_words
from tb_plugin.trace.scope.recorded import STEPS
from tb_plugin.trace.times.idle import USES, Use, device_uses

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_STEPS_SHOWN: Final = 5
_WORDS: Final = {use: use.replace("waiting_for_host", "waiting for the host").replace("_", " ") for use in USES}


def find(facts: Facts) -> Seen | None:
    outlying, longer_ns = outlying_steps(facts.counted)
    duration_ns, median_ns = facts.counted.duration_ns, facts.counted.median_ns
    gain_ns = int(longer_ns.sum())
    if median_ns is None or facts.share(gain_ns) < worth.REWRITE:
        return None
    longest = outlying[np.argsort(-longer_ns, kind="stable")]
    steps, places = facts.trace.steps, facts.counted.places
    numbers = steps.number[places[outlying]].astype(np.int64)
    warms_up = outlying.tolist() == [0] and places[0] == 0
    use, more_ns = _most_more(facts, outlying)
    part = f"For {format_ns(more_ns)}" if more_ns < gain_ns else "All"
    is_first = come_first(facts.counted)
    usual = np.abs(duration_ns - median_ns).argmin()
    return Seen(
        title="Record one step later: the first one still warms up"
        if warms_up
        else f"Find out what the long steps have that others lack: compare {_named(numbers)} with the rest",
        what=f"{counted(len(outlying), 'step')} of {len(duration_ns)} took longer than the usual {format_ns(median_ns)}, "
        f"together by {format_ns(gain_ns)} ({percent(facts.share(gain_ns))})."
        + (f" {part} of it the device was {_WORDS[use]}, beyond what is usual." if use else ""),
        evidence=[
            Evidence(text=f"step {steps.number[places[step]]}, longer by", value=int(duration_ns[step] - median_ns), unit="ns")
            for step in longest[:_STEPS_SHOWN].tolist()
        ],
        rows=steps.row[places[longest]].astype(np.int64),
        gain_ns=gain_ns,
        # Where they come first they stand alone; of work nothing tells which part is too much.
        time=intersect(facts.unusual, facts.when("waiting_for_host")) if use == "waiting_for_host" and not is_first else EMPTY,
        gain_how="what these steps took beyond the median of all.",
        is_first=is_first,
        beside=() if warms_up else tuple(steps.number[places[[usual, longest[0]]]].tolist()),
        confidence="likely" if len(outlying) * 2 < len(duration_ns) else "maybe",
    )


def _named(numbers: Int64Array) -> str:
    """`step 5`, `steps 5 and 9`, `steps 3-5, 9`."""
    if len(numbers) == 2:
        return "steps {} and {}".format(*np.sort(numbers))
    return f"{'step' if len(numbers) == 1 else 'steps'} {ranges_in_words(union(numbers, numbers + 1))}"


def _most_more(facts: Facts, outlying: Int64Array) -> tuple[Use | None, int]:
    """(what the device did meanwhile more than in the others, for how long): it may have done less of something else."""
    if len(facts.device_rows) == 0:
        return None, 0
    windows, places = facts.counted.windows, facts.counted.places
    uses = device_uses(facts.trace, facts.busiest, windows.start_ns[places], windows.end_ns[places])
    usual = np.median(np.delete(uses, outlying, axis=0), axis=0)
    more = (uses[outlying] - usual).sum(axis=0)
    return USES[int(more.argmax())], int(more.max())


CHECK: Final = Check(
    id="outlier_steps",
    looks_for="steps that take longer than the others",
    needs=(STEPS,),
    find=find,
    unless="they do what a step does only now and then: evaluation, a checkpoint, the first batch of an epoch.",
)
