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
    """`amount_ns` of the mean excess is this. `factor`: of kernels or launches. `kernels`: those that took most longer, or
    cost most of more work; `took_ns`: the first in a step, and on its peers, where that is next to nothing; `calls`: of more
    work how often a rank runs each of these in a step, and its peers, or `shapes`: where it runs one as often, on which, and
    they others; of a sync that gaps follow how often it waits so; `within`: the range of most of it, that no peer
    has, or in which it is `between_ns` longer without an operator. `call_ns`: how long one call took, the longest of `n_calls` in a step. `n_more`: how
    many kernels more a rank runs in a step, or launches; None: no more, or that is not why. `n_gaps`: how many of a step's
    longest are a pause, 0: it is in more than these; `event`: what the host is in then. `is_of_all`: `factor` is of all that the
    host does. `steps`: the late ones that it is in, where not in all. `may_be_input`: of kernels of the same grid, which may have
    had more input. `also`: the second.
    """

    id: CauseId
    confidence: Confidence
    amount_ns: float
    factor: float | None = None
    kernels: tuple[str, ...] = ()
    calls: tuple[tuple[float, float], ...] = ()
    shapes: tuple[tuple[str, str] | None, ...] = ()
    within: str | None = None
    n_more: float | None = None
    took_ns: tuple[float, float] | None = None
    call_ns: int | None = None
    n_calls: int = 0
    steps: tuple[int, ...] = ()
    n_gaps: int = 0
    event: PauseEvent | None = None
    may_be_input: bool = False
    between_ns: float | None = None
    is_of_all: bool = False
    also: Cause | None = None

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
