"""One rank in small tables: what is asked of each profile, kept, and joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.units import format_ns
from tb_plugin.trace.rank.summarise import summarise

if TYPE_CHECKING:
    from tb_plugin.question.question import NoParams
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.rank.summary import RankSummary


def summary(trace: Trace, _params: NoParams) -> RankSummary:
    return summarise(trace)


def summary_text(reply: RankSummary) -> str:
    """Its tables are for programs; this is what is in them."""
    size = "not recorded" if reply.world_size is None else str(reply.world_size)
    return "\n".join(
        [
            f"rank           {'not recorded' if reply.rank is None else reply.rank} of {size}",
            f"host           {reply.host or 'not recorded'}",
            f"steps          {reply.steps.n_rows if reply.has_steps else 'not recorded'}",
            f"collectives    {reply.collectives.n_rows} in {len(reply.groups)} named groups",
            f"computation    {format_ns(reply.computation_ns)}",
            f"communication  {format_ns(reply.communication_ns)}, {format_ns(reply.overlap_ns)} of it hidden",
        ]
    )
