from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.views.compare import gate
from tests.views.compare.drawn import pair, steps, sums
from tests.views.compare.trained import TRAINED, slower

if TYPE_CHECKING:
    from tb_plugin.views.compare.sums.result import ProfileSums


def recording(n: int, factor: float) -> ProfileSums:
    return sums(
        steps(*[slower(TRAINED, factor + 0.001 * i) for i in range(n)], length_us=[200 + 50 * factor + 0.1 * i for i in range(n)])
    )


def code(a: ProfileSums, b: ProfileSums, *limits: str, strict: bool = False) -> int:
    found = gate.broken([pair(a, b)], [gate.limit_from(limit) for limit in limits])
    return gate.exit_code(found, strict=strict)


def test_a_limit_that_holds_is_no_failure() -> None:
    assert code(recording(6, 1), recording(6, 2), "step>50%", "kernel>+1ms") == 0
    assert code(recording(6, 2), recording(6, 1), "step>5%") == 0  # faster


def test_a_slowdown_that_is_no_noise_is_3() -> None:
    assert code(recording(6, 1), recording(6, 2), "step>5%") == 3
    assert code(recording(6, 1), recording(6, 2), "kernel>+20us") == 3
    assert code(recording(6, 1), recording(6, 2), "busy>1%") == 3


@pytest.mark.parametrize("n", [1, 2, 3])
def test_with_few_steps_it_is_4_and_never_3(n: int) -> None:
    assert code(recording(n, 1), recording(6, 9), "step>5%") == 4
    assert code(recording(n, 1), recording(6, 9), "step>5%", strict=True) == 3


def test_one_that_is_sure_decides() -> None:
    (b,) = [pair(recording(6, 1), recording(6, 2))]
    found = gate.broken([b], [gate.slower_than("5%"), gate.limit_from("exposed_communication>0.1%")])
    assert [one.exit_code for one in found] == [3]
    assert "step more than 5 %: +" in found[0].said


@pytest.mark.parametrize("text", ["5 percent", "5%%", "", "-5%", "kernel<2ms", "kernel>much", ">5%"])
def test_a_limit_that_cannot_be_read_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        gate.limit_from(text)


def test_a_figure_that_there_is_none_of_is_named_with_what_there_is() -> None:
    with pytest.raises(UsageError, match="no figure 'kernels'; there is step, kernel"):
        code(recording(6, 1), recording(6, 1), "kernels>1%")


def test_a_slowdown_under_a_load_that_drifts_is_told_from_the_fastest_of_each_call() -> None:
    """Each step is late at one call, by up to all of the step, and each recording waits for something else as long."""
    calls = (100.0, 40.0, 60.0)

    def loaded(factor: float, seed: int) -> ProfileSums:
        work, lengths = [], []
        for step in range(6):
            late = (30.0 * (seed + 3) * (step + 1)) % 250
            times = [us * factor + (late if place == step % 3 else 0.0) for place, us in enumerate(calls)]
            work.append([("aten::mm", f"k{place}", us) for place, us in enumerate(times)])
            lengths.append(100 + sum(times) + (137 * seed) % 350)
        return sums(steps(*work, length_us=lengths))

    a, same, slow = ([loaded(factor, seed) for seed in range(first, first + 8)] for factor, first in ((1, 0), (1, 3), (1.3, 5)))
    limits = [gate.limit_from("undisturbed>5%"), gate.slower_than("5%")]
    assert [one.exit_code for one in gate.broken([pair(a, slow)], limits[:1])] == [3]
    assert gate.broken([pair(a, same)], limits[:1]) == []
    (alone,) = gate.broken([pair(a[0], slow[0])], limits[:1])
    assert alone.exit_code == 4  # one recording a side
    found = pair(a, slow)
    assert found.step.verdict == "noise"
    assert "with each call as fast as in its fastest step" in found.headline


def test_of_builds_under_drifting_load_all_slowdowns_are_found_and_nothing_else() -> None:
    """Eight recordings a side in turns, 10 % of scatter that neighbours mostly share; 3 000 builds of each: all, and 0.13 %."""
    random, one = np.random.default_rng(0), recording(4, 1)
    limits = [gate.limit_from("undisturbed>10%")]

    def build(factor: float) -> list[int]:
        drift = [random.standard_normal()]
        for _ in range(15):
            drift.append(0.8 * drift[-1] + 0.6 * random.standard_normal())
        scale = 26e6 * np.exp(0.08 * np.array(drift) + 0.06 * random.standard_normal(16))
        a, b = (
            [msgspec.structs.replace(one, undisturbed_ns=round(ns * times)) for ns in scale[side::2]]
            for side, times in ((0, 1.0), (1, factor))
        )
        return [broken.exit_code for broken in gate.broken([pair(a, b)], limits)]

    assert [build(4 / 3) for _ in range(40)] == [[3]] * 40
    assert sum(3 in build(1.0) for _ in range(100)) <= 1
