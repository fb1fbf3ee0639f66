"""What who is late and slow links cost together: of two that hold up different ranks by as much neither alone brings anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.views.ranks.told.blame import means_of

if TYPE_CHECKING:
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import Blamed, Together
    from tb_plugin.views.ranks.told.blame import Means

_WORTH_A_WORD: Final = 0.01


class BesideLinks(NamedTuple):
    """Of the steps in which one is late: without it, these others and slow links at once."""

    others: list[str]
    means: Means


def beside_links(of: Analysed, blame: list[Blamed], nth: int, joint: Together | None) -> BesideLinks | None:
    """Where a step is 1 % of it shorter so than without it, and than with links like the others. Of the first also without all
    who are late in its steps, where only so it is that.
    """
    if nth >= len(of.without_link_and):
        return None
    steps = blame[nth].steps
    links, both = means_of(of.without_slow_link, steps), means_of(of.without_link_and[nth], steps)
    if links is None or both is None:
        return None
    alone, others = [links.would_be, blame[nth].step_without_ns or both.was], []
    every = means_of(of.without_link_and_all, steps) if nth == 0 else None
    if every is not None and both.would_be - every.would_be >= _WORTH_A_WORD * both.was:
        both = every
        told = [one.name for one in blame[1:] if one.step_without_ns is not None and not set(steps).isdisjoint(one.steps)]
        others = list(dict.fromkeys(told))
        alone += [] if joint is None else [joint.step_without_ns]
    return BesideLinks(others, both) if min(alone) - both.would_be >= _WORTH_A_WORD * both.was else None
