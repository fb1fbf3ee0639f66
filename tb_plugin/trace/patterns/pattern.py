"""The contract of a pattern: something in a profile that is usually a mistake, and which events show it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.patterns.call_tree import CallTree
    from tb_plugin.trace.scope.recording import Recording

TUNING_GUIDE: Final = "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html"


class Trial(NamedTuple):
    """What to run on a device to see what a change gains: Python text that knows `torch`, `device` and the input `shapes`."""

    before: str
    after: str
    setup: str = "pass"
    after_setup: str = ""  # without it `setup`


class Pattern(ABC):
    """One of torch's. `name`, `description` and `url` are torch's words; `torch_name` is its class."""

    torch_name: ClassVar[str]
    name: ClassVar[str]
    description: ClassVar[str]
    url: ClassVar[str] = ""
    needs: ClassVar[tuple[Recording, ...]] = ()
    trial: ClassVar[Trial | None] = None
    has_place: ClassVar[bool] = True  # whether torch's report says where

    @abstractmethod
    def rows(self, tree: CallTree) -> Int64Array:
        """Event rows that match, by row."""

    def lacks(self, trace: Trace) -> str | None:
        """How to record what torch does not look for it without; None where it may be asked."""
        # Asked of the options alone, as in torch: no event may be there to tell.
        return next((need.how for need in self.needs if need.was_on(trace) is False), None)
