"""What would go without who is late, at most, where no replay tells: no more than until who is next has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.told.blame import mean_of
from tb_plugin.views.ranks.told.replayed import as_long

if TYPE_CHECKING:
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.views.ranks.basis.analysed import Analysed

_NOTHING: Final = 0.1
"""Of what it needs more."""

_PLAINLY: Final = 0.05
"""More than what this one needs more."""


def at_most(of: Analysed, one: Straggler, ns: float, it: str, why: str = "") -> str:
    """`ns` of a late step are why it is late; `it`: such a step; `why` it may be less. Where clocks do not tell what the job
    takes, of the rank that needs longest in each. Who waits for it computes nothing beside what moves data then, so that of
    others no more counts than nothing hides on the late rank itself.
    """
    own, members = of.own, list(one.members)
    late = np.isin(own.number, one.late_steps)
    longest = np.nanmax(own.step[:, late], axis=0)
    # Where no host is recorded a device may idle for whoever is late, as between a send that is over and what comes of it.
    idle = 0.0 if of.has_host else own.parts["idle"]
    length, whose = mean_of(of.job_steps, one.late_steps), "the job takes"
    if length is None:
        length, whose = round(float(longest.mean())), "it takes on its slowest rank"
    needs = np.nan_to_num((own.step - own.wait - own.untold - idle)[:, late])  # its own, and what moves data
    its = needs[members]
    moves = np.nan_to_num(own.parts["transfer"][:, late])
    needs -= np.maximum(moves - moves[members].min(axis=0), 0.0)  # for others wait: they could compute beside it
    needs[members] = 0.0
    left = min(float(np.clip(longest - needs.max(axis=0), 0.0, None).mean()), _held_up(of, one))
    if left < _NOTHING * ns:
        next_one, own_needs = int(needs.mean(axis=1).argmax()), its.mean(axis=1).max()
        beyond = float(needs[next_one].mean() - own_needs)
        return f" Without it {beside(as_long(None, it), f'rank {of.job.of.numbers[next_one]}', beyond, ns)}."
    share = f"{percent(min(ns, left) / length)} of the {format_ns(length)} that {whose}"
    return f" At most about {format_ns(min(ns, left))} of {it} would go with it ({share}){why}."


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
