"""Is nn.DataParallel used? It copies the model to every device in every step, from one process."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import format_ns
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import HOST

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_FORWARD: Final = re.compile(r"DataParallel\.forward\Z|nn\.Module: DataParallel_\d+\Z")
_OVERHEAD: Final = re.compile(
    r"torch[/\\]nn[/\\]parallel[/\\](?:replicate|scatter_gather)\.py\(\d+\): (?:replicate|scatter_kwargs|gather)\Z"
)


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.named(_FORWARD.match, Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON))
    if len(rows) == 0:
        return None
    overhead = facts.named(_OVERHEAD.match, Kind.PYTHON)
    gain_ns = facts.cost_ns(overhead) if len(overhead) else None
    spent = "" if gain_ns is None else f" Copying the model, the inputs and the outputs took {format_ns(gain_ns)}."
    return Seen(
        title="Use DistributedDataParallel instead of DataParallel, with one process per device",
        what=f"DataParallel's forward ran in {counted(len(rows), 'call')}.{spent}",
        evidence=[Evidence(text="forward passes", value=len(rows), unit="count")],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="time of replicate, scatter and gather, host and device."
        if gain_ns is not None
        else "unknown: what copying the model costs shows with with_stack=True.",
        less=Less(work=facts.work_of(overhead), host=overhead) if len(overhead) else None,
        confidence="sure",
    )


CHECK: Final = Check(
    id="data_parallel",
    looks_for="nn.DataParallel",
    needs=(HOST,),
    find=find,
    code="""\
# torchrun --nproc-per-node=gpu train.py
torch.distributed.init_process_group("nccl")
model = DistributedDataParallel(model.to(local_rank), device_ids=[local_rank])""",
    link="https://docs.pytorch.org/docs/stable/notes/ddp.html",
)
