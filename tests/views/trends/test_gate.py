"""The newest point against those before it: what it says, and how often it is wrong."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.trace.span.figures import BY_ID
from tb_plugin.views.trends.compute import join
from tb_plugin.views.trends.gate import Value, exit_code, gate, half_width, limit_from, verdict
from tb_plugin.views.trends.result import TrendGate, Trends, TrendsParams
from tests.views.trends.points import RECORDED, figures, member, series

if TYPE_CHECKING:
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.span.figures import SpanFigures

MS = 1_000_000
LEVEL = [100 * MS + i % 3 * MS for i in range(10)]


def gated(*steps_ns: int, figure: str = "step_time") -> TrendGate:
    params = TrendsParams(fail_if_slower="5%", figure=figure)  # type: ignore[arg-type]
    found = join(series(*steps_ns), params).lines[0].gate
    assert found is not None
    return found


def code_of(*gates: TrendGate) -> int:
    """What the shell exits with when these are the gates of its lines."""
    (line,) = join(series(MS), TrendsParams(line="run")).lines
    lines = [msgspec.structs.replace(line, gate=gate) for gate in gates]
    return exit_code(Trends(baseline=[], line="run", lines=lines, is_gated=True, is_cut=False))


def test_one_slow_point_is_a_suspect_and_two_are_worse() -> None:
    assert gated(*LEVEL, 101 * MS).state == "within"
    assert gated(*LEVEL, 104 * MS).state == "within"  # under the limit
    one = gated(*LEVEL, 120 * MS)
    assert (one.state, code_of(one)) == ("suspect", 4)
    assert "one point alone may be an outlier" in one.said
    two = gated(*LEVEL, 121 * MS, 120 * MS)
    assert (two.state, two.median, two.n_baseline, code_of(two)) == ("worse", 101 * MS, 10, 3)
    assert gated(*LEVEL, 80 * MS, 80 * MS).state == "within"  # faster
    assert gated(*LEVEL, 120 * MS, 101 * MS).state == "within"  # it has passed
    assert code_of(gated(*LEVEL, 101 * MS)) == 0


def test_a_change_that_is_confirmed_is_still_worse_than_the_level_before_it() -> None:
    assert [gated(*LEVEL, *[120 * MS] * n).state for n in (2, 3, 4, 5, 6)] == ["worse"] * 5
    assert gated(*LEVEL, *[120 * MS] * 9).state == "within"  # then it is the level that there is


def test_few_points_few_steps_and_another_machine_cannot_be_told() -> None:
    assert gated(100 * MS, 100 * MS, 150 * MS).state == "too_few"
    params = TrendsParams(fail_if_slower="5%")
    hollow = [*series(*LEVEL), *(member(20 + i, figures(150 * MS, n_steps=2)) for i in range(2))]
    assert join(hollow, params).lines[0].gate.state == "suspect"  # type: ignore[union-attr]
    other = msgspec.structs.replace(RECORDED, device="A100")
    moved = [*series(*LEVEL), *(member(20 + i, figures(150 * MS, recorded=other)) for i in range(3))]
    found = join(moved, params).lines[0].gate
    assert found is not None
    assert (found.state, found.n_baseline, code_of(found)) == ("too_few", 2, 4)


def test_a_newest_profile_that_cannot_be_judged_is_named_and_no_older_one_is_judged_for_it() -> None:
    params = TrendsParams(fail_if_slower="5%")
    broken = member(20, None, state="failed", reason="w.20: no JSON")
    for members in ([broken], [*series(*LEVEL), member(19, None, state="failed"), broken]):
        result = join(members, params)
        (said,) = verdict(result)
        assert said.endswith("cannot tell: the newest profile, a · 20: w.20: no JSON")
        assert exit_code(result) == 4
    result = join([*series(*LEVEL), member(20, figures(None, n_steps=0))], params)
    assert verdict(result) == ["a: cannot tell: the newest profile, a · 20: no steps were recorded"]
    result = join(series(*LEVEL), msgspec.structs.replace(params, figure="mfu"))
    assert verdict(result) == ["a: cannot tell: the newest profile, a · 10: no MFU in it"]


def test_what_is_marked_as_the_new_normal_is_no_longer_held_against_the_level_before_it() -> None:
    members = series(*[10 * MS] * 12, *[12 * MS] * 8)
    params = TrendsParams(fail_if_slower="5%")
    assert state_of(members[:15], params) == "worse"
    marked = [*members[:13], replace(members[13], new_normal="cuDNN 9"), *members[14:]]
    assert state_of(marked[:15], params) == "too_few"
    assert state_of(marked, params) == "within"
    slower = [*marked, *(member(21 + i, figures(13 * MS)) for i in range(2))]
    assert state_of(slower, params) == "worse"
    (mark,) = [change for change in join(marked, params).lines[0].changes if change.kind == "new_normal"]
    assert (mark.at, mark.why) == (13, "new normal: cuDNN 9")


def kept(step_ns: int, **more: Any) -> Member[SpanFigures]:
    return member(0, figures(step_ns, **more), run="@baseline", is_baseline=True)


def test_against_a_kept_baseline_it_takes_two_as_well_and_the_scatter_is_the_lines_own() -> None:
    params = TrendsParams(fail_if_slower="5%", against="baseline")
    calm, slow = series(*[10 * MS] * 8), series(*[10 * MS] * 8, 12 * MS, 12 * MS)
    assert state_of([*calm, kept(10 * MS)], params) == "within"
    assert state_of([*calm, kept(8 * MS)], params) == "worse"
    assert state_of([*slow[:-1], kept(10 * MS)], params) == "suspect"
    assert state_of([*slow, kept(10 * MS)], params) == "worse"
    scattered = series(*[8 * MS, 12 * MS] * 6)
    assert state_of([*scattered, kept(10 * MS)], params) == "cannot_tell"
    found = join([*calm, kept(10 * MS)], params)
    assert [point.step_ns for point in found.baseline] == [10 * MS]
    assert found.lines[0].gate is not None
    assert (found.lines[0].gate.n_baseline, found.lines[0].gate.median) == (1, 10 * MS)
    assert len(found.lines[0].points) == 9


def test_a_baseline_that_says_nothing_of_the_profile_cannot_be_told() -> None:
    params = TrendsParams(fail_if_slower="5%", against="baseline")
    calm = series(*[10 * MS] * 8)
    other = msgspec.structs.replace(RECORDED, torch_version="2.8.0")
    assert state_of(calm, params) == "cannot_tell"
    for baseline in (kept(9 * MS, recorded=other), kept(9 * MS, n_steps=2), member(0, None, reason="broken", is_baseline=True)):
        assert state_of([*calm, baseline], params) == "cannot_tell"


def state_of(members: list[Member[SpanFigures]], params: TrendsParams) -> str:
    gate = join(members, params).lines[0].gate
    assert gate is not None
    return gate.state


def test_of_a_figure_that_is_better_when_it_is_more_less_is_worse() -> None:
    followed = BY_ID["busy"]
    points = [Value(at, 0.9 + 0.001 * (at % 3), True, 0.0) for at in range(10)]
    lower = [*points, Value(10, 0.7, True, 0.0), Value(11, 0.7, True, 0.0)]
    higher = [*points, Value(10, 0.99, True, 0.0), Value(11, 0.99, True, 0.0)]
    assert gate(followed, lower, [], 0, 0.05).state == "worse"
    assert gate(followed, higher, [], 0, 0.05).state == "within"


def test_a_point_whose_own_steps_scatter_is_not_worse_for_that_and_not_within() -> None:
    points = [Value(at, 100 + at % 2, True, 0.0) for at in range(10)]
    wild = [Value(10, 120, True, 40.0), Value(11, 120, True, 40.0)]
    assert gate(BY_ID["step_time"], [*points, *wild], [], 0, 0.05).state == "cannot_tell"
    assert gate(BY_ID["step_time"], [*points, *wild], [], 0, 0.25).state == "within"


def test_more_than_the_limit_within_the_noise_cannot_be_told() -> None:
    found = gated(*[(100 + 10 * (i % 3)) * MS for i in range(9)], 137 * MS)  # m is 110 ms, s 14.8 ms
    assert (found.state, code_of(found)) == ("cannot_tell", 4)
    assert found.said == (
        "step time 24.5 % against 8 points before it; more than the limit, but no more than 4 times how far they scatter"
    )
    assert gated(*[(100 + 10 * (i % 3)) * MS for i in range(9)], 115 * MS).state == "within"  # 4.5 %


def test_the_half_width_is_of_the_narrowest_pair_of_ordered_values_that_holds_the_median_in_95_of_100() -> None:
    for n in range(2, 20):
        values = list(range(0, 10 * n, 10))

        def misses(k: int, n: int = n) -> float:
            return 2 * sum(math.comb(n, i) for i in range(k + 1)) * 0.5**n  # the median lies beyond the k-th from an end

        k = max((k for k in range(n // 2) if misses(k) <= 0.05), default=0)
        assert half_width(values[::-1]) == (values[n - 1 - k] - values[k]) / 2
    assert half_width([5]) == half_width([]) == 0


def test_limits() -> None:
    assert (limit_from("5%"), limit_from(" +2.5 % "), limit_from(" ")) == (0.05, 0.025, None)
    for wrong in ("five", "-1%", "nan", "nan%", "2000%", "5", "0.05", "%"):
        with pytest.raises(UsageError, match="fail_if_slower"):
            limit_from(wrong)
    assert join(series(MS, MS), TrendsParams()).lines[0].gate is None


def drawn(random: np.random.Generator, n: int, noise: float, slower: int = 0) -> list[Value]:
    values = 1 + noise * random.standard_normal(n)
    values *= np.where(random.random(n) < 0.05, 1.1 + 0.3 * random.random(n), 1.0)
    values[n - slower :] *= 1.1
    return [Value(at, float(value), True, 0.0) for at, value in enumerate(values)]


def share_of(state: str, noise: float, slower: int) -> float:
    random = np.random.default_rng(11)
    gates = [gate(BY_ID["step_time"], drawn(random, 22, noise, slower), [], 0, 0.05) for _ in range(1000)]
    return sum(found.state == state for found in gates) / len(gates)


@pytest.mark.parametrize("noise", [0.01, 0.02])
def test_two_in_a_row_are_hardly_ever_chance(noise: float) -> None:
    assert share_of("worse", noise, 0) <= 0.005
    assert share_of("suspect", noise, 0) <= 0.06  # outliers, which one in 20 is
    assert share_of("cannot_tell", noise, 0) <= 0.02  # beyond 5 %, which 2.5 deviations of 2 % are


def test_ten_percent_are_found() -> None:
    assert share_of("worse", 0.01, 2) >= 0.95
    one_or_two = share_of("suspect", 0.02, 1) + share_of("worse", 0.02, 1)
    assert one_or_two >= 0.6


def test_the_gate_of_several_lines_is_the_worst() -> None:
    states = {"within": 0, "suspect": 4, "too_few": 4, "cannot_tell": 4, "worse": 3}
    made = {name: msgspec.structs.replace(gated(*LEVEL, 101 * MS), state=name) for name in states}
    for a, b in itertools.product(states, repeat=2):
        both = {states[a], states[b]}
        assert code_of(made[a], made[b]) == (3 if 3 in both else 4 if 4 in both else 0)


def test_a_limit_on_no_profile_at_all_cannot_be_told() -> None:
    none = join([], TrendsParams(fail_if_slower="5%"))
    assert exit_code(none) == 4
    assert verdict(none) == ["no profile is taken: whether the newest is worse cannot be told"]
    assert (exit_code(join([], TrendsParams())), verdict(join([], TrendsParams()))) == (0, [])


def test_the_verdict_names_the_lines_that_are_not_within() -> None:
    slow = join([*series(*LEVEL, 121 * MS, 120 * MS, run="b"), *series(*LEVEL, run="a")], TrendsParams(fail_if_slower="5%"))
    (said,) = verdict(slow)
    assert said.startswith("b: worse: step time 18.8 % against 10 points before it")
