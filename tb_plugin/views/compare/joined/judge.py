"""What a difference is worth: a finding, noise, or not to be told from so few steps.

Tested are the step, then its parts (Holm), and inside what passed there the rows that make 0.5 % of the step (Benjamini-Hochberg
at 10 %). A finding has p <= 0.05, at least `noise` of the longer step, and an interval on one side of 0. Of ranks of one job it
is there in each of their steps (`one_job.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.rank_test import Shift, benjamini_hochberg, holm, shift_between
from tb_plugin.trace.times.breakdown import PARTS
from tb_plugin.trace.times.idle import USES
from tb_plugin.views.compare.joined.one_job import LEAST_TOGETHER, together
from tb_plugin.views.compare.result import PartChange, StepChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.compare.joined.side import Side
    from tb_plugin.views.compare.result import Verdict

LEAST_STEPS: Final = 4
"""Of each side: with 3 and 3 no p is below 0.1."""

UNDISTURBED: Final = "undisturbed"

_P: Final = 0.05
_FALSE_ROWS: Final = 0.1
_LEAST_ROW: Final = 0.005
_ON_DEVICE: Final = ("kernel", "copy", "set", "communication")


class Judge:
    """`spoils`: what the recordings' differences spoil (`Difference.spoils`)."""

    def __init__(self, a: Side, b: Side, noise: float, spoils: set[str]) -> None:
        self._a, self._b = a, b
        self.longer_ns = max(a.median_ns, b.median_ns)
        self.least_ns = noise * self.longer_ns
        self.together = together(a, b)
        self._is_few = self._are_few((a.step_units, b.step_units))
        self._spoils = spoils
        self._passed: set[str] = set()

    def step(self) -> StepChange:
        a, b = self._a, self._b
        found = shift_between(a.step_units, b.step_units)
        return StepChange(
            a_median_ns=a.median_ns,
            b_median_ns=b.median_ns,
            a_mean_ns=a.mean_ns,
            b_mean_ns=b.mean_ns,
            delta_ns=b.mean_ns - a.mean_ns,
            shift_ns=found.shift,
            low_ns=found.low,
            high_ns=found.high,
            confidence=found.confidence,
            p=None if max(a.n_units, b.n_units) == 1 else found.p,
            verdict=self._verdict(found, found.p, (a.step_units, b.step_units), is_host=True),
        )

    def parts(self) -> list[PartChange]:
        """In the order of the overview. Holm's family is all of them, so that what a profile lacks makes nothing pass."""
        a, b = self._a, self._b
        tests = [shift_between(a.part_units[:, part], b.part_units[:, part]) for part in range(len(PARTS))]
        adjusted = holm([test.p for test in tests])
        times = zip(a.part_ns.tolist(), b.part_ns.tolist(), strict=True)
        found = [
            self._part(part, of, test, p, (a.part_units[:, place], b.part_units[:, place]))
            for place, (part, of, test, p) in enumerate(zip(PARTS, times, tests, adjusted, strict=True))
        ]
        if self.together is None:
            self._passed = {part for part, p in zip(PARTS, adjusted, strict=True) if p <= _P and not self._is_few}
        else:
            self._passed = {part.part for part in found if part.verdict == "finding"}
        return found

    def others(self) -> list[PartChange]:
        """Figures that somebody may set a limit for, each tested alone."""
        a, b = self._a, self._b
        found = [self._alone("exposed_communication", (a.exposed_units, b.exposed_units))]
        if a.use_units.shape[1] == b.use_units.shape[1] == len(USES):
            found += [self._alone(use, (a.use_units[:, i], b.use_units[:, i])) for i, use in enumerate(USES)]
        if len(a.undisturbed_units) and len(b.undisturbed_units):
            found.append(self._alone(UNDISTURBED, (a.undisturbed_units, b.undisturbed_units)))
        return found

    def _alone(self, name: str, units: tuple[Int64Array, Int64Array]) -> PartChange:
        test = shift_between(*units)
        times = int(np.mean(units[0]).round()), int(np.mean(units[1]).round())
        return self._part(name, times, test, test.p, units)

    def _part(self, name: str, times: tuple[int, int], test: Shift, p: float, units: tuple[Int64Array, Int64Array]) -> PartChange:
        is_alone = max(map(len, units)) == 1
        is_of_work = name == UNDISTURBED and not self._on_host
        is_host = name not in (*_ON_DEVICE, "busy", "exposed_communication") and not is_of_work
        return PartChange(
            part=name,
            a_ns=times[0],
            b_ns=times[1],
            delta_ns=times[1] - times[0],
            shift_ns=test.shift,
            low_ns=test.low,
            high_ns=test.high,
            p=None if is_alone else test.p,
            p_holm=None if is_alone else p,
            verdict=self._verdict(test, p, units, is_host=is_host),
        )

    def rows(
        self, series: Sequence[tuple[Int64Array, Int64Array]], deltas: Sequence[int], *, is_host: bool
    ) -> list[tuple[float | None, Verdict]]:
        """(p, verdict) of each row of one half of the tree, given its value in each unit of A and of B. After `parts`."""
        result: list[tuple[float | None, Verdict]] = [(None, self._untested(is_host=is_host))] * len(series)
        if not self._passed & (
            set(PARTS) - set(_ON_DEVICE) if is_host else set(_ON_DEVICE) | ({"other_host"} if self._on_host else set())
        ):
            return result
        tested = [row for row, delta in enumerate(deltas) if abs(delta) >= _LEAST_ROW * self.longer_ns]
        tests = [shift_between(*series[row]) for row in tested]
        for row, test, p in zip(tested, tests, benjamini_hochberg([test.p for test in tests]), strict=True):
            adjusted = test.p if p <= _FALSE_ROWS else 1.0
            result[row] = (test.p, self._verdict(test, adjusted, series[row], is_host=is_host, is_row=True))
        return result

    @property
    def _on_host(self) -> bool:
        return self._a.sums[0].basis == "host"

    def spread_ns(self, step: StepChange) -> int | None:
        """What the recordings of one side differ by in the step, where nothing but that makes a large shift noise."""
        is_large = step.p is not None and self._is_large(step.shift_ns, step.low_ns, step.high_ns, step.p)
        return round(self._spread(self._a.step_units, self._b.step_units)) if is_large and step.verdict == "noise" else None

    def _spread(self, a: Int64Array, b: Int64Array) -> float:
        """What two recordings of one program differ by, mostly: a difference inside that is noise, whatever p says."""
        return max((_differ(of) for side, of in ((self._a, a), (self._b, b)) if len(side.sums) > 1), default=0.0)

    def _untested(self, *, is_host: bool) -> Verdict:
        if self._is_spoiled(is_host=is_host, is_row=True):
            return "not_comparable"
        return "unknown" if self._is_few else "noise"

    def _is_spoiled(self, *, is_host: bool, is_row: bool) -> bool:
        return bool(self._spoils & {"everything", *(["host"] if is_host else []), *(["rows"] if is_row else [])})

    def _verdict(
        self, test: Shift, p: float, units: tuple[Int64Array, Int64Array], *, is_host: bool, is_row: bool = False
    ) -> Verdict:
        if self._is_spoiled(is_host=is_host, is_row=is_row):
            return "not_comparable"
        if self._are_few(units):
            return "unknown"
        if self.together is not None:
            return "finding" if self.together.is_in_each(*units, self.least_ns) else "noise"
        is_large = self._is_large(test.shift, test.low, test.high, p) and abs(test.shift) > self._spread(*units)
        return "finding" if is_large else "noise"

    def _are_few(self, units: tuple[Int64Array, Int64Array]) -> bool:
        """What is no step each is tested as of anybody."""
        if self.together is not None and tuple(map(len, units)) == (self._a.n_units, self._b.n_units):
            return len(self.together.a) < LEAST_TOGETHER
        return min(map(len, units)) < LEAST_STEPS

    def _is_large(self, shift_ns: float, low_ns: float, high_ns: float, p: float) -> bool:
        """Of one program's steps: the recordings may still differ by more among themselves."""
        return p <= _P and low_ns * high_ns > 0 and abs(shift_ns) >= self.least_ns


def _differ(of: Int64Array) -> float:
    """The median over all pairs. Not the range: that grows with every recording, and one that was disturbed would hide all."""
    first, second = np.triu_indices(len(of), 1)
    return float(np.median(np.abs(of[first] - of[second])))
