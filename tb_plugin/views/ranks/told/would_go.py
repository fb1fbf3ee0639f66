"""What would go without who is late, at most, where no replay tells: no more than until who is next has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.told.blame import mean_of
from tb_plugin.views.ranks.told.replayed import as_long

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.views.ranks.basis.analysed import Analysed

_NOTHING: Final = 0.1
"""Of what it needs more."""

_PLAINLY: Final = 0.05
"""More than what this one needs more."""


class _Left(NamedTuple):
    """Of the late steps what would go with one: until who is next has come, and no more than collectives wait for it alone."""

    ns: float
    longest: Float64Array  # of each step on the rank that takes longest
    needs: Float64Array  # [rank, step], its own and what moves data; 0 of its members
    its: Float64Array  # the same of them


def at_most(of: Analysed, one: Straggler, ns: float, it: str, why: str = "") -> str:
    """`ns` of a late step are why it is late; `it`: such a step; `why` it may be less."""
    left = _left(of, one)
    length, whose = mean_of(of.job_steps, one.late_steps), "the job takes"
    if length is None:
        length, whose = round(float(left.longest.mean())), "it takes on its slowest rank"
    if left.ns < _NOTHING * ns:
        next_one, own_needs = int(left.needs.mean(axis=1).argmax()), left.its.mean(axis=1).max()
        beyond = float(left.needs[next_one].mean() - own_needs)
        return f" Without it {beside(as_long(None, it), f'rank {of.job.of.numbers[next_one]}', beyond, ns)}."
    share = f"{percent(min(ns, left.ns) / length)} of the {format_ns(length)} that {whose}"
    return f" At most about {format_ns(min(ns, left.ns))} of {it} would go with it ({share}){why}."


def most_gone(of: Analysed, one: Straggler, ns: float) -> float:
    """The figure of `at_most`; 0 where that says that it would bring nothing."""
    left = _left(of, one).ns
    return min(ns, left) if left >= _NOTHING * ns else 0.0


def _left(of: Analysed, one: Straggler) -> _Left:
    """Where clocks do not tell what the job takes, of the rank that needs longest in each step. Who waits for it computes nothing
    beside what moves data then, so that of others no more counts than nothing hides on the late rank itself.
    """
    own, members = of.own, list(one.members)
    late = np.isin(own.number, one.late_steps)
    longest = np.nanmax(own.step[:, late], axis=0)
    # Where no host is recorded a device may idle for whoever is late, as between a send that is over and what comes of it.
    idle = 0.0 if of.has_host else own.parts["idle"]
    needs = np.nan_to_num((own.step - own.wait - own.untold - idle)[:, late])  # its own, and what moves data
    its = needs[members]
    moves = np.nan_to_num(own.parts["transfer"][:, late])
    needs -= np.maximum(moves - moves[members].min(axis=0), 0.0)  # for others wait: they could compute beside it
    needs[members] = 0.0
    until_next = float(np.clip(longest - needs.max(axis=0), 0.0, None).mean())
    return _Left(min(until_next, _held_up(of, one)), longest, needs, its)


def beside(no_less: str, other: str, beyond_ns: float, ns: float) -> str:
    """Why it would bring nothing to have one less late of whom `ns` are told: an `other` needs so much beyond what it does."""
    return f"alone {no_less}: {other} {'needs more' if beyond_ns > _PLAINLY * ns else 'is late then, too'}"


def _held_up(of: Analysed, one: Straggler) -> float:
    """How long in a late step collectives wait for this one rank alone. What it does after the last one is waited for in the
    step after; of a late step without one, of several ranks, and where not all waits are told, or no host is recorded, no limit.
    """
    own = of.own
    its, after = (np.isin(own.number - more, one.late_steps) for more in (0, 1))
    shown = its | after
    is_told = of.has_host and of.job.are_clocks_tied and not np.nan_to_num(own.untold[:, shown]).any()
    if len(one.members) > 1 or not is_told or after.sum() < len(one.late_steps):
        return float("inf")
    return float(of.caused.least_ns[one.members[0], shown].sum()) / len(one.late_steps)
