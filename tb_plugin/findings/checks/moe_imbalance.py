"""Do experts on some ranks get more tokens than those on others? Then all ranks wait for the fullest.

all-to-all   rank 0 sends 900, 100, 100, 100 rows to ranks 0 to 3       the fullest gets 3 times the mean of 300
experts      work for the time that the fullest needs

Looks at the split sizes that torch writes beside an all-to-all, and at what is computed until the next one brings tokens back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import Int64Array, format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import NO_ROWS, Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES, WHOLE
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_UNEVEN: Final = 1.2
"""The fullest rank over the mean: what routers with a balancing loss stay below."""

_LEAST: Final = 2
"""One that brings the tokens to the experts, and one that brings them back."""


def find(facts: Facts) -> Seen | None:
    events = facts.trace.events
    known = collectives(facts.trace)
    mine = np.isin(known.row, facts.in_window(facts.busiest[facts.is_collective[facts.busiest]])).tolist()
    sent = {
        row: sizes for row, sizes, is_mine in zip(known.row.tolist(), known.sent, mine, strict=True) if is_mine and len(sizes) > 1
    }
    rows = np.array(sorted(sent, key=lambda row: int(events.start_ns[row])), np.int64)
    if len(rows) < _LEAST:
        return None
    uneven = np.array([max(sent[row]) * len(sent[row]) / max(sum(sent[row]), 1) for row in rows.tolist()])
    wanted = np.flatnonzero(uneven[:-1] > _UNEVEN)
    experts = [_products_between(facts, int(rows[at]), int(rows[at + 1])) for at in wanted.tolist()]
    saved = [float(facts.duration(each).sum()) * (1 - 1 / uneven[at]) for at, each in zip(wanted.tolist(), experts, strict=True)]
    gain_ns, work = round(sum(saved)), np.concatenate([NO_ROWS, *experts])
    if len(work) == 0 or facts.share(gain_ns) < worth.REWRITE:
        return None
    usual, time_ns = float(np.median(uneven[wanted])), facts.window_part(facts.union_of(work))
    return Seen(
        title="Balance the experts: a balancing loss, a capacity for each, or experts moved between ranks",
        what=f"{counted(len(wanted), 'all-to-all')} of {len(rows)} sent the fullest rank {usual:.1f} times the mean. Products "
        f"until the next one took {format_ns(time_ns)} ({percent(facts.share(time_ns))}): evenly split, about "
        f"{format_ns(gain_ns)} less on the fullest rank, which all wait for.",
        evidence=[
            Evidence(text="all-to-alls that send unevenly", value=len(wanted), unit="count"),
            Evidence(text="rows to the fullest rank, of 1 000 rows to the mean one", value=1000 * usual, unit="count"),
            Evidence(text="time of products between them", value=time_ns, unit="ns"),
        ],
        rows=rows[wanted],
        time=facts.union_of(work),
        gain_ns=gain_ns,
        gain_how="time of the products between one all-to-all and the next x (1 - mean / most rows sent to a rank): as if the "
        "fullest rank were this one, and others sent as unevenly.",
        confidence="maybe",
    )


def _products_between(facts: Facts, dispatch: int, combine: int) -> Int64Array:
    """Kernels of products that begin after the first of these and before the second."""
    events, rows = facts.trace.events, facts.busiest
    inside = (events.start_ns[rows] >= events.end_ns[dispatch]) & (events.start_ns[rows] < events.start_ns[combine])
    is_product = (events.kind[rows] == Kind.KERNEL) & (category_by_row(facts.trace)[rows] == Category.MATMUL)
    found: Int64Array = rows[inside & is_product]
    return found


CHECK: Final = Check(
    id="moe_imbalance",
    looks_for="experts that get more tokens than others",
    needs=(DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="loss = loss + 0.01 * balancing_loss  # of the router, as in Switch Transformer",
    unless="the all-to-all is of something else, as of embeddings: then shard these evenly.",
    link="https://docs.nvidia.com/megatron-core/developer-guide/latest/api-guide/moe.html",
    view="ranks",
)
