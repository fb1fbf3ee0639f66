"""Of who has more work than its peers: how many kernels more, of which first, and on what shapes; within a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from tb_plugin.base.cut import cut_middle
from tb_plugin.views.ranks.basis.names import so_many_more

if TYPE_CHECKING:
    from tb_plugin.job.why.cause import Cause

Ran = Literal["kernels", "operators", "names"]
"""Kernels; on a CPU operators by their inputs, or by their names alone where no inputs were recorded."""

LONGEST_NAME: Final = 80
ONLY_HERE: Final = ", which no peer has"
_MOST_MORE: Final = 2
_MANY: Final = 20


def has_more_work(cause: Cause, what: Ran) -> str:
    ran = "kernels" if what == "kernels" else "operators"
    within = "" if cause.within is None else f", most of it in `{cut_middle(cause.within, LONGEST_NAME)}`{ONLY_HERE}"
    if cause.n_more is not None:
        return f"has more work: {_so_many_more(cause, ran)} a step, first {_most_more(cause)}{within}"
    if cause.rows is not None:
        own, theirs = (f"{each:,.0f}" for each in cause.rows)
        rows = f"all-to-alls bring it {own} rows a step against {theirs} on its peers"
        return f"has more work: {rows}, and the same {ran} take longer, first {cut_middle(cause.kernels[0], LONGEST_NAME)}"
    if cause.shapes:
        return f"has more work: the same {ran} with other shapes, first {_most_more(cause)}{within}"
    if within:
        return f"has more work{within}"
    if cause.confidence == "likely" and what == "operators":
        return "likely has more work: where inputs are of the same shapes operators take as long, and it has inputs of others"
    if cause.confidence == "likely":
        return f"likely has more work: the same {ran} take as long, and there are others"
    return f"may have more work: its {ran} are others than its peers'"


def _so_many_more(cause: Cause, ran: str) -> str:
    """`8 kernels more`; where peers differ `32 to 40 kernels more`, so that it is true of each of them."""
    least, most = cause.n_more_than_each or (0.0, 0.0)
    if cause.n_more is None or round(most) - round(least) < 1:
        return so_many_more(cause.n_more or 0.0, ran)
    return f"{f'{least:,.0f} to ' if round(least) > 0 else 'up to '}{so_many_more(most, ran)}"


def _most_more(cause: Cause) -> str:
    """`aten::mm (232 against 3 on its peers) and aten::randn (230 against 1)`, or what shapes: of the two that cost most."""
    named: dict[str, str] = {}
    each = cause.calls_of_peers or [(usual, usual) for _, usual in cause.calls]
    calls = [
        (times(own), _of_peers(usual, *of)) if own > usual else None for (own, usual), of in zip(cause.calls, each, strict=True)
    ] or [None] * len(cause.kernels)
    for name, shapes, counts in zip(cause.kernels, cause.shapes or [None] * len(calls), calls, strict=True):
        pair = shapes or counts
        whose = "" if named else " on its peers"
        against = "" if pair is None else f" ({pair[0]} against {pair[1]}{whose})"
        named.setdefault(name, cut_middle(name, LONGEST_NAME) + against)
    return " and ".join(list(named.values())[:_MOST_MORE])


def _of_peers(usual: float, least: float, most: float) -> str:
    return times(usual) if most - least < 1 else f"{times(least)} to {times(most)}"


def times(n: float) -> str:
    """A mean of steps."""
    return f"{n:,.0f}" if n >= _MANY or n == round(n) else f"{n:,.1f}"
