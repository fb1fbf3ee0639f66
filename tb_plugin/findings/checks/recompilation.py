"""Does torch.compile compile inside the window, or again and again?

    entire_frame_compile > _compile.compile_inner (dynamo_timed) > ...        compile_id=0/1: the second time of function 0

Torch puts a range around each part of compiling since 2.1; `_data` marks with the id, F/N, since 2.6.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import HOST

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_TIMED: Final = "(dynamo_timed)"
_WHOLE: Final = "entire_frame_compile"
_FRAME: Final = re.compile(r"torch[/\\]_dynamo[/\\]convert_frame\.py\(\d+\): _compile\Z")
"""Sample: `torch/_dynamo/convert_frame.py(1633): _compile`."""

_MARK: Final = re.compile(r"entire_frame_compile_data:.*\bcompile_id=(?P<function>\d+)/(?P<time>\d+)")
"""Sample: `entire_frame_compile_data: fn_name=_compile.compile_inner, compile_id=0/1`."""

_LOOKUP: Final = "TorchDynamo Cache Lookup"


def find(facts: Facts) -> Seen | None:
    rows = _outermost(facts, facts.in_window(facts.named(_is_compiling, Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON)))
    gain_ns = facts.window_part(facts.union_of(rows))
    if facts.share(gain_ns) < worth.ONE_LINE:
        return None
    again = _again(facts)
    lookups = facts.in_window(facts.named(_LOOKUP.__eq__, Kind.OPERATOR, Kind.ANNOTATION))
    evidence = [
        Evidence(text="time in compiling", value=gain_ns, unit="ns"),
        Evidence(text="times that a function was compiled again", value=sum(again.values()), unit="count"),
        Evidence(text="functions that were compiled again", value=len(again), unit="count"),
        Evidence(text="time in looking up compiled code", value=facts.window_part(facts.union_of(lookups)), unit="ns"),
    ]
    took = f"Compiling took {format_ns(gain_ns)} ({percent(facts.share(gain_ns))})"
    if again:
        title = "Keep torch.compile from compiling again: mark_dynamic for sizes that change, tensors instead of numbers"
        what = f"{took}. Compiled again: {counted(len(again), 'function')}, {counted(sum(again.values()), 'time')} in all."
        what += " TORCH_LOGS=recompiles names what changed."
    else:
        title = "Record after torch.compile is done: warm up before the profile"
        what = f"{took}. No function is known to be compiled twice: a longer job pays this once."
    return Seen(
        title=title,
        what=what,
        evidence=evidence,
        rows=rows,
        gain_ns=gain_ns,
        gain_how="host time in torch.compile, the first time of each function included.",
        confidence="likely" if again else "sure",
    )


def _is_compiling(name: str) -> bool:
    return name.endswith(_TIMED) or name == _WHOLE or _FRAME.match(name) is not None


def _again(facts: Facts) -> Counter[str]:
    """Per number of a function how often it was compiled after the first time."""
    marks = facts.in_window(facts.named(_MARK.match, Kind.OPERATOR, Kind.ANNOTATION))
    found = (match for row in marks.tolist() if (match := _MARK.match(facts.name(row))))
    return Counter(match["function"] for match in found if match["time"] != "0")


def _outermost(facts: Facts, rows: Int64Array) -> Int64Array:
    """Those that lie in none of the others."""
    wanted = set(rows.tolist())
    parent = facts.trace.events.parent

    def is_inside(row: int) -> bool:
        at = int(parent[row])
        while at != NONE and at not in wanted:
            at = int(parent[at])
        return at != NONE

    return np.array([row for row in rows.tolist() if not is_inside(row)], np.int64)


CHECK: Final = Check(
    id="recompilation",
    looks_for="torch.compile at work inside the window",
    needs=(HOST,),
    find=find,
    code="""\
torch._dynamo.mark_dynamic(batch, 0)  # a size that changes
# TORCH_LOGS=recompiles python train.py names what changed""",
    unless="a job runs long enough for compiling to be little.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler_faq.html",
)
