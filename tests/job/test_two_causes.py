"""A rank that is late for two reasons: each is told of its own steps, and both where they are of the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.told.doubts import _OF_CAUSES
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member
from tests.job_files import GEMM_NS, Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

MS = 1_000_000
STEPS = [10, 11, 12, 13]
SLOWER = 6 * GEMM_NS // 2
"""What kernels that take half as long again cost in a step."""


def members_of(folder: Path, **more: Any) -> list[Member[RankSummary]]:
    folder.mkdir()
    return [member(path) for path in Job(n_ranks=8, ranks_per_node=4, n_steps=4, **more).write(folder)]


@pytest.mark.parametrize(
    ("faults", "told"),
    [
        (
            {"late_once": {(5, 11): 9 * MS}, "slow": {5: 1.5}},
            [("input", [11], "slow_kernels"), ("slow_kernels", [10, 12, 13], None)],
        ),
        (
            {"stops": {(5, 11, 3): 9 * MS}, "slow": {5: 1.5}},
            [("pause", [11], "slow_kernels"), ("slow_kernels", [10, 12, 13], None)],
        ),
        ({"stops": {(5, 11, 3): 9 * MS}, "late_input": {5: MS}}, [("pause", [11], "input"), ("input", [10, 12, 13], None)]),
        (
            {"slow": {5: 1.5}, "slow_steps": [10, 11], "late_once": {(5, 12): 4 * MS, (5, 13): 4 * MS}},
            [("input", [12, 13], None), ("slow_kernels", [10, 11], None)],
        ),
        (
            {"slow": {5: 1.5}, "slow_steps": [10], "late_once": {(5, 11): 3 * MS}, "stops": {(5, 12, 3): 2 * MS}},
            [("input", [11], None), ("pause", [12], None), ("slow_kernels", [10], None)],
        ),
        ({"late_input": {5: 3 * MS}, "slow": {5: 1.5}}, [("input", STEPS, "slow_kernels")]),
        ({"late_input": {5: MS}, "slow": {5: 1.5}}, [("slow_kernels", STEPS, "input")]),
        ({"late_input": {5: 3 * MS}, "slow": {5: 1.01}}, [("input", STEPS, None)]),
        (
            {"slow": {5: 1.5}, "late_once": {(5, 10): 900_000, (5, 11): 16 * MS // 10, (5, 12): 900_000, (5, 13): 900_000}},
            [("slow_kernels", STEPS, "input")],
        ),
        ({"stops": {(5, 11, 3): 9 * MS, (5, 13, 3): 600_000}}, [("pause", [11], None), ("pause", [13], None)]),
    ],
    ids=[
        "loader once, slower",
        "pause once, slower",
        "pause once, loader",
        "slower, then loader",
        "three in turn",
        "loader, slower",
        "slower, loader",
        "hardly slower",
        "the larger one changes",
        "long, then short",
    ],
)
def test_each_cause_is_told_of_its_own_steps(
    tmp_path: Path, faults: dict[str, Any], told: list[tuple[str, list[int], str | None]]
) -> None:
    late = members_of(tmp_path / "late", **faults)
    table = join(late, RanksParams())
    assert [(one.name, one.cause, one.steps, one.also) for one in table.blamed] == [("rank 5", *each) for each in told]
    gain = 0.0
    for one in table.blamed:
        assert one.cause_ns + (one.also_ns or 0) == pytest.approx(one.excess_ns, rel=0.03)
        gain += len(one.steps) * ((one.step_was_ns or 0) - (one.step_without_ns or 0)) / len(STEPS)
    (as_peers,) = what_if(late, RanksWhatIfParams(what_if="rank=5")).rows
    assert gain == pytest.approx(-(as_peers.change_ns or 0), rel=0.01)
    said = " ".join(table.sentences)
    assert said.count("Rank 5") - said.count("Rank 5 ends") == len(told)
    assert all(step.late == ["rank 5"] for step in table.steps if any(step.number in steps for _, steps, _ in told))


def test_a_second_cause_stands_in_the_sentence_with_its_amount_and_has_its_doubt(tmp_path: Path) -> None:
    table = join(members_of(tmp_path / "late", late_input={5: 3 * MS}, slow={5: 1.5}), RanksParams())
    (one,) = table.blamed
    assert [one.cause_ns, one.also_ns or 0] == pytest.approx([3 * MS, SLOWER], rel=0.02)
    second = f"computes 50 % longer at the same kernels ({format_ns(one.also_ns or 0)} more)"
    both = f"waits for its data loader ({format_ns(one.cause_ns)} more) and {second}"
    assert f"{both} in all 4 steps: {format_ns(one.excess_ns)} a step more than its peers" in one.sentence
    assert _OF_CAUSES["kernels"] in table.doubts


@pytest.mark.parametrize(("factor", "less"), [(0.5, f", for it computes {format_ns(SLOWER)} less"), (1.0, "")])
def test_that_it_computes_less_meanwhile_is_said_where_its_causes_add_up_to_more(
    tmp_path: Path, factor: float, less: str
) -> None:
    stops = {(5, step, 3): 3 * MS for step in STEPS}
    (one,) = join(members_of(tmp_path / "late", slow={5: factor}, late_input={5: 3 * MS}, stops=stops), RanksParams()).blamed
    assert {one.cause, one.also} == {"input", "pause"}
    assert f"a step more than its peers (all others){less}; " in one.sentence


@pytest.mark.parametrize("its", [[12], [12, 13]])
def test_a_second_cause_is_told_of_its_own_steps(tmp_path: Path, its: list[int]) -> None:
    """A little in one step of four is chance."""
    stops, once = {(5, step, 3): 3 * MS for step in STEPS}, {(5, step): 800_000 for step in its}
    (one,) = join(members_of(tmp_path / "late", stops=stops, late_once=once), RanksParams()).blamed
    assert (one.cause, one.steps, one.also) == ("pause", STEPS, "input" if len(its) > 1 else None)
    said = "in all 4 steps and waits for its data loader (800 us more) in steps 12-13: 3.40 ms a step more than its peers"
    assert (said in one.sentence) == (len(its) > 1)


@pytest.mark.parametrize("slow", [(0, 1, 2, 3, 4), (3, 4, 5, 6, 7)])
def test_beside_a_late_host_a_rank_is_held_against_who_is_not_late(tmp_path: Path, slow: tuple[int, ...]) -> None:
    """All are slow at the same kernels: against all others, most of them as slow, a rank would have no cause, or another one."""
    table = join(members_of(tmp_path / "late", slow=dict.fromkeys(slow, 1.3)), RanksParams())
    assert {(one.name, one.cause, tuple(one.steps)) for one in table.blamed} == {
        (f"host node{slow[1] // 4}", "slow_kernels", tuple(STEPS)),
        (f"rank {slow[-1] if slow[0] == 0 else slow[0]}", "slow_kernels", tuple(STEPS)),
    }
    for one in table.blamed:
        assert one.factor == pytest.approx(1.3, rel=0.01)
        assert one.cause_ns == pytest.approx(0.3 * 6 * GEMM_NS, rel=0.02)


def test_a_gap_that_all_have_is_no_second_cause_of_who_has_a_longer_one(tmp_path: Path) -> None:
    """All stop for 0.8 ms; the longest of the late rank's is another, so that theirs is its second."""
    stops = {(rank, step, 1): 800_000 for rank in range(8) for step in STEPS}
    stops |= {(5, step, 4): 15 * MS for step in STEPS}
    held = {key: (("cpu_op", "aten::nonzero" if key[2] == 4 else "load_batch"),) for key in stops}
    table = join(members_of(tmp_path / "late", stops=stops, stops_in=held), RanksParams())
    (one,) = table.blamed
    assert (one.cause, one.also, one.also_ns) == ("sync", None, None)
    assert one.cause_ns == pytest.approx(15 * MS, rel=0.003)
    assert "load_batch" not in " ".join([*table.sentences, *table.doubts])


def test_a_second_gap_is_held_against_the_longest_of_the_others(tmp_path: Path) -> None:
    """Its own second is longer than the one that all have."""
    stops = {(rank, step, 1): 800_000 for rank in range(8) for step in STEPS}
    stops |= {(5, step, 4): 15 * MS for step in STEPS} | {(5, step, 2): 2 * MS for step in STEPS}
    held = {key: (("cpu_op", {4: "aten::nonzero", 1: "load_batch"}.get(key[2], "step_hook")),) for key in stops}
    table = join(members_of(tmp_path / "late", stops=stops, stops_in=held), RanksParams())
    (one,) = table.blamed
    assert (one.cause, one.also) == ("sync", "pause")
    assert [one.cause_ns, one.also_ns or 0] == pytest.approx([15 * MS, 2 * MS], rel=0.01)
    assert "step_hook" in one.sentence


def test_of_two_ranks_one_with_two_causes_is_named_once_where_they_go_together(tmp_path: Path) -> None:
    faults: dict[str, Any] = {"slow": {2: 1.5, 5: 1.5}, "late_once": {(5, 11): 9 * MS}}
    table = join(members_of(tmp_path / "late", **faults), RanksParams())
    assert [one.name for one in table.blamed] == ["rank 5", "rank 2", "rank 5"]
    assert table.together is not None
    assert table.together.names == ["rank 5", "rank 2"]


@pytest.mark.parametrize("n_steps", [3, 4, 5, 6])
@pytest.mark.parametrize(
    ("odd", "even"),
    [
        ({"late_once": 9 * MS}, {"stops": MS}),
        ({"late_once": MS // 2}, {"slow": 1.6}),
        ({"stops": 9 * MS}, {"late_once": 9 * MS}),
        ({"late_once": 2 * MS}, {"late_once": MS}),
    ],
)
def test_of_four_ranks_two_that_are_late_in_turns_are_both_named(
    tmp_path: Path, n_steps: int, odd: dict[str, Any], even: dict[str, Any]
) -> None:
    """Each is late in half of the steps: half of what it then is late by is not what it always is."""
    faults: dict[str, Any] = {"late_once": {}, "stops": {}}
    turns = {rank: [step for step in range(10, 10 + n_steps) if step % 2 == rank % 2] for rank in (0, 3)}
    for rank, fault in ((3, odd), (0, even)):
        for what, how_much in fault.items():
            if what == "slow":
                faults |= {"slow": {rank: how_much}, "slow_steps": turns[rank]}
                continue
            faults[what] |= {(rank, step) if what == "late_once" else (rank, step, 3): how_much for step in turns[rank]}
    table = join([member(path) for path in Job(n_ranks=4, n_steps=n_steps, **faults).write(tmp_path)], RanksParams())
    assert {one.name: one.steps for one in table.blamed} == {f"rank {rank}": steps for rank, steps in turns.items()}
