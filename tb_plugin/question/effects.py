"""The column "effect of 10 %": what the step gains if a row were 10 % faster. Views that have it ask and show it alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from tb_plugin.question.question import UpTo200

if TYPE_CHECKING:
    from tb_plugin.question.outline import Cell

EffectRows = Annotated[UpTo200, msgspec.Meta(description="of how many rows the effect of 10 % is looked for, the longest first")]
"""A replay each: only who asks for it pays."""

EFFECT: Final = ("effect_ns", "effect_share")


def effect_or_why(column: str, value: Cell, no_effect: str | None) -> Cell:
    """The cell of CSV: where no effect can be told, why."""
    return f"not known: {no_effect}" if no_effect and column in EFFECT else value
