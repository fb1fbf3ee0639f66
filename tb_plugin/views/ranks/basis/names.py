"""Ranks, steps and profiles, many in a few words."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import Merged
from tb_plugin.job.clocks.clock import DEVICE_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.rank.pause_events import PauseEvent
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST_REASONS: Final = 5
_FEW_REASONS: Final = 2
_MOST_NAMES: Final = 10
_WAITS: Final = {"wait_ns", "exposed_wait_ns", "caused_least_ns", "caused_most_ns"}
_WORTH_A_WORD: Final = 1.005
_FEW_OF: Final = 0.34
_FEW_RANGES: Final = 3


def in_code(event: PauseEvent) -> str:
    """`train.py(16): augment_batch` (`<built-in function sleep>`): the user's own frame, with what runs in it."""
    first, *beside = event.where
    return f"`{first}`" + "".join(f" (`{each}`)" for each in beside)


def ranges(numbers: list[int] | Merged) -> str:
    """`0-3, 8`; the first ten of them. `Merged`: of so many that nobody counts them out, each with one beyond its last."""
    parts: list[list[int]] = []
    if isinstance(numbers, Merged):
        parts = [[low, end - 1] for low, end in zip(numbers.start.tolist(), numbers.end.tolist(), strict=True)]
    else:
        for number in numbers:
            if parts and number == parts[-1][1] + 1:
                parts[-1][1] = number
            else:
                parts.append([number, number])
    listed = ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts[:10])
    return listed + (f" and {len(parts) - 10} more ranges" if len(parts) > 10 else "")


def counted(what: str, numbers: list[int]) -> str:
    """`steps 3-5`."""
    return f"{what}{'s' if len(numbers) > 1 else ''} {ranges(sorted(numbers))}"


def whom(numbers: list[int]) -> str:
    """Who came last: `rank 5`, `ranks 3 and 7`, `ranks 0-3, 8`."""
    return f"ranks {numbers[0]} and {numbers[1]}" if len(numbers) == 2 else counted("rank", numbers)


def together(numbers: list[int]) -> str:
    """Behind those who came last: nothing of one."""
    return " together" if len(numbers) > 1 else ""


def so_many_more(n: float, what: str) -> str:
    """Of a mean: `8 kernels more`, `1 kernel more`. `what`: of several."""
    return f"{n:,.0f} {what[:-1] if round(n) == 1 else what} more"


def all_steps(n: int) -> str:
    return "both steps" if n == 2 else f"all {n} steps"


def who_of(does: BoolArray, known: BoolArray, numbers: Sequence[int], steps: Sequence[int], *, here: str) -> str:
    """Of [rank, step] who do it, of ranks of these numbers: `all 8 ranks`, `both ranks`, `all 8 ranks but rank 2`; where they are
    few of them, `5 of 8 ranks (0-4)`; `7 to 8 of 8 ranks` where so many do in one step, and so many in another. Where it is not
    `known` of all in every step, of whom it is not. `here`: behind "ranks", as ` that are here`.
    """
    is_any: BoolArray = known.sum(axis=1) > 0
    does = np.where(known, does, (does | ~known).all(axis=1, keepdims=True))[is_any]  # what is not known is no exception
    return _who_does(does, [number for number, is_one in zip(numbers, is_any, strict=True) if is_one], here) + _not_known(
        known, numbers, steps
    )


def _not_known(known: BoolArray, numbers: Sequence[int], steps: Sequence[int]) -> str:
    def whose(which: BoolArray) -> str:
        return f"of {counted('rank', sorted(numbers[place] for place in np.flatnonzero(which).tolist()))}"

    n_known = known.sum(axis=1)
    never: BoolArray = n_known == 0
    is_part: BoolArray = (n_known > 0) & (n_known < known.shape[1])
    lacks = known[is_part]
    in_which = "some steps"
    if len(lacks) and (lacks == lacks[:1]).all():
        in_which = counted("step", [steps[column] for column in np.flatnonzero(~lacks[0]).tolist()])
    said = [whose(never)] if never.any() else []
    said += [f"{whose(is_part)} in {in_which}"] if len(lacks) else []
    return f" (not known {' and '.join(said)})" if said else ""


def _who_does(does: BoolArray, numbers: Sequence[int], here: str) -> str:
    """Of [rank, step] of which it is known."""
    n, each = len(does), does.sum(axis=0)
    if does.all():
        return f"{'both' if n == 2 else f'all {n}'} ranks{here}"
    least, most = int(each.min()), int(each.max())
    if (does != does[:, :1]).any():
        return f"{least}{f' to {most}' if most > least else ''} of {n} ranks{here}"
    those, others = (sorted(numbers[place] for place in np.flatnonzero(does[:, 0] == which).tolist()) for which in (True, False))
    if len(others) <= _FEW_OF * n and _n_ranges(others) <= _FEW_RANGES:
        return f"all {n} ranks{here} but {counted('rank', others)}"
    return f"{most} of {n} ranks{here}" + (f" ({ranges(those)})" if _n_ranges(those) <= _FEW_RANGES else "")


def _n_ranges(numbers: Sequence[int]) -> int:
    return 1 + sum(after - before > 1 for before, after in pairwise(numbers))


def a_step(of: Analysed) -> str:
    """What times are of: without steps the whole recording counts as one."""
    return "a step" if of.job.of.have_steps else "the recording"


def per_step(of: Analysed) -> str:
    """Behind a time that is a mean over steps."""
    return " a step" if of.job.of.have_steps else ""


def is_slower(slowdown: float) -> bool:
    """Whether S is worth a word."""
    return slowdown >= _WORTH_A_WORD


def slowdown_in_words(slowdown: float, steps: str | None, *, is_least: bool) -> str:
    """Of a step as it was. Ranks that differ by chance make it longer, too: whether one is slow is for `blamed` to say. `steps`:
    which it is of, where these are not all. `is_least`: that they make it no longer is then not known.
    """
    its = f", in {steps}" if steps else ""
    if not is_slower(slowdown) and not is_least:
        return f"ranks and links slower than most make no step longer (S {slowdown:.2f}{its})"
    times = f"{'at least ' if is_least else ''}{slowdown:.2f} x"
    return f"a step takes {times} that of a job all of whose ranks and links are like most (S{its})"


def least_wait_ns(error_ns: float | None) -> float:
    """A shorter wait is less than clocks can tell. `error_ns`: of the hosts' clocks."""
    return max(DEVICE_NS, error_ns or 0.0)


def waited(ns: float, error_ns: float | None = None) -> str:
    """How long somebody waited, or `under 1.20 us`, where that is less than clocks can tell. `error_ns`: of the hosts' clocks."""
    least = least_wait_ns(error_ns)
    return f"under {format_ns(least)}" if 0 < ns < least else format_ns(ns)


def short_waits(names: Iterable[str], error_ns: float | None, also: Sequence[str] = ()) -> dict[str, Callable[[Any], str | None]]:
    """Of these columns those of waits, as cells; `also`: others that are."""

    def shown(name: str) -> Callable[[Any], str | None]:
        return lambda row: None if getattr(row, name) is None else waited(getattr(row, name), error_ns)

    return {name: shown(name) for name in names if name in _WAITS or name in also}


def names_of(labels: list[str]) -> str:
    """`rank0-3, other`; with their number where there are several."""
    numbers: dict[str, list[int]] = {}
    for label in labels:
        start = len(label.rstrip("0123456789"))
        numbers.setdefault(label[:start], []).append(int(label[start:] or -1))
    parts = [
        before + (ranges(sorted({n for n in those if n >= 0})) if max(those) >= 0 else "") for before, those in numbers.items()
    ]
    listed = ", ".join(parts[:_MOST_NAMES]) + (f" and {len(parts) - _MOST_NAMES} more" if len(parts) > _MOST_NAMES else "")
    return f"{len(labels)} profiles ({listed})" if len(labels) > 1 else labels[0]


def by_reason(said: list[tuple[str, str]], form: str) -> list[str]:
    """A sentence for each reason of (label, reason); of more than five reasons the rest is counted."""
    reasons: dict[str, list[str]] = {}
    for label, reason in said:
        reasons.setdefault(reason, []).append(label)
    listed = [form.format(who=names_of(labels), why=why) for why, labels in list(reasons.items())[:_MOST_REASONS]]
    listed = [f"{one[:-2]}{one[-2]}" if one.endswith(("?.", "..")) else one for one in listed]
    left = [label for labels in list(reasons.values())[_MOST_REASONS:] for label in labels]
    return [*listed, f"{len(left)} more for other reasons: {names_of(left)}."] if left else listed


def few_reasons(said: list[tuple[str, str]], n: int) -> str | None:
    """Of (label, reason), within a sentence: who, unless one reason is that of all `n` it is about; None of more than two."""
    said = [(label, _within(reason)) for label, reason in said]
    reasons = {reason for _, reason in said}
    if not said or len(reasons) > _FEW_REASONS:
        return None
    return "; ".join(by_reason(said, "{why}" if len(reasons) == 1 and len(said) == n else "{who}: {why}"))


def _within(reason: str) -> str:
    """As a part of a sentence: without a stop, and begun small unless it is with a name, as that of a file."""
    first = reason.partition(" ")[0]
    begins_small = reason[:1].lower() + reason[1:] if first.isalpha() and first[1:] == first[1:].lower() else reason
    return begins_small.removesuffix(".")
