"""What each rank did last, beside why the job hangs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.runs.dumps import find_dumps, read_dumps
from tb_plugin.views.ranks.hang.hang import HangReport, hang_report, hang_text
from tb_plugin.views.ranks.hang.hang_last import MOST_RANKS, HangCall
from tests.dump_files import drawn, write

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
0 | tp:1 done, all:1 started
1 | tp:1 done
2 | all:1 started
"""


def report(tmp_path: Path, text: str = TEXT, timeout_ms: int | None = None, *, tells_end: bool = True) -> HangReport:
    dumps = drawn(text, {"all": [0, 1, 2], "tp": [0, 1]})
    for dump in dumps.values():
        for entry in dump["entries"]:
            entry.update(timeout_ms=timeout_ms)
    if tells_end:
        dumps[0]["entries"][0].update(time_discovered_completed_ns=dumps[0]["entries"][0]["time_created_ns"] + 5_000_000)
    return hang_report(*read_dumps(*find_dumps(write(tmp_path, dumps))))


def test_each_rank_says_what_it_issued_last_and_how_long_it_waits(tmp_path: Path) -> None:
    late, first, other = report(tmp_path, timeout_ms=600_000).last
    assert [(one.rank, one.is_at_fault) for one in (late, first, other)] == [(1, True), (0, False), (2, False)]
    # `all:1` is issued by rank 2 first, 1 us before rank 0.
    assert late.calls == [HangCall(collective="all_reduce 1", group="tp group", size="8 Float", state="over", issued_ns=0)]
    assert [(one.group, one.state, one.issued_ns) for one in first.calls] == [
        ("all group", "started", 1000),
        ("tp group", "over", 0),
    ]
    assert late.waited_ns is None
    # Until the last time that any dump holds: rank 0 saw the end of `tp:1` then.
    assert (first.waited_ns, first.timeout_ns, other.waited_ns) == (4_999_000, 600_000_000_000, 5_000_000)


def test_a_shell_says_it_of_a_few(tmp_path: Path) -> None:
    said = hang_text(report(tmp_path, timeout_ms=600_000))
    assert "last calls of rank 1 (at fault)\n    all_reduce 1 of tp group  8 Float  over       0 ns\n" in said
    assert "last calls of rank 0: has waited 5.00 ms at least, torch ends its call after 600 s\n" in said
    assert "since the first rank issued what the job hangs in" in said


def test_who_issued_its_call_at_the_last_time_known_is_not_said_to_have_waited_for_nothing(tmp_path: Path) -> None:
    found = report(tmp_path, timeout_ms=600_000, tells_end=False)
    assert [(one.rank, one.waited_ns) for one in found.last] == [(1, None), (0, None), (2, 1_000)]
    assert "last calls of rank 0: torch ends its call after 600 s\n" in hang_text(found)


def test_of_many_ranks_and_calls_some_are_told(tmp_path: Path) -> None:
    calls = ", ".join(f"all:{n} done" for n in range(1, 13))
    text = "\n".join(f"{rank} | {calls}{'' if rank == 40 else ', all:13 started'}" for rank in range(50))
    dumps = write(tmp_path, drawn(text, {"all": [*range(50)]}))
    found = hang_report(*read_dumps(*find_dumps(dumps)))
    assert [one.rank for one in found.last] == [40, *range(MOST_RANKS - 1)]
    assert [call.collective for call in found.last[0].calls] == [f"all_reduce {n}" for n in range(12, 4, -1)]
    assert hang_text(found).endswith("Those of ranks 2-30 are in --format json, of 50 ranks.")


def test_a_job_that_does_not_hang_has_none(tmp_path: Path) -> None:
    assert report(tmp_path, "0 | all:1 done\n1 | all:1 done\n2 | all:1 done").last == []
