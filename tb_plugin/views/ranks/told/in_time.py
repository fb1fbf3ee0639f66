"""Who comes late as a rank's own findings name it: what to do, what a step would take then, and what each step would gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import format_ns
from tb_plugin.findings.from_job import LateRank
from tb_plugin.views.ranks.basis.names import counted
from tb_plugin.views.ranks.told.blame import Means, means_of, most_that_would_go
from tb_plugin.views.ranks.told.would_go import most_gone

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import Blamed, Together

_MOST: Final = 5


def in_time(of: Analysed, blame: list[Blamed], joint: Together | None, steps: Sequence[int], number: int) -> list[LateRank]:
    """As a rank by its number is told in these steps: who is late alone, as Ranks has them in order, then all of them at once.
    Nobody where it is late itself.
    """
    if any(number in one.ranks for one in blame):
        return []
    found = [*_alone(of, blame, steps)]
    if joint is not None:
        means = Means(joint.step_was_ns, joint.step_without_ns, joint.step_without_least_ns)
        its = [one.sentence for one in blame if set(one.ranks) <= set(joint.ranks)]
        found.append(_replayed(of, " and ".join(joint.names), " ".join(its), joint.steps, means, steps))
    return found


def _alone(of: Analysed, blame: list[Blamed], steps: Sequence[int]) -> Iterator[LateRank]:
    for one, (straggler, cause, quick) in zip(blame[:_MOST], of.stragglers, strict=False):
        means = means_of(quick, one.steps)
        if means is not None and quick is not None and not quick.may_stay:
            yield _replayed(of, one.name, one.sentence, one.steps, means, steps)
        else:  # a rank that is not here may be as late: what a replay has without this one is no more than a bound
            most = most_that_would_go(of, straggler, cause)
            gain = most_gone(of, straggler, most if means is None else min(most, float(means.was - means.least)))
            yield LateRank(
                title=f"Make {one.name} come in time: the others wait for it",
                why=one.sentence,
                is_replayed=False,
                gain_ns=[round(gain) if step in one.steps else 0 for step in steps],
            )


def _replayed(of: Analysed, name: str, why: str, late: list[int], means: Means, steps: Sequence[int]) -> LateRank:
    gain = max(means.was - means.would_be, 0)
    then = f"{_which(of, late)} take about {format_ns(means.would_be)} instead of {format_ns(means.was)}"
    return LateRank(
        title=f"Make {name} come in time: {then}",
        why=why,
        is_replayed=True,
        gain_ns=[gain if step in late else 0 for step in steps],
    )


def _which(of: Analysed, late: list[int]) -> str:
    """`step 12 would`."""
    if not of.job.of.have_steps:
        return "the recording would"
    if len(late) == len(of.own.number):
        return "a step would"
    return f"{counted('step', late)} would{' each' if len(late) > 1 else ''}"
