"""Stages of a pipeline that have more work than the others: told at once, since what levels one levels all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.what_if.even_share import is_spread
from tb_plugin.views.ranks.told.blame import sentence_of

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.why.cause import Cause
    from tb_plugin.views.ranks.basis.analysed import Analysed

_ALIKE: Final = 0.1
"""Of what they are late by."""


def spread_at_once(of: Analysed) -> list[list[int]]:
    """Who is late, by its place in `of.stragglers`, the first of each one first: those whose work is spread in the same steps."""
    groups: dict[object, list[int]] = {}
    for nth, (one, cause, _) in enumerate(of.stragglers):
        key = one.late_steps if is_spread(of.own, of.layout, one, cause) else nth
        groups.setdefault(key, []).append(nth)
    return list(groups.values())


def told_at_once(of: Analysed, its: Sequence[int], sentences: Sequence[str]) -> str:
    """`Each of stages 1-2 has more work: 40 kernels more a step`; where they do not have as much more, one after the other.
    `sentences`: of each straggler alone.
    """
    first, cause, _ = of.stragglers[its[0]]
    if len(its) < 2 or not all(_is_as(*of.stragglers[at][:2], first, cause) for at in its[1:]):
        return " ".join(sentences[at] for at in its)
    each = [of.stragglers[at][0] for at in its]
    members = sorted(rank for one in each for rank in one.members)
    peers = set(first.peers).intersection(*(one.peers for one in each))
    told = np.mean([one.told_ns for one in each], axis=0)
    return sentence_of(of, replace(first, members=tuple(members), peers=tuple(sorted(peers)), told_ns=told), cause)


def _is_as(one: Straggler, cause: Cause, first: Straggler, why: Cause) -> bool:
    """Whether it is said in the same words."""
    is_as_late = abs(one.mean_told_ns - first.mean_told_ns) <= _ALIKE * first.mean_told_ns
    is_same = (cause.confidence, cause.kernels, cause.shapes, cause.within) == (
        why.confidence,
        why.kernels,
        why.shapes,
        why.within,
    )
    counts, others = ([round(n) for pair in (each.calls, each.calls_of_peers) for n in sum(pair, ())] for each in (cause, why))
    return is_as_late and is_same and counts == others and round(cause.n_more or 0) == round(why.n_more or 0)


def what_if_even(n_stages: int) -> str:
    return f"With {'their' if n_stages > 1 else 'its'} work spread evenly over the stages"


def with_all(of: Analysed, first: Container[str], names: Sequence[str], all_names: Sequence[str]) -> str | None:
    """Of all who are late at once, whose `names` these are, `first` those a sentence is about; None where there are no others.
    `all_names`: of `of.stragglers`.
    """
    is_even = {
        name for name, (one, cause, _) in zip(all_names, of.stragglers, strict=True) if is_spread(of.own, of.layout, one, cause)
    }
    others = [name for name in names if name not in first and name not in is_even]
    is_first_even, are_others_even = (any((name in first) is each for name in names if name in is_even) for each in (True, False))
    listed = " and ".join([*([", ".join(others[:-1])] if others[1:] else []), *others[-1:]])
    if is_first_even:
        return f"With that, and without {listed}," if others else None
    if are_others_even:
        return f"Without it{f', {listed}' if others else ''}, and with work spread evenly over the stages,"
    return f"Without it{''.join(f', {name}' for name in others[:-1])} and {others[-1]} together" if others else None
