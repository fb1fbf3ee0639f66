"""What is compared of links: instances of one dimension and kind whose members stand on the same hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable

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
    of_usual: float | None  # against the median over the other sets of the same class; None: there is nothing to compare with
    is_at_least: bool = False  # bandwidth, and with it of_usual
    ranks: tuple[int, ...] = ()  # places of these, of a pair or a group inside a host
    steps: tuple[int, ...] = ()  # numbers of those that it is slow in, where it is not in others
    n_like: int = 0  # instances of the same in these, also those that are as quick as ever

    @property
    def n_instances(self) -> int:
        return len(self.instances)

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
