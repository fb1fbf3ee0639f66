"""Which operator makes a call wait, by the name that users know it by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

WRITTEN: Final = {
    "aten::item": ".item()",
    "aten::_local_scalar_dense": ".item()",
    "aten::nonzero": "nonzero() and masks of truth values",
    "aten::is_nonzero": "an if on a tensor",
    "aten::to": ".cpu() and .to()",
    "aten::copy_": ".cpu() and copies that do not say non_blocking",
}
"""Operators that wait for a value, and what a user writes for them."""


def caller(facts: Facts, row: int) -> str:
    """The operator that calls it, by its best known name: `aten::item` rather than what it calls."""
    above = operators_around(facts, row)
    known = next((name for name in WRITTEN if name in above), None)
    return known or (above[0] if above else facts.name(row))


def operators_around(facts: Facts, row: int) -> list[str]:
    """Those around a call, innermost first."""
    parent, kind = facts.trace.events.nest_parent, facts.trace.events.kind
    operator = int(Kind.OPERATOR)  # looking the member up takes longer than all else here
    above: list[str] = []
    at = int(parent[row])
    while at != NONE:
        if kind[at] == operator:
            above.append(facts.name(at))
        at = int(parent[at])
    return above
