"""Limits that a build fails on: broken so that it can be told from noise, or broken and not to be told.

--fail-if-slower 5%                        the step's shift is more than 5 % of A's median
--fail-if "exposed_communication>+2ms"     its shift is more than 2 ms
--fail-if "kernel>+10%"                    ... more than 10 % of what A has
--fail-if "undisturbed>5%"                 the step's work, each call as fast as in its fastest step: for machines with other load
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import share_of_percent, signed_ns
from tb_plugin.trace.times.breakdown import PARTS
from tb_plugin.views.compare.joined.judge import LEAST_STEPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.views.compare.result import Pair, Verdict

BROKEN: Final = 3
CANNOT_TELL: Final = 4

_UNITS_NS: Final = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_TIME: Final = re.compile(r"\+?(\d+(?:\.\d+)?)\s*(ns|us|ms|s)")
_LIMIT: Final = re.compile(r"\s*(\w+)\s*>\s*(\S.*?)\s*")


class Limit(NamedTuple):
    """`figure` may become more by `share` of A's, or by `more_ns`, and no further."""

    figure: str
    share: float | None
    more_ns: float

    @property
    def words(self) -> str:
        allowed = f"{100 * self.share:.3g} %" if self.share is not None else signed_ns(self.more_ns)
        return f"{self.figure} more than {allowed}"


class Broken(NamedTuple):
    """A limit that does not hold: the sentence, and what the shell exits with."""

    said: str
    exit_code: int


def slower_than(text: str) -> Limit:
    """Of `5%`. Raises UsageError."""
    return _limit("step", text, "--fail-if-slower")


def limit_from(text: str) -> Limit:
    """Of `kernel>+2ms`. Raises UsageError."""
    match = _LIMIT.fullmatch(text)
    if match is None:
        raise UsageError(f"--fail-if {text!r}: write a figure, > and how much more it may be, as kernel>+2ms or step>+5%")
    return _limit(match[1], match[2], "--fail-if")


def share_of(text: str, option: str) -> float:
    """`1%` or `0.01` as 0.01. Raises UsageError."""
    number = text.strip().removesuffix("%")
    try:
        share = float(number) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"{option} {text!r}: write a share, as 1%")
    return share


def broken(pairs: Sequence[Pair], limits: Sequence[Limit]) -> list[Broken]:
    """Every limit that an item breaks, in the order of items. Raises UsageError for a figure that there is none of."""
    found = []
    for pair in pairs:
        for limit in limits:
            base_ns, shift_ns, low_ns, verdict = _figure(pair, limit.figure)
            allowed = limit.share * base_ns if limit.share is not None else limit.more_ns
            if shift_ns > allowed:
                is_sure = verdict == "finding" and low_ns > 0 and pair.b.n_steps >= LEAST_STEPS
                doubt = "" if is_sure else "; it cannot be told from noise" if verdict != "not_comparable" else "; not comparable"
                found.append(
                    Broken(f"{pair.b.label}: {limit.words}: {signed_ns(shift_ns)}{doubt}", BROKEN if is_sure else CANNOT_TELL)
                )
    return found


def exit_code(found: Sequence[Broken], *, strict: bool) -> int:
    """3 where a limit is broken for sure, 4 where one is and it cannot be told; `strict`: 3 for both."""
    if not found:
        return 0
    return BROKEN if strict or any(one.exit_code == BROKEN for one in found) else CANNOT_TELL


def _limit(figure: str, text: str, option: str) -> Limit:
    share = share_of_percent(text)
    if share is not None:
        return Limit(figure, share, 0.0)
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{option} {text!r}: write how much more it may be, as 5% or +2ms")
    return Limit(figure, None, float(match[1]) * _UNITS_NS[match[2]])


def _figure(pair: Pair, name: str) -> tuple[float, float, float, Verdict]:
    """(A's value, shift, lower end of its interval, verdict)."""
    if name == "step":
        step = pair.step
        return step.a_median_ns, step.shift_ns, step.low_ns, step.verdict
    known = {part.part: part for part in [*pair.parts, *pair.others]}
    if name not in known:
        raise UsageError(
            f"--fail-if: there is no figure {name!r}; there is step, {', '.join([*PARTS, *(o.part for o in pair.others)])}"
        )
    part = known[name]
    return part.a_ns, part.shift_ns, part.low_ns, part.verdict
