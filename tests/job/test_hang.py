"""Hangs drawn as what each rank issued: who is at fault, with dumps missing, rings overwritten, and groups in a circle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.job.hangs.hang import older
from tb_plugin.runs.dumps import find_dumps, read_dumps
from tb_plugin.trace.collectives.recorder import UnreadDump
from tb_plugin.views.ranks.hang.hang import hang_report, hang_text
from tests.dump_files import drawn, of_gloo, told, verdict, write

ALL = {"all": [0, 1, 2, 3]}
WITH_TP = {**ALL, "tp": [2, 3]}


def test_the_rank_that_did_not_issue_is_waited_for(tmp_path: Path) -> None:
    text = """
        0 | all:1 done, all:2 started
        1 | all:1 done, all:2 started
        2 | all:1 done
        3 | all:1 done, all:2 scheduled
    """
    (one,) = told(tmp_path, drawn(text, ALL))
    assert (one.group, one.sequence, one.fault, one.at_fault) == ("all group", 2, "missing", (2,))
    assert (one.started, one.scheduled, one.waiting) == ((0, 1), (3,), (0, 1, 3))


def test_a_dump_that_is_older_is_left_out_and_named(tmp_path: Path) -> None:
    """Rank 1 lacks what is over on the others, where it has to have come: its dump was written before."""
    text = """
        0 | all:1 done, all:2 done, all:3 started
        1 | all:1 done
        2 | all:1 done, all:2 done
        3 | all:1 done, all:2 done, all:3 started
    """
    folder = write(tmp_path, drawn(text, ALL))
    report = hang_report(*read_dumps(*find_dumps(folder)))
    assert (report.n_dumps, report.rows[0].at_fault, report.rows[0].missing, report.rows[0].no_dump) == (3, [2], [2], [1])
    assert [one.file for one in report.broken] == ["nccl_trace_rank_1"]


def test_a_dump_of_an_earlier_run_is_left_out_and_one_that_stands_behind_is_not(tmp_path: Path) -> None:
    """Of an earlier run its numbers may be higher. Who never issued what is not over on anybody is at fault, not old."""
    text = "\n".join(f"{rank} | all:1 done, all:2 started" for rank in (0, 1, 3)) + "\n2 | all:1 done"
    found, _ = read_dumps(*find_dumps(write(tmp_path, drawn(text, ALL))))
    assert older(found) == []
    hour = 3600 * 10**9
    ago = [replace(one, sequence=one.sequence + 500, created_ns=one.created_ns - hour) for one in found[0].issued]
    old = replace(found[0], issued=tuple(ago))
    assert older([old, *found[1:]]) == [old.rank]


@pytest.mark.parametrize("silent", [0, 1, 3])
def test_a_missing_dump_is_named_and_the_verdict_stands(tmp_path: Path, silent: int) -> None:
    text = "0 | all:1 done, all:2 started\n1 | all:1 done, all:2 started\n2 | all:1 done\n3 | all:1 done, all:2 started"
    dumps = drawn(text, ALL)
    del dumps[silent]
    (one,) = told(tmp_path, dumps)
    assert (one.fault, one.at_fault, one.no_dump) == ("missing", (2,), (silent,))


def test_where_all_dumps_issued_it_the_one_without_a_dump_may_be_at_fault(tmp_path: Path) -> None:
    dumps = drawn("0 | all:1 started\n1 | all:1 started\n3 | all:1 started", ALL)
    (one,) = told(tmp_path, dumps)
    assert (one.fault, one.at_fault) == ("no_dump", (2,))


def test_who_issued_another_size_is_at_fault_and_of_two_nobody_can_be_told(tmp_path: Path) -> None:
    text = "\n".join(f"{rank} | all:1 done, all:2 started" for rank in range(4))
    (one,) = told(tmp_path / "four", drawn(text, ALL, {(1, "all", 2): 16}))
    assert (one.fault, one.at_fault, one.waiting) == ("mismatch", (1,), (0, 2, 3))
    assert one.calls == (("with 8 Float", (0, 2, 3)), ("with 16 Float", (1,)))
    (row,) = hang_report(*read_dumps(*find_dumps(tmp_path / "four"))).rows
    assert (row.differs, row.started, row.missing) == ([1], [0, 2, 3], [])
    pair = drawn("0 | two:1 started\n1 | two:1 started", {"two": [0, 1]}, {(1, "two", 1): 16})
    (one,) = told(tmp_path / "two", pair)
    assert (one.fault, one.at_fault, one.waiting) == ("mismatch", (0, 1), (0, 1))
    assert verdict(tmp_path / "two") == (
        "Ranks issued all_reduce 1 of two group as different calls: rank 0 with 8 Float, rank 1 with 16 Float; which is right "
        "cannot be told; ranks 0-1 wait in it."
    )


def test_of_many_reasons_for_no_dump_no_rank_is_left_out(tmp_path: Path) -> None:
    dumps = read_dumps(*find_dumps(write(tmp_path, drawn("0 | all:1 started\n6 | all:1 started", {"all": [*range(7)]}))))[0]
    broken = [UnreadDump(f"trace_{rank}", rank, f"reason {rank % 4}") for rank in range(2, 6)]
    (row,) = hang_report(dumps, broken).rows
    assert row.sentence.startswith(
        "Ranks 1-5 may not have issued all_reduce 1 of all group; ranks 0, 6 wait in it. Rank 1 left no dump, rank 2 left a "
        "dump that cannot be read (reason 2), rank 3 left a dump that cannot be read (reason 3), ranks 4-5 left a dump that is "
        "not used, as is said below."
    )


def test_sizes_may_differ_where_the_collective_allows_it(tmp_path: Path) -> None:
    dumps = drawn("\n".join(f"{rank} | all:1 started" for rank in range(4)), ALL, {(1, "all", 1): 16})
    for dump in dumps.values():
        dump["entries"][0]["profiling_name"] = "nccl:all_to_all"
    (one,) = told(tmp_path, dumps)
    assert (one.fault, one.at_fault) == ("unfinished", ())


def test_a_group_whose_missing_ranks_wait_elsewhere_follows(tmp_path: Path) -> None:
    """Rank 3 waits in tp for rank 2, which waits in all for rank 1: rank 1 is the cause."""
    text = """
        0 | all:1 started
        1 |
        2 | all:1 started
        3 | all:1 started, tp:1 started
    """
    first, second = told(tmp_path, drawn(text, WITH_TP))
    assert (first.group, first.at_fault, first.follows) == ("all group", (1,), False)
    assert (second.group, second.at_fault, second.follows) == ("tp group", (2,), True)


def test_of_a_chain_only_who_waits_nowhere_is_at_fault(tmp_path: Path) -> None:
    """Rank 2 is stuck before tp:1. Rank 3 waits there and so never came to all:1, nor did rank 2."""
    text = """
        0 | all:1 started
        1 | all:1 started
        2 |
        3 | tp:1 started
    """
    first, second = told(tmp_path / "a", drawn(text, WITH_TP))
    assert (first.group, first.at_fault, first.follows) == ("tp group", (2,), False)
    assert (second.group, second.missing, second.at_fault, second.follows) == ("all group", (2, 3), (2,), True)
    report = hang_report(*read_dumps(*find_dumps(tmp_path / "a")))
    assert [one.ranks for one in report.stacks if one.is_at_fault] == []  # rank 2 issued nothing
    assert report.rows[1].sentence.startswith("Ranks 2-3 never issued")
    dumps = drawn(text, WITH_TP)
    del dumps[2]
    first, second = told(tmp_path / "b", dumps)
    assert (first.group, first.fault, first.at_fault, first.follows) == ("tp group", "no_dump", (2,), False)
    assert (second.missing, second.at_fault, second.follows) == ((3,), (3,), True)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_of_any_program_who_is_stuck_is_at_fault_alone(data: st.DataObject) -> None:
    """Collectives of random groups, one after another on each rank; one rank stops somewhere, with or without a dump."""
    n_ranks = data.draw(st.integers(3, 6))
    ranks = st.sets(st.integers(0, n_ranks - 1), min_size=2).map(sorted)
    groups = {"all": list(range(n_ranks))} | {f"g{n}": each for n, each in enumerate(data.draw(st.lists(ranks, max_size=4)))}
    program = data.draw(st.lists(st.sampled_from(list(groups)), min_size=1, max_size=12))
    stuck, at = data.draw(st.integers(0, n_ranks - 1)), data.draw(st.integers(0, len(program) - 1))
    text = _stopped(program, groups, stuck, at, runs_ahead=data.draw(st.booleans()))
    dumps = drawn(text, groups)
    if has_no_dump := data.draw(st.booleans()):
        del dumps[stuck]
    with TemporaryDirectory() as folder:
        found = told(Path(folder), dumps)
    waiting = "started" in text
    assert bool(found) >= waiting
    assert all(one.at_fault == (stuck,) for one in found if not one.follows and (waiting or not has_no_dump))
    assert not found or not found[0].follows


def _stopped(program: list[str], groups: dict[str, list[int]], stuck: int, at: int, *, runs_ahead: bool) -> str:
    """`runs_ahead`: hosts issue all there is, and devices wait; else a host waits for each of its collectives."""
    rows: dict[int, list[str]] = {rank: [] for rank in groups["all"]}
    count = dict.fromkeys(groups, 0)
    waits: set[int] = set()
    for place, group in enumerate(program):
        count[group] += 1
        here = [rank for rank in groups[group] if (runs_ahead or rank not in waits) and not (rank == stuck and place >= at)]
        comes = [rank for rank in here if rank not in waits]
        state = "done" if len(comes) == len(groups[group]) else "started"
        for rank in here:
            rows[rank].append(f"{group}:{count[group]} {state if rank in comes else 'scheduled'}")
        waits |= set(comes) if state == "started" else set()
    return "\n".join(f"{rank} | {', '.join(each)}" for rank, each in rows.items())


SWAPPED = """
    0 | all:1 done, all:2 started
    1 | all:1 done, all:2 started
    2 | all:1 done, other:1 started
    3 | all:1 done, all:2 started
"""


@pytest.mark.parametrize("later_ns", [-50_000, 0, 50_000])
def test_in_a_circle_who_issued_in_another_order_than_most_is_the_cause(tmp_path: Path, later_ns: int) -> None:
    """Whoever was first by the clock: rank 2 has the two collectives in the other order."""
    dumps = drawn(SWAPPED, {**ALL, "other": [0, 1, 2, 3]})
    dumps[2]["entries"][1]["time_created_ns"] += later_ns
    first, second = told(tmp_path, dumps)
    assert (first.group, first.at_fault, first.follows) == ("all group", (2,), False)
    assert second.follows


@pytest.mark.parametrize("later_ns", [-50_000, 50_000])
def test_ranks_of_other_groups_tell_the_order_of_a_circle(tmp_path: Path, later_ns: int) -> None:
    """Rank 3 waits in its tensor group for rank 2, which waits in all for rank 3: the pair 0, 1 has the tensor group first."""
    text = """
        0 | tp01:1 done, all:1 started
        1 | tp01:1 done, all:1 started
        2 | all:1 started
        3 | tp23:1 started
    """
    dumps = drawn(text, {**ALL, "tp01": [0, 1], "tp23": [2, 3]})
    for dump in dumps.values():
        for entry in dump["entries"]:
            if entry["process_group"][0] != "all":
                entry["process_group"] = (entry["process_group"][0], "TENSOR")
    dumps[3]["entries"][0]["time_created_ns"] += later_ns
    first, _ = told(tmp_path, dumps)
    assert (first.group, first.at_fault) == ("TENSOR", (2,))


def test_who_holds_nothing_of_a_group_lacks_what_was_issued_after_the_oldest_that_its_ring_holds(tmp_path: Path) -> None:
    text = """
        0 | tp01:7 done, all:1 started
        1 | tp01:7 done, all:1 started
        2 | tp23:7 done, all:1 started
        3 | tp23:7 done
    """
    dumps = drawn(text, {**ALL, "tp01": [0, 1], "tp23": [2, 3]})
    for entry in dumps[3]["entries"]:
        entry["record_id"] += 100  # its ring was overwritten
    (one,) = told(tmp_path / "after", dumps)
    assert (one.fault, one.at_fault) == ("missing", (3,))
    for entry in dumps[3]["entries"]:
        entry["time_created_ns"] += 10**9
    (one,) = told(tmp_path / "before", dumps)
    assert (one.fault, one.at_fault, one.missing) == ("overwritten", (3,), ())
    assert verdict(tmp_path / "before") == (
        "Rank 3 may not have issued all_reduce 1 of all group: what is left of its ring begins later; ranks 0-2 wait in it."
    )


def test_what_a_ring_has_overwritten_is_not_missing(tmp_path: Path) -> None:
    text = """
        0 | all:1 done, all:2 done, all:3 started
        1 | all:2 done, all:3 started
        2 | all:3 started
        3 | all:2 done
    """
    dumps = drawn(text, ALL)
    for rank in (1, 2, 3):
        for entry in dumps[rank]["entries"]:
            entry["record_id"] += 100
    (one,) = told(tmp_path, dumps)
    assert (one.sequence, one.fault, one.at_fault) == (3, "missing", (3,))


def test_of_a_send_the_pair_is_the_group(tmp_path: Path) -> None:
    dumps = drawn("0 | all:1 done\n1 | all:1 done\n2 | all:1 done\n3 | all:1 done", ALL)
    for rank, name in ((0, "nccl:recv 0<-1"), (2, "nccl:send 2->3"), (3, "nccl:recv 3<-2")):
        entry = {**dumps[rank]["entries"][0], "profiling_name": name, "is_p2p": True, "p2p_seq_id": 1, "record_id": 9}
        done = rank != 0
        dumps[rank]["entries"].append({**entry, "state": "completed" if done else "started", "retired": done})
    (one,) = told(tmp_path, dumps)
    assert (one.pair, one.fault, one.at_fault, one.waiting) == ((0, 1), "missing", (1,), (0,))


def test_gloo_says_with_retired_that_it_is_over_and_names_no_members(tmp_path: Path) -> None:
    dumps = drawn("0 | all:1 done, all:2 scheduled\n1 | all:1 done\n2 | all:1 done, all:2 scheduled", ALL)
    for dump in dumps.values():
        dump["pg_config"] = {"": {"name": "", "desc": "", "ranks": "[]"}}
        for entry in dump["entries"]:
            entry.update(state="scheduled", profiling_name="gloo:all_reduce")
    (one,) = told(tmp_path, dumps)
    assert (one.sequence, one.at_fault, one.no_dump) == (2, (1,), ())
    for entry in (entry for dump in dumps.values() for entry in dump["entries"]):
        entry["retired"] = True
    del dumps[0]["entries"][1], dumps[2]["entries"][1]
    assert told(tmp_path, dumps) == []


def test_a_job_that_is_over_does_not_hang(tmp_path: Path) -> None:
    assert told(tmp_path, drawn("\n".join(f"{rank} | all:1 done, all:2 done" for rank in range(4)), ALL)) == []


def test_one_dump_of_gloo_says_where_its_rank_stands(tmp_path: Path) -> None:
    dumps = of_gloo("0 | all:1 done, all:2 scheduled")
    (one,) = told(tmp_path, dumps)
    assert (one.sequence, one.fault, one.at_fault, one.waiting) == (2, "unfinished", (), (0,))
    assert verdict(tmp_path) == (
        "Rank 0 waits in all_reduce 2 of default_pg. The dumps do not name its members: who did not come cannot be told."
    )


def test_a_gap_in_the_ranks_of_gloo_is_a_rank_without_a_dump(tmp_path: Path) -> None:
    dumps = of_gloo("\n".join(f"{rank} | all:1 done, all:2 scheduled" for rank in (0, 1, 3)))
    (one,) = told(tmp_path, dumps)
    assert (one.sequence, one.fault, one.at_fault, one.waiting) == (2, "no_dump", (2,), (0, 1, 3))
    said = verdict(tmp_path)
    assert said is not None
    assert said.startswith("Rank 2 left no dump and may not have issued all_reduce 2 of default_pg; ranks 0-1, 3 wait in it.")


def test_groups_of_gloo_that_are_not_of_all_have_no_gaps(tmp_path: Path) -> None:
    dumps = of_gloo("0 | all:1 done, tp:1 scheduled\n1 | all:1 done\n2 | all:1 done, tp:1 scheduled")
    (one,) = told(tmp_path, dumps)
    assert (one.group, one.fault, one.at_fault, one.waiting) == ("tp", "unfinished", (), (0, 2))


def test_nobody_hangs_cannot_be_told_while_a_rank_left_no_dump(tmp_path: Path) -> None:
    over = "all:1 done, all:2 done"
    assert told(tmp_path / "last", drawn(f"1 | {over}\n2 | {over}", ALL)) == []
    assert verdict(tmp_path / "last") == (
        "Ranks 0, 3 left no dump, and on all others every collective is over: a hang cannot be told."
    )
    assert told(tmp_path / "gap", of_gloo(f"0 | {over}\n2 | {over}")) == []
    assert (verdict(tmp_path / "gap") or "").startswith("Rank 1 left no dump")
    assert told(tmp_path / "whole", of_gloo(f"0 | {over}\n1 | {over}")) == []
    assert verdict(tmp_path / "whole") is None


CUT = """
    0 | all:1 done, all:2 started
    1 | all:1 done, all:2 started
    2 | all:1 done, all:2 started
    3 | all:1 done, all:2 started
"""


def cut_off(folder: Path, rank: int) -> Path:
    (path,) = folder.glob(f"*_{rank}")
    path.write_bytes(path.read_bytes()[:-20])
    return folder


@pytest.mark.parametrize("cut", [2, 3])
def test_of_a_dump_that_is_cut_off_the_verdict_says_so_and_not_that_there_is_none(tmp_path: Path, cut: int) -> None:
    folder = cut_off(write(tmp_path, drawn(CUT, ALL)), cut)
    report = hang_report(*read_dumps(*find_dumps(folder)))
    assert report.verdict is not None
    assert report.verdict.startswith(
        f"Rank {cut} left a dump that cannot be read (a damaged or incomplete flight-recorder dump: "
    )
    assert ") and may not have issued all_reduce 2 of all group; " in report.verdict
    assert [(one.rank, one.file.endswith(f"_{cut}")) for one in report.broken] == [(cut, True)]
    assert report.rows[0].no_dump == [cut]
    assert hang_text(report).splitlines()[1] == f"note: {report.broken[0].file}: {report.broken[0].reason}"


def test_a_dump_that_is_cut_off_and_one_that_is_not_there_are_told_apart(tmp_path: Path) -> None:
    dumps = drawn(CUT, ALL)
    del dumps[1]
    said = verdict(cut_off(write(tmp_path, dumps), 3))
    assert said is not None
    assert said.startswith(
        "Ranks 1, 3 may not have issued all_reduce 2 of all group; ranks 0, 2 wait in it. "
        "Rank 1 left no dump, rank 3 left a dump that cannot be read ("
    )


def test_the_last_rank_of_gloo_whose_dump_is_cut_off_is_one_of_the_job(tmp_path: Path) -> None:
    """Nothing names the members, and no rank above it left a dump: its file's name does."""
    folder = write(tmp_path, of_gloo("\n".join(f"{rank} | all:1 done, all:2 scheduled" for rank in range(3))))
    report = hang_report(*read_dumps(*find_dumps(cut_off(folder, 2))))
    assert report.rows[0].at_fault == [2]
    over = write(tmp_path / "over", of_gloo("\n".join(f"{rank} | all:1 done" for rank in range(3))))
    assert (verdict(cut_off(over, 2)) or "").startswith("Rank 2 left a dump that cannot be read (")
