"""One reason why ranks are late: what `causes.py` says of a straggler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from tb_plugin.trace.rank.pause_events import FilledBy

if TYPE_CHECKING:
    from tb_plugin.trace.rank.pause_events import PauseEvent

_OfWork = Literal["slow_kernels", "some_kernels", "long_call", "more_work", "kernels", "copies"]
_OfHost = Literal["input", "collection", "pause", "launches", "more_launches", "idle"]
CauseId = Literal[_OfWork, _OfHost, FilledBy]
Confidence = Literal["sure", "likely", "maybe"]

OF_KERNELS: Final[tuple[CauseId, ...]] = ("slow_kernels", "some_kernels", "long_call", "more_work", "kernels")

STANDS_STILL: Final[tuple[CauseId, ...]] = ("pause", "collection", *get_args(FilledBy))
"""While nothing runs on its device the host does something else, or nothing."""

SLOW_LAUNCHES: Final = 1.5
"""So many times as long as on others each takes by no chance."""


@dataclass(frozen=True, kw_only=True)
class Cause:
    """What explains `amount_ns` of the mean excess, and what shows it. A pair is of the rank and of its peers, a step."""

    id: CauseId
    confidence: Confidence
    amount_ns: float
    factor: float | None = None  # of kernels or launches
    is_of_all: bool = False  # `factor` is of all that the host does
    kernels: tuple[str, ...] = ()  # those that took most longer, or cost most of more work
    calls: tuple[tuple[float, float], ...] = ()  # of more work each of `kernels`; of a sync that gaps follow the waits
    shapes: tuple[tuple[str, str] | None, ...] = ()  # of those that are called as often
    within: str | None = None  # the range of most of it, that no peer has, or in which it is `between_ns` longer
    between_ns: float | None = None  # without an operator
    calls_of_peers: tuple[tuple[float, float], ...] = ()  # of the peers the least and the most of each of `kernels`
    n_more: float | None = None  # kernels a step, or launches; None: no more, or that is not why
    n_more_than_each: tuple[float, float] | None = None  # than the peer with the most, and the one with the least
    took_ns: tuple[float, float] | None = None  # the first of `kernels`, where its peers have next to nothing
    call_ns: int | None = None  # one call, the longest of `n_calls` in a step
    n_calls: int = 0
    steps: tuple[int, ...] = ()  # late ones that it is in, where not in all
    n_gaps: int = 0  # of a step's longest so many are a pause; 0: it is in more than these
    event: PauseEvent | None = None  # what the host is in then
    rows: tuple[float, float] | None = None  # brought to it by all-to-alls, so that the same `kernels` have more input
    may_be_input: bool = False  # kernels of the same grid, which may have had more input
    also: Cause | None = None  # the second

    def is_in(self, step: int) -> bool:
        """A late step."""
        return not self.steps or step in self.steps

    @property
    def may_be_chance(self) -> bool:
        """A host that launches more slowly than its device computes is behind by some more here and there."""
        return self.id == "idle" or (self.id == "launches" and (self.factor or 1.0) < SLOW_LAUNCHES)

    @property
    def with_second(self) -> tuple[Cause, ...]:
        """The cause, and the second where there is one."""
        return (self,) if self.also is None else (self, self.also)

    @property
    def longer(self) -> set[str]:
        """What of a rank takes longer: its kernels, its loader or its host."""
        return {"kernels" if each.id in OF_KERNELS else "loader" if each.id == "input" else "host" for each in self.with_second}
