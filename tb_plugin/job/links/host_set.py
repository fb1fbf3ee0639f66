"""What is compared of links: instances of one dimension and kind whose members stand on the same hosts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

SLOW: Final = 0.7
"""Below this part of the usual rate."""


class SetKey(NamedTuple):
    """Of instances whose members stand on these hosts."""

    dimension: str
    kind: int
    hosts: tuple[int, ...]
    n_ranks: int

    @property
    def alike(self) -> Hashable:
        """What sets of hosts have in common that should be as quick."""
        return self.dimension, self.kind, self.n_ranks, len(self.hosts) > 1


@dataclass(frozen=True, kw_only=True)
class HostSet:
    """Of instances of one dimension and kind whose members stand on these hosts; of some ranks, where only these are slow."""

    dimension: str
    kind: int
    hosts: tuple[int, ...]
    n_ranks: int
    instances: tuple[int, ...]
    bandwidth: float  # bytes a second over the busiest link
    of_usual: float | None  # see `with_own_steps`; None: there is nothing to compare with
    is_at_least: bool = False  # bandwidth, and with it of_usual
    ranks: tuple[int, ...] = ()  # places of these, of a pair or a group inside a host
    sender: int = NONE  # of a pair that is slow in one direction alone, place of the rank that sends
    steps: tuple[int, ...] = ()  # numbers of those that it is slow in, where it is not in others
    slow_steps: tuple[int, ...] = ()  # of one that has only its own steps to be compared with, those in which it is slow
    n_like: int = 0  # instances of the same in these, also those that are as quick as ever

    @property
    def n_instances(self) -> int:
        return len(self.instances)

    @property
    def direction(self) -> tuple[int, ...]:
        """Places of (who sends, who receives); () where it is no single direction."""
        return () if self.sender == NONE else (self.sender, *(place for place in self.ranks if place != self.sender))

    @property
    def is_slow(self) -> bool:
        return self.of_usual is not None and self.of_usual < SLOW and not self.is_at_least

    @property
    def told_of_usual(self) -> float | None:
        """None too where it is no less than so much, and that is not usual."""
        return None if self.is_at_least and (self.of_usual or 0.0) < SLOW else self.of_usual

    @property
    def key(self) -> SetKey:
        return SetKey(self.dimension, self.kind, self.hosts, self.n_ranks)


def host_set(key: SetKey, instances: list[int], bandwidth: float, of_usual: float | None, is_at_least: bool) -> HostSet:
    return HostSet(
        dimension=key.dimension,
        kind=key.kind,
        hosts=key.hosts,
        n_ranks=key.n_ranks,
        instances=tuple(instances),
        bandwidth=bandwidth,
        of_usual=of_usual,
        is_at_least=is_at_least,
    )


def with_own_steps(sets: Sequence[HostSet], at_times: Sequence[HostSet]) -> list[HostSet]:
    """What each is compared with: the median over the other sets of its class; where there are none, its own steps, if it is slow
    in some (`at_times`): then the rate that these are slower than is usual for all of them.
    """
    usual = {
        one.key: [each.bandwidth / each.of_usual for each in at_times if each.key == one.key and each.of_usual]
        for one in at_times
    }
    steps = {key: tuple(sorted({step for each in at_times if each.key == key for step in each.steps})) for key in usual}
    return [
        replace(one, of_usual=one.bandwidth / float(np.median(usual[one.key])), slow_steps=steps[one.key])
        if one.of_usual is None and usual.get(one.key)
        else one
        for one in sets
    ]
