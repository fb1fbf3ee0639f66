"""Do kernels run that only bring tensors into another layout or type: contiguous, clone, to?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import without_overload
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_COPIES: Final = ("aten::contiguous", "aten::clone")
_CASTS: Final = ("aten::to", "aten::_to_copy")


def find(facts: Facts) -> Seen | None:
    copies, casts = _kernels_of(facts, _COPIES), _kernels_of(facts, _CASTS)
    work = np.union1d(copies, casts)
    gain_ns = facts.window_part(facts.union_of(work))
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    times = [facts.window_part(facts.union_of(rows)) for rows in (copies, casts)]
    return Seen(
        title="Copy and cast less: views in place of contiguous(), one cast in place of many",
        what=f"{counted(len(copies), 'kernel')} of contiguous() and clone() took {format_ns(times[0])}, "
        f"{counted(len(casts), 'cast')} by to() {format_ns(times[1])} ({percent(facts.share(gain_ns))} in all).",
        evidence=[
            Evidence(text="kernels of contiguous and clone", value=len(copies), unit="count"),
            Evidence(text="their time", value=times[0], unit="ns"),
            Evidence(text="kernels of casts", value=len(casts), unit="count"),
            Evidence(text="time of casts", value=times[1], unit="ns"),
        ],
        rows=work,
        gain_ns=gain_ns,
        gain_how="time of these kernels. Which of them are needed is not recorded: tensors have no identity.",
        less=Less(work=work),
        estimate_how="all of them gone.",
        confidence="maybe",
    )


def _kernels_of(facts: Facts, names: tuple[str, ...]) -> Int64Array:
    """Kernels of the busiest device, and no copies from or to the host, launched inside these operators in the window."""
    _, work = facts.launching(facts.named(lambda name: without_overload(name) in names, Kind.OPERATOR))
    kernels: Int64Array = work[facts.trace.events.kind[work] == Kind.KERNEL]
    return kernels


CHECK: Final = Check(
    id="redundant_copy",
    looks_for="kernels that only copy or cast tensors",
    needs=(HOST, DEVICE, LAUNCHES),
    find=find,
    code="""\
hidden = hidden.transpose(1, 2)  # without .contiguous(), where what follows takes strides: matmul, attention
weight = weight.to(torch.bfloat16)  # once, when the model is made""",
    unless="What comes after takes contiguous tensors alone, or autocast casts each weight once a step: that is its work.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
