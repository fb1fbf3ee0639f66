"""What a hang's verdict leaves open, and who is not over or did not start, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.runs.dumps import find_dumps, read_dumps
from tb_plugin.views.ranks.hang.hang import hang_report
from tests.dump_files import drawn, told, verdict, write

if TYPE_CHECKING:
    from pathlib import Path

ALL = {"all": [0, 1, 2, 3]}


def test_who_did_not_start_it_is_not_among_those_who_wait(tmp_path: Path) -> None:
    dumps = drawn("0 | all:1 started\n1 | all:1 started\n2 | all:1 scheduled\n3 | all:1 started", ALL)
    (one,) = told(tmp_path, dumps)
    assert (one.fault, one.at_fault, one.waiting) == ("not_started", (2,), (0, 1, 3))


def test_what_is_over_on_all_but_one_says_on_whom_it_is_not(tmp_path: Path) -> None:
    dumps = drawn("0 | all:1 done\n1 | all:1 done\n2 | all:1 started\n3 | all:1 done", ALL)
    (one,) = told(tmp_path, dumps)
    assert (one.fault, one.at_fault) == ("unfinished", (2,))
    assert "it is over on ranks 0-1, 3 and not on rank 2: a link" in (verdict(tmp_path) or "")


def test_where_nobody_can_be_told_right_nobody_is_marked(tmp_path: Path) -> None:
    even = drawn("0 | two:1 started\n1 | two:1 started", {"two": [0, 1]}, {(1, "two", 1): 16})
    circle = drawn("0 | x:1 done, ab:1 started\n1 | x:1 done, ba:1 started", {"x": [0, 1], "ab": [0, 1], "ba": [0, 1]})
    for name, dumps in (("even", even), ("circle", circle)):
        report = hang_report(*read_dumps(*find_dumps(write(tmp_path / name, dumps))))
        assert report.stacks
        assert not any(one.is_at_fault for one in report.stacks)


def test_in_a_circle_of_which_nobody_tells_the_order_both_may_be_the_cause(tmp_path: Path) -> None:
    """Which was issued first is a race, and by the clocks of two hosts."""
    dumps = drawn("0 | x:1 done, ab:1 started\n1 | x:1 done, ba:1 started", {"x": [0, 1], "ab": [0, 1], "ba": [0, 1]})
    dumps[1]["entries"][1]["time_created_ns"] += 5
    first, second = told(tmp_path, dumps)
    assert (first.group, first.at_fault, first.follows) == ("ab group", (1,), False)
    assert (second.at_fault, second.follows) == ((0,), False)
    assert verdict(tmp_path) == (
        "Rank 1 never issued all_reduce 1 of ab group; rank 0 waits in it. Or rank 0 in all_reduce 1 of ba group should "
        "have come first: each waits for the other, and nothing tells the order."
    )
