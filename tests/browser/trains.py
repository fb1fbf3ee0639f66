"""Streams of kernels whose picture is known at every zoom: starts and ends, in microseconds."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

STEPS, STEP_US, KERNELS = 94, 10_000, 300


def _steps() -> tuple[Floats, Floats]:
    """Starts and ends in microseconds: three quarters of each step are kernels and short gaps, the rest is a pause."""
    random = np.random.default_rng(3)
    slot = 0.75 * STEP_US / KERNELS
    start = np.arange(STEPS)[:, None] * STEP_US + np.arange(KERNELS) * slot
    length = slot * random.uniform(0.2, 0.9, start.shape)
    return start.ravel().round(3), (start + length).ravel().round(3)


def _train() -> tuple[Floats, Floats]:
    """9 us of each 10."""
    start: Floats = np.arange(0, 200_000, 10, dtype=np.float64)
    return start, start + 9


def _ends_wide() -> tuple[Floats, Floats]:
    """One after the other, and then as long again a single one."""
    start: Floats = np.arange(0, 200_010, 10, dtype=np.float64)
    end = start + 10
    end[-1] = 400_000
    return start, end


def _touching() -> tuple[Floats, Floats]:
    """One after the other, without a gap."""
    start: Floats = np.arange(0, 200_000, 10, dtype=np.float64)
    return start, start + 10


def _sevens() -> tuple[Floats, Floats]:
    """Seven that touch, and 4 us of nothing."""
    start: Floats = (np.arange(2_000, dtype=np.float64)[:, None] * 74 + np.arange(7) * 10).ravel()
    return start, start + 10


def _many_steps() -> tuple[Floats, Floats]:
    """A kernel in each `ProfilerStep`; of these there are more than pixels."""
    start: Floats = 300 + np.arange(MANY_STEPS, dtype=np.float64) * 1_000
    return start, start + 250


def _sparse() -> tuple[Floats, Floats]:
    """A fortieth of the time, in kernels of which each pixel has some."""
    start: Floats = np.arange(0, 20_000 * 40, 40, dtype=np.float64)
    return start, start + 1


def _found() -> tuple[Floats, Floats]:
    """A fifth of 20,000 kernels: the others have another name."""
    start: Floats = np.arange(0, 200_000, 50, dtype=np.float64)
    return start, start + 9


def _bursts() -> tuple[Floats, Floats]:
    """47 % of the time in one kind of kernel; 46 % are in another."""
    start: Floats = np.arange(0, 200_000, 10, dtype=np.float64)
    return start, start + 4.7


def _alone() -> tuple[Floats, Floats]:
    """Ten kernels of a microsecond in an hour."""
    start: Floats = np.arange(10, dtype=np.float64) * 360e6
    return start, start + 1


def _lone() -> tuple[Floats, Floats]:
    """Nearly two of 1,100 pixels each, wherever they fall on these."""
    start: Floats = np.arange(20, dtype=np.float64) * 25_037.0
    return start, start + 800


def _pairs() -> tuple[Floats, Floats]:
    """Ten times two kernels of a microsecond that are a second apart, a third of a pixel where an hour is shown."""
    start: Floats = (np.arange(10, dtype=np.float64)[:, None] * 347_300_000 + np.array([0, 1e6])).ravel()
    return start, start + 1


MANY_STEPS: Final = 1_500
RUNS: Final = {
    "steps": _steps(),
    "train": _train(),
    "wide": _ends_wide(),
    "touching": _touching(),
    "sevens": _sevens(),
    "many": _many_steps(),
    "sparse": _sparse(),
    "found": _found(),
    "bursts": _bursts(),
    "alone": _alone(),
    "lone": _lone(),
    "pairs": _pairs(),
}
