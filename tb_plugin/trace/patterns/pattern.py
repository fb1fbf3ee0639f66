"""The contract of a pattern: something in a profile that is usually a mistake, and which events show it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.patterns.call_tree import CallTree

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
    needs_stack: ClassVar[bool] = False
    needs_shapes: ClassVar[bool] = False
    trial: ClassVar[Trial | None] = None
    has_place: ClassVar[bool] = True  # whether torch's report says where

    @abstractmethod
    def rows(self, tree: CallTree) -> Int64Array:
        """Event rows that match, by row."""

    def lacks(self, trace: Trace) -> str | None:
        """The option without which torch does not look for it; None where it may be asked."""
        if self.needs_stack and trace.info.with_stack is False:
            return "with_stack=True"
        if self.needs_shapes and trace.info.record_shapes is False:
            return "record_shapes=True"
        return None
