"""Micro-batches of one pipeline in a step as text, and as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import aligned
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.question.outline import TextTable

if TYPE_CHECKING:
    from tb_plugin.views.ranks.pipeline.micro_batches import MicroBatches, MicroBlocks

_MOST_COLUMNS: Final = 32
_TIMES: Final = ("computing_ns", "forward_wait_ns", "backward_wait_ns")
_CHUNKS: Final = ("forward_chunk", "backward_chunk")


def text(reply: MicroBatches) -> str:
    if reply.reason is not None:
        return reply.reason
    head = f"run {reply.run} · step {reply.step} · {format_ns(reply.window_ns)} from the first forward to the last backward"
    head += " of all pipelines" if len(reply.choices) > 1 else ""
    lines = [f"stage {row.stage} (rank {row.rank})  {' '.join(_names_in(reply.blocks, at))}" for at, row in enumerate(reply.rows)]
    if reply.ideal is not None and reply.ideal_ns is not None:
        lines.append(f"the same blocks without waits, at mean durations: {format_ns(reply.ideal_ns)}")
        lines += [f"stage {row.stage}  {' '.join(_names_in(reply.ideal, at))}" for at, row in enumerate(reply.rows)]
    return "\n".join([head, *lines, *_times(reply), *(f"note: {note}" for note in reply.notes)])


def _times(reply: MicroBatches) -> list[str]:
    """A row a stage, chunk and pass, a column a micro-batch; of a block of both the forward has the time."""
    of, n_micro = reply.blocks, max([*reply.blocks.forward, *reply.blocks.backward], default=NONE) + 1
    if n_micro > _MOST_COLUMNS:
        return [f"times of the {n_micro} micro-batches: --format csv"]
    rows = []
    for place, row in enumerate(reply.rows):
        computing = "not known" if row.computation_ns is None else format_ns(row.computation_ns)
        for chunk in range(reply.n_chunks):
            cells = {name: [""] * n_micro for name in ("forward", "backward", "wait")}
            waits: list[list[int | None]] = [[] for _ in range(n_micro)]
            for at in (at for at, each in enumerate(of.row) if each == place):
                forward, backward, ns = of.forward[at], of.backward[at], format_ns(of.computing_ns[at])
                if forward != NONE and of.forward_chunk[at] == chunk:
                    cells["forward"][forward] = ns if backward == NONE else f"{of.name[at]} {ns}"
                    waits[forward].append(of.forward_wait_ns[at])
                if backward != NONE and of.backward_chunk[at] == chunk:
                    cells["backward"][backward] = ns if forward == NONE else f"in {of.name[at]}"
                    waits[backward].append(of.backward_wait_ns[at])
            cells["wait"] = ["" if not all_of else _summed(all_of) for all_of in waits]
            name = f"{row.stage}·{chunk}" if reply.n_chunks > 1 else str(row.stage)
            heads = ([name, "" if chunk else computing], ["", ""], ["", ""])
            rows += [[*head, of_what, *cells[of_what]] for head, of_what in zip(heads, cells, strict=True)]
    return aligned(["stage", "computes", "of", *map(str, range(n_micro))], rows, left=("of",)).splitlines()


def _summed(waits: list[int | None]) -> str:
    known = [wait for wait in waits if wait is not None]
    return format_ns(sum(known)) if len(known) == len(waits) else "not known"


def _names_in(blocks: MicroBlocks, row: int) -> list[str]:
    return [name for at, name in zip(blocks.row, blocks.name, strict=True) if at == row]


def table(reply: MicroBatches) -> TextTable:
    """A row a block."""
    of, rows = reply.blocks, reply.rows
    columns = ("stage", "rank", "forward", "backward", "start_ns", "end_ns", *_TIMES, *_CHUNKS)
    times = zip(of.start_ns, of.end_ns, *(getattr(of, name) for name in (*_TIMES, *_CHUNKS)), strict=True)
    return TextTable(
        columns=columns,
        rows=[
            (rows[at].stage, rows[at].rank, None if f == NONE else f, None if b == NONE else b, *its)
            for at, f, b, its in zip(of.row, of.forward, of.backward, times, strict=True)
        ],
    )
