"""Hangs of programs in which one rank leaves a collective out, and goes on: its numbers are one behind the others'."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.dump_files import drawn, told, verdict

ON_ALL = {"all": [0, 1, 2, 3], "shard": [0, 1, 2, 3]}
LEFT_OUT = """
    0 | shard:1 done, all:1 done, shard:2 done, all:2 started
    1 | shard:1 done, all:1 done, shard:2 done, all:2 started
    2 | shard:1 done, all:1 done, shard:2 done, shard:3 started, all:2 scheduled
    3 | shard:1 done, all:1 done, shard:2 done, all:2 started
"""


@pytest.mark.parametrize("gone", [None, 3])
def test_who_left_one_out_and_went_on_is_at_fault_and_not_all_others(tmp_path: Path, gone: int | None) -> None:
    """In `shard` all others are missing, and whoever left no dump may be; the order of programs says more than either."""
    dumps = drawn(LEFT_OUT, ON_ALL)
    if gone is not None:
        del dumps[gone]
    first, second = told(tmp_path, dumps)
    assert (first.group, first.sequence, first.fault, first.at_fault) == ("all group", 2, "out_of_order", (2,))
    assert second.follows
    said = verdict(tmp_path) or ""
    assert "Rank 2 did not start all_reduce 2 of all group; ranks 0-1" in said
    assert (
        "It waits in all_reduce 3 of shard group, which all others have later: it left a collective of all group out before."
        in said
    )
    assert ("Rank 3 left no dump." in said) == (gone == 3)


def test_of_two_programs_that_differ_neither_is_proved_to_leave_something_out(tmp_path: Path) -> None:
    text = """
        0 | all:1 started
        1 | shard:1 started, all:1 scheduled
    """
    first, *_ = told(tmp_path, drawn(text, {"all": [0, 1], "shard": [0, 1]}))
    assert first.fault != "out_of_order"


def test_who_issued_all_in_order_and_has_begun_nothing_left_nothing_out(tmp_path: Path) -> None:
    """Its device is held up by what is in no dump; all that it issued is in the order of all others."""
    text = """
        0 | shard:1 done, all:1 done, shard:2 scheduled, all:2 scheduled
        1 | shard:1 done, all:1 done, shard:2 started, all:2 scheduled
        2 | shard:1 done, all:1 done, shard:2 started, all:2 scheduled
        3 | shard:1 done, all:1 done, shard:2 started, all:2 scheduled
    """
    found = told(tmp_path, drawn(text, ON_ALL))
    assert (found[0].group, found[0].fault, found[0].at_fault) == ("shard group", "not_started", (0,))
    assert "left" not in (verdict(tmp_path) or "")


def test_a_lost_dump_that_may_wait_for_who_is_proved_to_be_at_fault_is_not_the_cause_elsewhere(tmp_path: Path) -> None:
    """Rank 1 left `a:2` out; rank 3, in its group, has no dump, and rank 4 waits for it in `b`."""
    text = """
        0 | a:1 done, b:1 done, all:1 done, a:2 started, b:2 scheduled, all:2 scheduled
        1 | a:1 done, b:1 done, all:1 done, all:2 started
        2 | a:1 done, b:1 done, all:1 done, a:2 started, b:2 scheduled, all:2 scheduled
        4 | all:1 done, c:1 started, all:2 scheduled
    """
    groups = {"all": [0, 1, 2, 3, 4], "a": [0, 1, 2, 3], "b": [0, 1, 2, 3], "c": [3, 4]}
    first, *others = told(tmp_path, drawn(text, groups))
    assert (first.group, first.fault, first.at_fault) == ("a group", "missing", (1,))
    assert {one.group: one.follows for one in others}["c group"]
    assert "all others have later" in (verdict(tmp_path) or "")


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_of_any_program_who_leaves_one_out_is_at_fault(data: st.DataObject) -> None:
    """Groups of all ranks, hosts that wait for their device here and there; with or without the dump of another."""
    n_ranks = data.draw(st.integers(4, 6))
    names = [f"g{n}" for n in range(data.draw(st.integers(1, 3)))]
    program = data.draw(st.lists(st.sampled_from(names), min_size=2, max_size=12))
    waits_after = data.draw(st.sets(st.integers(0, len(program) - 1)))
    who, at = data.draw(st.integers(0, n_ranks - 1)), data.draw(st.integers(0, len(program) - 1))
    text = _run(
        {rank: [(place, name) for place, name in enumerate(program) if (rank, place) != (who, at)] for rank in range(n_ranks)},
        waits_after,
    )
    assume("started" in text)
    dumps = drawn(text, {name: list(range(n_ranks)) for name in names})
    if data.draw(st.booleans()):
        del dumps[(who + 1) % n_ranks]
    with TemporaryDirectory() as folder:
        found = told(Path(folder), dumps)
    assert found[0].at_fault == (who,), text
    assert not found[0].follows


def _run(programs: dict[int, list[tuple[int, str]]], waits_after: set[int]) -> str:
    """Of each rank (place in the program, group): what it would have issued and begun when nothing moves any more."""
    issued: dict[int, list[str]] = {rank: [] for rank in programs}
    left = {rank: [*each] for rank, each in programs.items()}
    n_done = dict.fromkeys(programs, 0)
    last_wait = dict.fromkeys(programs, -1)
    moves = True
    while moves:
        moves = False
        for rank, rest in left.items():
            while rest and (last_wait[rank] < 0 or n_done[rank] == len(issued[rank])):
                place, name = rest.pop(0)
                number = 1 + sum(each.startswith(f"{name}:") for each in issued[rank])
                issued[rank].append(f"{name}:{number}")
                last_wait[rank], moves = place if place in waits_after else -1, True
        heads = {issued[rank][n_done[rank]] if n_done[rank] < len(issued[rank]) else "" for rank in programs}
        if len(heads) == 1 and heads != {""}:
            n_done, moves = {rank: n + 1 for rank, n in n_done.items()}, True
    rows = []
    for rank, each in issued.items():
        n = n_done[rank]
        states = ["done"] * n + ["started"] * (n < len(each)) + ["scheduled"] * (len(each) - n - 1)
        rows.append(f"{rank} | " + ", ".join(f"{step} {state}" for step, state in zip(each, states, strict=True)))
    return "\n".join(rows)
