"""Which findings are named where nobody asks for all of them: the one rule for lists, sentences and tables of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.findings.facts import Facts
    from tb_plugin.findings.same_time import Found

SMALL: Final = 0.01
"""Of the time: what could gain less waits until the rest is done."""


def large(facts: Facts, found: Sequence[Found]) -> list[Found]:
    """Those that are not small, in their order. One that knows no gain is not small."""
    return [each for each in found if each.gain_ns is None or facts.share(max(each.gain_ns, each.worth_ns)) >= SMALL]
