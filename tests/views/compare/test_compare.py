from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.errors import NotFoundError
from tb_plugin.views.compare import SUMS
from tb_plugin.views.compare.sums.result import SumsParams
from tb_plugin.views.compare.text import line_rows
from tests.trace_text import trace_from_text, with_inputs
from tests.views.compare.drawn import check_closes, pair, row, steps, sums
from tests.views.compare.trained import TRAINED, slower

if TYPE_CHECKING:
    from tb_plugin.views.compare.result import Pair, Verdict
    from tb_plugin.views.compare.sums.result import ProfileSums

WORK = st.lists(
    st.tuples(
        st.sampled_from(["aten::mm", "aten::add", "aten::cudnn_convolution", "aten::miopen_convolution", "aten::relu"]),
        st.sampled_from(["gemm", "add_k", "conv_k", "other_k"]),
        st.integers(1, 40).map(float),
    ),
    min_size=1,
    max_size=8,
)


def verdicts(found: Pair) -> set[Verdict]:
    return {found.step.verdict, *(part.verdict for part in found.parts), *(each.verdict for each in found.rows)}


@settings(max_examples=25, deadline=None)
@given(
    st.lists(WORK, min_size=1, max_size=5),
    st.lists(WORK, min_size=1, max_size=5),
    st.sampled_from(["operator", "module", "category", "kernel"]),
)
def test_the_sum_closes_and_the_other_way_round_the_signs_turn(a: list, b: list, by: str) -> None:  # type: ignore[type-arg]
    there, back = pair(sums(steps(*a)), sums(steps(*b)), by=by), pair(sums(steps(*b)), sums(steps(*a)), by=by)
    check_closes(there)
    check_closes(back)
    turned = {"added": "removed", "removed": "added"}

    def told(found: Pair, sign: int) -> list[tuple[object, ...]]:
        return sorted(
            (
                *(each.depth, each.kind, " -> ".join(sorted(each.name.split(" → ")))),
                *(sign * each.delta_ns, sign * (each.count_ns or 0), sign * (each.duration_ns or 0)),
                *(each.verdict, turned.get(each.matched, each.matched) if sign < 0 else each.matched),
            )
            for each in found.rows
        )

    assert told(there, 1) == told(back, -1)
    assert (there.step.shift_ns, there.step.p, there.step.verdict) == (-back.step.shift_ns, back.step.p, back.step.verdict)


@settings(max_examples=15, deadline=None)
@given(st.lists(WORK, min_size=1, max_size=6))
def test_a_profile_against_itself_is_all_zero(work: list) -> None:  # type: ignore[type-arg]
    found = pair(sums(steps(*work)), sums(steps(*work)))
    assert {(each.delta_ns, each.count_ns or 0, each.duration_ns or 0) for each in found.rows} == {(0, 0, 0)}
    assert {part.delta_ns for part in found.parts} == {0}
    assert "finding" not in verdicts(found)
    assert found.differences == []


def test_the_order_of_events_in_a_file_changes_nothing() -> None:
    text = steps(*[TRAINED] * 4)
    lines = text.splitlines()
    mixed = []
    for line in random.Random(1).sample(lines, len(lines)):
        track, *events = line.split(" | ")
        mixed.append(" | ".join([track, *(events if track.startswith("thread") else events[::-1])]))
    there, again = sums(text), sums("\n".join(mixed))
    assert [(call.operator, call.calls, [k.wall_ns for k in call.kernels]) for call in there.calls] == [
        (call.operator, call.calls, [k.wall_ns for k in call.kernels]) for call in again.calls
    ]


def test_a_slower_operator_is_a_finding_and_nothing_else_is() -> None:
    a = [slower(TRAINED, 1 + 0.01 * i) for i in range(6)]
    b = [slower(TRAINED, 2 + 0.01 * i) for i in range(6)]
    found = pair(sums(steps(*a, length_us=[300 + i for i in range(6)])), sums(steps(*b, length_us=[350 + i for i in range(6)])))
    assert found.step.verdict == "finding"
    assert {part.part for part in found.parts if part.verdict == "finding"} == {"kernel"}
    assert {each.name for each in found.rows if each.verdict == "finding" and each.kind == "operator"} == {"linear"}
    assert row(found, "linear").matched == "operator"
    assert "kernel +" in found.headline
    assert "One recording each." in found.headline


def test_more_calls_are_told_from_longer_ones() -> None:
    a = sums(steps([("aten::mm", "gemm", 10.0)] * 2))
    more = row(pair(a, sums(steps([("aten::mm", "gemm", 10.0)] * 3))), "mm")
    assert (more.delta_ns, more.count_ns, more.duration_ns) == (10_000, 10_000, 0)
    longer = row(pair(a, sums(steps([("aten::mm", "gemm", 15.0)] * 2))), "mm")
    assert (longer.delta_ns, longer.count_ns, longer.duration_ns) == (10_000, 0, 10_000)
    both = row(pair(a, sums(steps([("aten::mm", "gemm", 20.0)] * 4))), "mm")
    assert (both.a_calls, both.b_calls) == (2, 4)
    assert (both.count_ns, both.duration_ns) == (2 * 15_000, 10_000 * 3)


def test_vendors_operators_are_the_same_and_their_kernels_are_not() -> None:
    a = sums(steps([("aten::cudnn_convolution", "sm90_xmma", 20.0), ("aten::relu", "k", 5.0)]))
    b = sums(steps([("aten::miopen_convolution", "Cijk_Alik", 25.0), ("aten::relu", "k", 5.0)]))
    found = pair(a, b)
    assert (found.n_matched, found.n_added, found.n_removed) == (2, 0, 0)
    assert row(found, "convolution").delta_ns == 5_000
    by_kernel = pair(a, b, by="kernel")
    assert (by_kernel.n_matched, by_kernel.n_added, by_kernel.n_removed) == (1, 1, 1)
    assert found.rows[1].delta_ns == by_kernel.rows[1].delta_ns


def test_what_stands_in_the_place_of_others_replaces_them() -> None:
    a = sums(
        steps([("aten::linear", "g", 30.0), ("aten::bmm", "g", 10.0), ("aten::_softmax", "s", 10.0), ("aten::add", "k", 9.0)])
    )
    b = sums(steps([("aten::linear", "g", 30.0), ("aten::_flash_attention_forward", "f", 8.0), ("aten::add", "k", 9.0)]))
    found = pair(a, b)
    replaced = row(found, "bmm · softmax → scaled_dot_product_attention")
    assert (replaced.matched, replaced.delta_ns) == ("replaced", -12_000)
    assert (found.n_added, found.n_removed) == (0, 0)


def test_what_has_no_partner_is_added_or_removed() -> None:
    a, b = sums(steps(TRAINED)), sums(steps([*TRAINED, ("aten::dropout", "d", 7.0)]))
    assert (row(pair(a, b), "dropout").matched, row(pair(a, b), "dropout").delta_ns) == ("added", 7_000)
    assert (row(pair(b, a), "dropout").matched, row(pair(b, a), "dropout").delta_ns) == ("removed", -7_000)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_steps_are_never_a_finding(n: int) -> None:
    a, b = [TRAINED] * n, [slower(TRAINED, 8)] * n
    found = pair(sums(steps(*a)), sums(steps(*b, length_us=[990] * n)))
    assert verdicts(found) == {"unknown"}
    has = "one step" if n == 1 else f"{n} steps"
    assert f"One side has {has}: a difference, not evidence, which takes 4 a side or more." in found.headline


def test_another_program_is_said_first_and_is_no_finding() -> None:
    other = [("aten::embedding", "e", 300.0), ("aten::gelu", "g", 200.0)]
    found = pair(sums(steps(*[TRAINED] * 5)), sums(steps(*[other] * 5)))
    assert found.doubts[0].startswith("These look like two different programs")
    assert "finding" not in verdicts(found)


def test_a_profile_without_steps_is_compared_whole_and_says_so() -> None:
    bare = "thread 1 | aten::conv2d 1-2 | aten::linear 3-4\nstream 7 | k 10-90 <- aten::conv2d | g 100-140 <- aten::linear"
    found = pair(sums(bare), sums(steps(*[TRAINED] * 5)))
    assert any("no complete step" in said for said in found.doubts)
    assert "finding" not in verdicts(found)
    check_closes(found)


def recording(us: float) -> ProfileSums:
    return sums(steps(*[[("aten::mm", "g", us)]] * 5, length_us=[300 + us] * 5))


def test_several_recordings_are_the_unit_and_their_spread_is_noise() -> None:
    a, b = [recording(us) for us in (100, 110, 120, 130)], [recording(us) for us in (125, 135, 145, 155)]
    found = pair(a, b)
    assert found.step.verdict == "noise"  # one of A took longer than one of B: of four and four that is chance
    assert found.b.n_recordings == 4
    check_closes(found)
    assert pair(a, [recording(us) for us in (225, 235, 245, 255)]).step.verdict == "finding"


def test_more_recordings_find_more_and_one_that_was_disturbed_hides_nothing() -> None:
    calm, slower = (100, 104, 101, 107, 103, 102, 105, 106), (131, 135, 133, 137, 132, 134, 138, 136)
    disturbed = [recording(us) for us in (*calm[:-1], 400)]
    assert pair(disturbed, [recording(us) for us in slower]).step.verdict == "finding"
    assert pair(disturbed[4:], [recording(us) for us in slower[4:]]).step.verdict == "noise"
    assert pair(disturbed, [recording(us) for us in calm]).step.verdict == "noise"


def test_what_two_recordings_mostly_differ_by_is_noise_whatever_p_says() -> None:
    apart = [recording(us) for us in (100, 300) * 6]
    found = pair(apart, [recording(us) for us in (160, 360) * 6])
    assert (found.step.p or 1) <= 0.05
    assert found.step.low_ns > 0
    assert found.step.verdict == "noise"
    assert "noise: recordings of one side differ by 200 us among themselves, mostly." in found.headline
    assert found.b.n_recordings == 12


def waited_for(line: str, us: float, number: int = 41) -> ProfileSums:
    """Six steps in which the device has nothing to do for so long, since this line runs."""
    text = "\n".join(
        f"thread 1 | ProfilerStep#{n} {t0}-{t0 + 900} | train.py({number}): {line} {t0 + 5}-{t0 + 100 + us + n} "
        f"| aten::mm {t0 + 150 + us}-{t0 + 152 + us}\nstream 7 | g {t0 + 155 + us}-{t0 + 890} <- aten::mm"
        for n in range(6)
        for t0 in (n * 1000,)
    )
    return sums(text)


def test_waiting_for_the_host_leads_to_the_line_that_was_running_on_both_sides() -> None:
    found = pair(waited_for("collate", 100), waited_for("collate", 300, number=44))
    check_closes(found)
    line = next(row for row in found.rows if row.name == "train.py(44): collate")
    assert found.rows[line.parent].name == "waiting for the host"
    assert (line.kind, line.matched, line.verdict, line.delta_ns) == ("line", "line", "finding", 200_000)
    assert line.a_at is not None
    assert line.b_at is not None
    assert line.b_at.lasted_ns > line.a_at.lasted_ns
    assert line_rows(found)[0] == line
    gone = pair(waited_for("collate", 100), waited_for("augment", 100))
    assert {row.name: row.matched for row in gone.rows if row.kind == "line" and "train" in row.name} == {
        "train.py(41): collate": "removed",
        "train.py(41): augment": "added",
    }
    check_closes(gone)


def test_steps_of_another_kind_are_compared_apart() -> None:
    evaluation = [("aten::argmax", "a", 30.0)] * 3
    mixed = sums(steps(*[TRAINED] * 5, evaluation, evaluation))
    found = pair(mixed, sums(steps(*[TRAINED] * 5)))
    assert row(found, "linear").delta_ns == 0
    assert any("2 of 7 steps" in said for said in found.doubts)
    assert pair(mixed, mixed, kind=1).b.n_steps == 2
    with pytest.raises(NotFoundError, match="no kind 1"):
        pair(mixed, sums(steps(TRAINED)), kind=1)


def test_steps_can_be_chosen() -> None:
    found = pair(sums(steps(*[TRAINED] * 6)), sums(steps(*[TRAINED] * 6)), steps="1-3")
    assert (found.b.n_steps, found.step.verdict) == (3, "unknown")


def test_modules_are_rows_and_loosely_matched_work_is_in_the_module_around_both() -> None:
    def net(inner: str) -> str:
        return (
            f"thread 1 | ProfilerStep#0 0-500 | nn.Module: Net_0 1-400 | nn.Module: {inner} 10-50 | aten::linear 20-30 | "
            "nn.Module: ReLU_0 60-90 | aten::relu 70-80\nstream 7 | g 100-150 <- aten::linear | r 160-170 <- aten::relu"
        )

    same = pair(sums(net("Linear_0")), sums(net("Linear_1")), by="module")
    assert row(same, "linear").matched == "module"  # numbers of classes alone differ
    moved = pair(sums(net("Linear_0")), sums(net("Dense_0")), by="module")
    linear = row(moved, "linear")
    assert linear.matched == "operator"
    assert moved.rows[linear.parent].name == "Net_0"
    check_closes(moved)


def test_the_same_operators_in_other_numbers_are_another_program_and_in_other_shapes_are_not() -> None:
    few = sums(steps(*[TRAINED] * 5))
    many = sums(steps(*[[(operator, kernel, 5.0) for operator, kernel, _ in TRAINED] * 8] * 5))
    assert pair(few, many).doubts[0].startswith("These look like two different programs")
    assert pair(few, sums(steps(*[slower(TRAINED, 4)] * 5))).doubts == []


def of_batch(rows: int, us: float) -> ProfileSums:
    """Products of so many rows, which take so long."""
    trace = trace_from_text(steps(*[[("aten::mm", "gemm", us), ("aten::sort", "sort", 20.0)]] * 5))
    inputs = {"aten::mm": (f"[[{rows}, 64], [64, 32]]", '["float", "float"]'), "aten::sort": (f"[[{rows}]]", '["float"]')}
    return SUMS.answer(with_inputs(trace, inputs), SumsParams())


def test_what_a_larger_batch_explains_is_told_from_a_slower_rate() -> None:
    found = pair(of_batch(100, 50.0), of_batch(200, 130.0))
    product = row(found, "mm")
    assert (product.duration_ns, product.size_ns) == (80_000, 50_000)  # twice the work at A's rate takes 50 us more
    assert row(found, "sort").size_ns is None  # nobody knows the work of a sort
    busy = found.rows[1]
    assert (busy.duration_ns, busy.size_ns) == (80_000, 50_000)
    back = row(pair(of_batch(200, 130.0), of_batch(100, 50.0)), "mm")
    assert (back.duration_ns, back.size_ns) == (-80_000, -65_000)  # half of 130 us
    same = row(pair(of_batch(100, 50.0), of_batch(100, 60.0)), "mm")
    assert (same.duration_ns, same.size_ns) == (10_000, 0)


def test_slow_work_that_is_new_does_not_make_another_program() -> None:
    a = sums(steps(*[TRAINED] * 6, length_us=[300 + i for i in range(6)]))
    b = sums(steps(*[[*TRAINED, ("aten::sort", "sort_k", 550.0 + i)] for i in range(6)], length_us=[800 + i for i in range(6)]))
    found = pair(a, b)
    assert found.doubts == []
    assert (found.step.verdict, row(found, "sort").verdict) == ("finding", "finding")
