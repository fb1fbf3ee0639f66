"""More kernels, other kernels or slower ones: why a rank computes longer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.result import Lead
from tb_plugin.views.ranks.told.blame import sentence_of
from tb_plugin.views.ranks.told.lead_places import placed
from tests.job.recorded import recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("percent", [2.7, 3.5])
def test_a_rank_that_is_hardly_slow_at_the_same_kernels_has_no_more_work(tmp_path: Path, percent: float) -> None:
    of = analysed(recorded(Job(n_ranks=8, slow={5: 1 + percent / 100}).write(tmp_path)))
    ((one, cause, _),) = of.stragglers
    assert (one.level, one.number, cause.id) == ("rank", 5, "slow_kernels")
    assert cause.factor == pytest.approx(1 + percent / 100, abs=0.004)


@pytest.mark.parametrize(
    ("slow", "more", "cause"),
    [
        (1.25, 0, "kernels"),
        (1.25, 1, "more_work"),
        (1.32, 1, "more_work"),
        (1.35, 1, "kernels"),
        (1.027, 1, "more_work"),
        (1.25, None, "slow_kernels"),
    ],
)
def test_more_work_is_what_more_kernels_explain_and_else_the_reason_is_not_told(
    tmp_path: Path, slow: float, more: int | None, cause: str
) -> None:
    """Rank 5 is late, its kernels are those of its peers, and `more` of 6. One is 400 us: half of what 1.333 x costs a step."""
    profiles = recorded(Job(n_ranks=8, slow={5: slow}).write(tmp_path))
    if more is not None:
        shapes, peers = (unpacked(profiles[place].summary.shapes) for place in (5, 4))
        assert shapes["count"].tolist() == [6, 6, 6]
        shapes.update(median=peers["median"], count=shapes["count"] + more)
        profiles[5] = replace(profiles[5], summary=msgspec.structs.replace(profiles[5].summary, shapes=packed(shapes)))
    ((one, why, _),) = analysed(profiles).stragglers
    assert (one.level, one.number, why.id) == ("rank", 5, cause)


@pytest.mark.parametrize(
    ("more", "longer", "cause"), [(2, 1.4, "more_work"), (0, 1.4, "some_kernels"), (2, 1.0, "more_work"), (1, 1.0, "more_work")]
)
def test_larger_kernels_of_a_shape_that_all_run_are_more_work_where_they_are_more(
    tmp_path: Path, more: int, longer: float, cause: str
) -> None:
    """All run another shape too, as often and as long. Rank 5 runs the first `more` times more in a step, and 600 us longer."""
    profiles = recorded(Job(n_ranks=8, slow={5: 1.25}).write(tmp_path))
    for place, each in enumerate(profiles):
        shapes = unpacked(each.summary.shapes)
        if place == 5:
            shapes.update(median=(shapes["median"] / 1.25 * longer).astype(np.int64), count=shapes["count"] + more)
        other = {**shapes, "shape": shapes["shape"] + 1, **{name: np.full(3, 2_000_000) for name in ("median", "total")}}
        other["count"] = np.ones(3, np.int64)
        both = {name: np.concatenate((shapes[name], other[name])) for name in shapes}
        profiles[place] = replace(each, summary=msgspec.structs.replace(each.summary, shapes=packed(both)))
    ((one, why, _),) = analysed(profiles).stragglers
    name = profiles[5].summary.names[0]
    assert (one.number, why.id, why.n_more, why.kernels[0]) == (5, cause, more or None, name)
    sentence = sentence_of(analysed(profiles), one, why)
    kernels = "kernel" if more == 1 else "kernels"
    more_work = f"has more work: {more} {kernels} more a step, first {name} ({7 + more} against 7 on its peers)"  # of both shapes
    assert (more_work in sentence) == (cause == "more_work")


@pytest.mark.parametrize(
    ("n_more", "times", "cause"), [(2, 2.9, "more_work"), (2, 1.6, "more_work"), (0, 2.9, "kernels"), (2, 1.0, "kernels")]
)
def test_calls_that_are_more_and_larger_are_more_work_though_others_are_as_usual(
    tmp_path: Path, n_more: int, times: float, cause: str
) -> None:
    """All that rank 5 runs is of one shape, as the persistent GEMMs of layers and of a model's head. Half of its calls take as
    long as its peers'; what it is late by is in `n_more` calls, the longest so many times as long.
    """
    profiles = recorded(Job(n_ranks=8, slow={5: 1 + max(n_more, 1) * times / 6 if times > 1 else 2.0}).write(tmp_path))
    shapes, peers = (unpacked(profiles[place].summary.shapes) for place in (5, 4))
    longest = (peers["median"] * times).astype(np.int64)
    shapes.update(median=peers["median"], longest=longest, count=shapes["count"] + n_more)
    profiles[5] = replace(profiles[5], summary=msgspec.structs.replace(profiles[5].summary, shapes=packed(shapes)))
    ((one, why, _),) = analysed(profiles).stragglers
    assert (one.level, one.number, why.id) == ("rank", 5, cause)
    if cause == "more_work":
        assert (why.n_more, why.calls) == (n_more, ((6 + n_more, 6),))


def test_other_kernels_in_place_of_the_usual_ones_are_not_counted_as_more(tmp_path: Path) -> None:
    """Rank 5 runs larger ones, of another shape, seven for six."""
    profiles = recorded(Job(n_ranks=8, slow={5: 1.25}).write(tmp_path))
    shapes = unpacked(profiles[5].summary.shapes)
    shapes.update(shape=shapes["shape"] + 1, count=shapes["count"] + 1)
    common = {**shapes, "shape": shapes["shape"] + 2, "count": np.ones(3, np.int64)}
    for place, each in enumerate(profiles):
        own = shapes if place == 5 else unpacked(each.summary.shapes)
        both = {name: np.concatenate((own[name], common[name])) for name in own}
        profiles[place] = replace(each, summary=msgspec.structs.replace(each.summary, shapes=packed(both)))
    ((one, why, _),) = analysed(profiles).stragglers
    assert (one.number, why.id, why.n_more) == (5, "more_work", None)


def _with_a_long_call(profile: Any, step: int, took_ns: int) -> Any:
    """One of the kernels of the step takes so long; all that follows in it is as it was, for causes are told by sums."""
    shapes, work = unpacked(profile.summary.shapes), unpacked(profile.summary.work)
    row = int(np.flatnonzero(shapes["step"] == step)[0])
    more = took_ns - int(shapes["median"][row])
    shapes["longest"][row] = took_ns
    shapes["total"][row] += more
    work["computation"][int(np.flatnonzero(unpacked(profile.summary.steps)["number"] == step)[0])] += more
    return replace(profile, summary=msgspec.structs.replace(profile.summary, shapes=packed(shapes), work=packed(work)))


@pytest.mark.parametrize("fault", ["long_call", "more_work", None])
def test_of_two_ranks_that_differ_by_chance_what_one_call_or_more_kernels_cost_is_none(tmp_path: Path, fault: str | None) -> None:
    """In one of two steps."""
    profiles = recorded(Job(n_ranks=2, n_steps=2, tensor=2).write(tmp_path))
    for place, chance in enumerate(([1.0, 1.06], [1.1, 1.03])):
        work = unpacked(profiles[place].summary.work)
        work["computation"] = (work["computation"] * chance).astype(np.int64)
        profiles[place] = replace(profiles[place], summary=msgspec.structs.replace(profiles[place].summary, work=packed(work)))
    if fault == "long_call":
        profiles[1] = _with_a_long_call(profiles[1], 11, 1_600_000)
    if fault == "more_work":
        shapes, work = (unpacked(table) for table in (profiles[1].summary.shapes, profiles[1].summary.work))
        more = 3 * int(shapes["median"][1])
        shapes["count"][1] += 3
        shapes["total"][1] += more
        work["computation"][1] += more
        profiles[1] = replace(
            profiles[1], summary=msgspec.structs.replace(profiles[1].summary, shapes=packed(shapes), work=packed(work))
        )
    found = [(one.number, one.late_steps, cause.id) for one, cause, _ in analysed(profiles).stragglers]
    assert found == ([(1, (11,), fault)] if fault else [])


def test_one_call_that_takes_long_is_named_with_how_long_it_took(tmp_path: Path) -> None:
    profiles = recorded(Job(n_ranks=8).write(tmp_path))
    profiles[3] = _with_a_long_call(profiles[3], 11, 1_600_000)
    of = analysed(profiles)
    ((one, cause, _),) = of.stragglers
    assert (one.number, one.late_steps, cause.id, cause.confidence, cause.call_ns) == (3, (11,), "long_call", "sure", 1_600_000)
    said = sentence_of(of, one, cause)
    assert re.search(r"computes longer in one call of \S+, which takes 1\.60 ms, \d+ times as long as usual in step 11", said)
    (place,) = placed(of, Lead(ranks=[3], step=11)).places
    shapes = unpacked(profiles[3].summary.shapes)
    at = int(shapes["longest_at"][shapes["step"] == 11][0])
    assert (place.start_ns, place.lasts_ns) == (at, 1_600_000)


def test_a_long_call_is_named_where_one_of_three_others_has_one_in_the_same_step(tmp_path: Path) -> None:
    profiles = recorded(Job(n_ranks=4, n_steps=4).write(tmp_path))
    profiles[0], profiles[2] = _with_a_long_call(profiles[0], 11, 18_000_000), _with_a_long_call(profiles[2], 11, 14_000_000)
    found = {(one.number, one.late_steps): (cause.id, cause.call_ns) for one, cause, _ in analysed(profiles).stragglers}
    assert found == {(0, (11,)): ("long_call", 18_000_000), (2, (11,)): ("long_call", 14_000_000)}


def test_few_calls_that_take_long_are_counted(tmp_path: Path) -> None:
    """Of two kernels: neither is most of what the step is late by."""
    profiles = [
        _with_a_shape_that_runs_twice(one, median=200_000, longest=200_000, total=400_000)
        for one in recorded(Job(n_ranks=8).write(tmp_path))
    ]
    longer = _with_a_long_call(profiles[3], 10, 1_600_000)
    longer = _with_a_shape_that_runs_twice(longer, median=200_000, longest=1_500_000, total=1_700_000)
    work = unpacked(longer.summary.work)
    work["computation"][0] += 1_300_000
    profiles[3] = replace(longer, summary=msgspec.structs.replace(longer.summary, work=packed(work)))
    of = analysed(profiles)
    ((one, cause, _),) = of.stragglers
    assert (one.number, one.late_steps, cause.id, cause.n_calls, cause.call_ns) == (3, (10,), "long_call", 2, 1_500_000)
    assert "computes longer in 2 calls a step, the longest of " in sentence_of(of, one, cause)


def test_a_long_call_beside_slow_kernels_is_told_with_what_each_costs(tmp_path: Path) -> None:
    profiles = recorded(Job(n_ranks=8, slow={3: 1.3}).write(tmp_path))
    usual = int(unpacked(profiles[0].summary.shapes)["median"][0])
    profiles[3] = _with_a_long_call(profiles[3], 11, 5 * usual)
    of = analysed(profiles)
    ((one, cause, _),) = of.stragglers
    assert (one.number, cause.id, cause.also and cause.also.id) == (3, "slow_kernels", "long_call")
    assert cause.also is not None
    assert cause.amount_ns + cause.also.amount_ns == pytest.approx(one.parts["computation"])
    assert cause.also.amount_ns == pytest.approx((5 - 1.3) * usual / 3, rel=0.05)
    said = sentence_of(of, one, cause)
    assert re.search(
        r"longer at the same kernels \(.* us more\) in all 3 steps and computes longer in one call of .* \(.*\) in step 11: ",
        said,
    )


def _with_a_small_kernel(profile: Any, shape: int, more_ns: int, step: int = 11) -> Any:
    """That runs three times a step, 5 us each; one call of a step takes so much more."""
    shapes, work, steps = (unpacked(getattr(profile.summary, name)) for name in ("shapes", "work", "steps"))
    is_long = (steps["number"] == step) * more_ns
    took = {
        "step": steps["number"],
        "shape": shape,
        "count": 3,
        "median": 5_000,
        "longest": 5_000 + is_long,
        "total": 15_000 + is_long,
    }
    n = len(is_long)
    shapes = {name: np.append(each, np.broadcast_to(took.get(name, each[0]), n)) for name, each in shapes.items()}
    work["computation"] += is_long
    return replace(profile, summary=msgspec.structs.replace(profile.summary, shapes=packed(shapes), work=packed(work)))


def test_what_is_run_more_often_in_every_step_is_not_why_one_of_them_is_late(tmp_path: Path) -> None:
    """Four times to three, 5 us each; in one step three of the four stand still."""
    profiles = [
        _with_a_small_kernel(one, 0, 4_500_000 * (place == 3)) for place, one in enumerate(recorded(Job().write(tmp_path)))
    ]
    shapes = unpacked(profiles[3].summary.shapes)
    its = shapes["median"] == 5_000
    shapes["count"][its] += 1
    shapes["total"][its] += 5_000
    shapes["longest"][its & (shapes["step"] == 11)] = 2_000_000
    profiles[3] = replace(profiles[3], summary=msgspec.structs.replace(profiles[3].summary, shapes=packed(shapes)))
    ((one, cause, _),) = analysed(profiles).stragglers
    assert (one.number, one.late_steps, cause.id, cause.call_ns) == (3, (11,), "long_call", 2_000_000)
    assert cause.amount_ns == pytest.approx(2_000_000, rel=0.01)  # what else it is late by is in no call that is kept


@pytest.mark.parametrize("has_one", [(3,), (0, 3), (0, 3, 5, 6)])
def test_a_long_call_is_no_cause_where_many_peers_have_one_of_whatever_kernel(tmp_path: Path, has_one: tuple[int, ...]) -> None:
    """As where processes share cores. Rank 3 stands still as well, and is late for that."""
    profiles = recorded(Job(n_ranks=8, pause={(3, step): 2_000_000 for step in (10, 11, 12)}).write(tmp_path))
    for shape in range(8):
        longer = {rank: 1_900_000 * (rank == shape and rank in has_one) for rank in range(8)}
        profiles = [_with_a_small_kernel(profile, shape, longer[rank]) for rank, profile in enumerate(profiles)]
    of = analysed(profiles)
    one, cause, _ = next(each for each in of.stragglers if each[0].number == 3)
    assert cause.id == "pause"
    if len(has_one) > 2:
        assert cause.also is None or cause.also.id == "kernels"
        return
    assert cause.also is not None
    assert (cause.also.id, cause.also.steps) == ("long_call", (11,))
    said = sentence_of(of, one, cause)
    second = r"one call of \S+, which takes 1\.9\d ms, 381 times as long as usual \(1\.90 ms more\)"
    assert re.search(rf"in all 3 steps and computes longer in {second} in step 11: ", said)


@pytest.mark.parametrize(("first_ns", "second_ns"), [(3_000_000, 1_500_000), (1_500_000, 9_000_000)])
def test_long_calls_of_two_kernels_are_told_each_of_its_own_steps(tmp_path: Path, first_ns: int, second_ns: int) -> None:
    profiles = recorded(Job(n_ranks=8).write(tmp_path))
    profiles[3] = _with_a_long_call(profiles[3], 10, first_ns)
    profiles = [_with_a_small_kernel(one, 0, second_ns * (place == 3)) for place, one in enumerate(profiles)]
    told = {one.late_steps: (one.number, cause.id, cause.call_ns, cause.steps) for one, cause, _ in analysed(profiles).stragglers}
    assert told == {(10,): (3, "long_call", first_ns, ()), (11,): (3, "long_call", 5_000 + second_ns, ())}


def test_long_calls_of_one_kernel_of_far_other_lengths_are_told_apart(tmp_path: Path) -> None:
    """A mean of both is no step's."""
    profiles = recorded(Job(n_ranks=8).write(tmp_path))
    profiles[3] = _with_a_long_call(_with_a_long_call(profiles[3], 10, 12_000_000), 12, 1_600_000)
    told = {one.late_steps: (cause.id, cause.call_ns) for one, cause, _ in analysed(profiles).stragglers}
    assert told == {(10,): ("long_call", 12_000_000), (12,): ("long_call", 1_600_000)}


def test_a_long_call_of_another_kernel_in_each_of_many_steps_is_told_once(tmp_path: Path) -> None:
    profiles = recorded(Job(n_ranks=8, n_steps=6).write(tmp_path))
    for shape in range(6):
        profiles = [
            _with_a_small_kernel(one, shape, 2_000_000 * (place == 3), step=10 + shape) for place, one in enumerate(profiles)
        ]
    of = analysed(profiles)
    ((one, cause, _),) = of.stragglers
    assert (one.number, one.late_steps, cause.id, cause.steps) == (3, tuple(range(10, 16)), "long_call", ())


def test_ranks_of_a_replica_that_are_late_for_causes_of_their_own_are_no_unit(tmp_path: Path) -> None:
    """One computes longer at the same kernels, the other has more of them, which comes to as much."""
    profiles = recorded(Job(n_ranks=8, slow={2: 1.5}).write(tmp_path))
    shapes, work = unpacked(profiles[3].summary.shapes), unpacked(profiles[3].summary.work)
    work["computation"] += 3 * shapes["median"]
    shapes["total"] += 3 * shapes["median"]
    shapes["count"] += 3
    profiles[3] = replace(
        profiles[3], summary=msgspec.structs.replace(profiles[3].summary, shapes=packed(shapes), work=packed(work))
    )
    told = {(one.level, one.number): cause.id for one, cause, _ in analysed(profiles).stragglers}
    assert told == {("rank", 2): "slow_kernels", ("rank", 3): "more_work"}


def test_a_long_call_of_one_of_two_that_are_late_together_is_not_said_of_both(tmp_path: Path) -> None:
    """The other is slow at its kernels, and that comes to as much or more."""
    profiles = recorded(Job(n_ranks=8, slow={2: 1.3}).write(tmp_path))
    profiles[3] = _with_a_long_call(profiles[3], 11, 3_000_000)
    of = analysed(profiles)
    told = {(one.level, one.number): cause.id for one, cause, _ in of.stragglers}
    assert told["rank", 3] == "long_call"
    assert not any(cause == "long_call" for (level, _), cause in told.items() if level != "rank")


def test_a_call_that_is_as_long_on_all_ranks_is_no_cause(tmp_path: Path) -> None:
    """As where one kernel of a name and grid has more to do, or begins with a warm-up."""
    profiles = [_with_a_long_call(one, 11, 4_000_000) for one in recorded(Job(n_ranks=8, slow={5: 1.3}).write(tmp_path))]
    of = analysed(profiles)
    ((one, cause, _),) = of.stragglers
    assert (one.number, cause.id) == (5, "slow_kernels")


def test_a_rank_that_is_slow_at_all_it_runs_once_has_no_long_call(tmp_path: Path) -> None:
    def once(profile: Any) -> Any:
        shapes = unpacked(profile.summary.shapes)
        columns = {name: np.repeat(column, 6) for name, column in shapes.items()}
        columns["shape"] = np.tile(np.arange(1, 7), len(shapes["step"]))
        columns |= {"count": np.ones(len(columns["step"]), np.int64), "total": columns["median"], "longest": columns["median"]}
        return replace(profile, summary=msgspec.structs.replace(profile.summary, shapes=packed(columns)))

    of = analysed([once(one) for one in recorded(Job(n_ranks=8, slow={5: 5.0}).write(tmp_path))])
    ((_, cause, _),) = of.stragglers
    assert cause.id == "slow_kernels"
    assert cause.factor == pytest.approx(5.0, abs=0.1)


def test_a_rank_that_is_slow_at_all_kernels_has_no_long_call(tmp_path: Path) -> None:
    of = analysed(recorded(Job(n_ranks=8, slow={5: 4.0}).write(tmp_path)))
    ((_, cause, _),) = of.stragglers
    assert cause.id == "slow_kernels"


def _with_a_shape_that_runs_twice(profile: Any, **took: int) -> Any:
    """In the first step."""
    shapes = unpacked(profile.summary.shapes)
    columns = {name: np.append(column, column[:1]) for name, column in shapes.items()}
    for name, value in (took | {"shape": 7, "count": 2}).items():
        columns[name][-1] = value
    return replace(profile, summary=msgspec.structs.replace(profile.summary, shapes=packed(columns)))


def test_what_ran_twice_tells_no_factor(tmp_path: Path) -> None:
    """One of two calls is held up: their median is half of it, and no kernel is slower."""
    profiles = [
        _with_a_shape_that_runs_twice(one, median=40_000, longest=40_000, total=80_000)
        for one in recorded(Job(n_ranks=8, slow={5: 1.3}).write(tmp_path))
    ]
    profiles[5] = _with_a_shape_that_runs_twice(profiles[5], median=400_000, longest=760_000, total=800_000)
    of = analysed(profiles)
    ((_, cause, _),) = of.stragglers
    assert cause.id == "slow_kernels"
    assert cause.factor == pytest.approx(1.3, abs=0.01)
