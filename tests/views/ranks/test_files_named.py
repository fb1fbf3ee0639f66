"""What is said of files: which one is meant, how much of it there is, and which of two is used."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.doors.cli import main
from tb_plugin.views.ranks.beside import BesideParams, beside
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams, RanksTable
from tests.job.recorded import member, real_job
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary


def members(paths: list[Path]) -> list[Member[RankSummary]]:
    return [replace(member(path), file=path.name) for path in paths]


def told(paths: list[Path]) -> RanksTable:
    return join(members(paths), RanksParams())


def cut(path: Path, share: float) -> None:
    plain = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(plain[: int(share * len(plain))]))


def test_files_that_are_cut_off_are_told_each_with_its_steps_and_its_name(tmp_path: Path) -> None:
    """One that lacks steps 11 and 12 is not told to lack what another lacks."""
    paths = Job(n_ranks=4, n_steps=3).write(tmp_path)
    cut(paths[1], 0.97)
    cut(paths[3], 0.6)
    first, second = (note for note in told(paths).notes if "is cut off" in note)
    assert first.startswith(f"The file of rank 1 is cut off ({paths[1].name} after ")
    assert " events): step 12 is not whole in it" in first
    assert second.startswith(f"The file of rank 3 is cut off ({paths[3].name} after ")
    assert " events): steps 11-12 are not whole in it" in second


def test_what_a_step_would_be_is_not_told_of_steps_where_it_is_told_of_none(tmp_path: Path) -> None:
    """A hole takes so many launches that there is no replay."""
    paths = Job(n_ranks=4, n_steps=3, slow={1: 1.5}).write(tmp_path)
    plain = gzip.decompress(paths[1].read_bytes())
    paths[1].write_bytes(gzip.compress(plain[: int(0.5 * len(plain))] + b"x" * 20 + plain[int(0.8 * len(plain)) :]))
    reply = told(paths)
    assert any("what a step would be cannot be told" in note for note in reply.notes)
    assert not any("what a step would be is told of" in said for said in reply.sentences)


def test_what_is_long_of_a_damaged_file_is_a_doubt_with_its_name(tmp_path: Path) -> None:
    paths = Job(n_ranks=4, n_steps=3).write(tmp_path)
    one, *others = members(paths)
    assert one.answer is not None
    twice = ["Every figure is of the part that could be read.", "The checksum does not fit."]
    broken = replace(one, answer=msgspec.structs.replace(one.answer, damage=twice))
    reply = join([broken, *others], RanksParams())
    assert reply.sentences[1].startswith(f"Work is missing in the file of rank 0, {paths[0].name}. Who is late, ")
    assert f"rank 0, {paths[0].name}: {' '.join(twice)}" in reply.doubts


def test_of_a_rank_that_is_there_twice_the_one_with_the_usual_name_is_used_and_both_are_named(tmp_path: Path) -> None:
    paths = Job(n_ranks=4).write(tmp_path)
    copy = tmp_path / f"copy_of_3.{paths[3].name.partition('.')[2]}"
    shutil.copy(paths[3], copy)
    reply = told([copy, *paths])
    assert [row.worker for row in reply.ranks] == ["rank0", "rank1", "rank2", "rank3"]
    assert f"Apart: copy_of_3: rank 3 is there twice: {paths[3].name} is used, and {copy.name} is not; " in reply.notes[0]


def test_ranks_on_a_clock_that_nothing_ties_are_not_told_to_be_recorded_again(tmp_path: Path) -> None:
    first = members(Job(n_ranks=4, slow={2: 3.0}).write(tmp_path))[0]
    others = members(Job(n_ranks=4).write(tmp_path))[1:]
    assert first.answer is not None
    later = replace(first, answer=msgspec.structs.replace(first.answer, base_ns=first.answer.base_ns + 10**15))
    (apart,) = join([later, *others], RanksParams()).others
    assert (apart.reason or "").startswith("recorded at another time by its clock, and nothing ties the two")


def test_of_a_damaged_file_whose_times_fit_no_others_the_damage_is_the_reason(tmp_path: Path) -> None:
    first = members(Job(n_ranks=4, slow={2: 3.0}).write(tmp_path))[0]
    others = members(Job(n_ranks=4).write(tmp_path))[1:]
    assert first.answer is not None
    off = msgspec.structs.replace(first.answer, base_ns=first.answer.base_ns + 10**15, damage=["The file may be damaged."])
    (apart,) = join([replace(first, answer=off), *others], RanksParams()).others
    assert (apart.reason or "").startswith("its file is damaged, which may be why its times fit no others'; shown with worker")


def test_of_which_file_events_count_as_0_ns_is_a_doubt(tmp_path: Path) -> None:
    """What ends before it starts has no length: the step of a marker that does is gone, and what ran in it."""
    paths = Job(n_ranks=4).write(tmp_path)
    with gzip.open(paths[2], "rt") as file:
        content = json.load(file)
    kernels = [event for event in content["traceEvents"] if event.get("cat") == "kernel"]
    for event in kernels[:3]:
        event["dur"] = -5
    with gzip.open(paths[2], "wt") as file:
        json.dump(content, file)
    (said,) = [doubt for doubt in told(paths).doubts if "negative" in doubt]
    assert said.startswith(f"rank 2, {paths[2].name}: Shown as 0 ns: 3 events with a negative duration, the first ")
    assert said.endswith("Its steps and its work may be longer than told here.")


def test_a_sentence_that_ends_with_a_question_gets_no_full_stop(tmp_path: Path) -> None:
    first, *others = members(Job(n_ranks=4).write(tmp_path))
    empty = replace(first, answer=None, reason="The file holds no events: was anything run?")
    reply = join([empty, *others], RanksParams())
    assert not any("?." in said for said in [*reply.sentences, *reply.notes])


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("No event could be read: the file ends.", "(no event could be read: the file ends)."),
        ("Rank_0.json: not a PyTorch profile", "(Rank_0.json: not a PyTorch profile)."),
        ("JSON is not closed.", "(JSON is not closed)."),
    ],
)
def test_a_reason_in_brackets_is_a_part_of_its_sentence(tmp_path: Path, reason: str, said: str) -> None:
    first, *others = members(Job(n_ranks=4).write(tmp_path))
    reply = join([replace(first, answer=None, reason=reason), *others], RanksParams())
    assert reply.sentences[1].startswith(f"Missing ranks: 0 {said}")


def test_the_head_counts_all_steps_and_rows_that_are_not_there_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Job(n_ranks=4, n_steps=3).write(tmp_path)
    assert main(["ranks", str(tmp_path), "--steps", "11", "--ranks", "0-2,9"]) == 0
    said = capsys.readouterr().out
    assert " · 3 steps · " in said
    assert "note: ranks=9: not in this job, which has ranks 0-3." in said


def test_another_recording_of_the_same_ranks_is_said_and_how_to_ask_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rank, path in enumerate(Job(n_ranks=2).write(tmp_path)):
        data = path.read_bytes()
        path.unlink()
        for place in range(7):
            (tmp_path / f"rank{rank}.179528413400000{place}00{rank}.pt.trace.json.gz").write_bytes(data)
    assert main(["ranks", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    names = ", ".join(f"179528413400000{place}000" for place in (2, 3, 4, 5))
    assert f"note: There are 6 older recordings of these ranks; with --span: {names} and 2 more." in said
    assert main(["ranks", str(tmp_path), "--span", "1795284134000002000"]) == 0
    assert "--span" not in capsys.readouterr().out


def test_a_what_if_that_cannot_be_told_is_an_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a job on CPUs."""
    assert main(["ranks", str(real_job("rec_ddp_slow5")), "--what-if", "rank=1"]) == 4
    assert "cannot be told" in capsys.readouterr().out


def test_summarize_names_a_file_with_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "rank0.1.pt.trace.json").write_text('{"traceEvents": []}')
    assert main(["summarize", str(tmp_path), "-j", "1"]) == 1
    assert "run/rank0.1.pt.trace.json: " in capsys.readouterr().err.replace("\\", "/")


def test_of_a_run_of_which_nothing_can_be_read_every_file_is_named(tmp_path: Path) -> None:
    paths = Job(n_ranks=8).write(tmp_path)
    for path in paths:
        path.write_bytes(b"" if path == paths[1] else b"no trace")
    with pytest.raises(FormatError) as failed:
        join([member(path) for path in paths], RanksParams())
    said = str(failed.value)
    assert said.startswith("run job: none of its 8 profiles can be read. rank0: ")
    assert [f"{path.name}: " in said for path in paths] == [True] * 5 + [False] * 3
    assert said.index("the file is empty") > said.index("rank1: ")
    assert said.endswith("3 more for other reasons: 3 profiles (rank5-7).")


def test_by_default_a_run_that_can_be_read_is_shown_and_the_others_are_named(tmp_path: Path) -> None:
    """A folder of dumps, written after everything, is a run too."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    ranks = {name: [replace(member(path), run=name) for path in Job(n_ranks=2).write(tmp_path / name)] for name in ("a", "b")}
    dumps = replace(ranks["a"][0], run="dumps", state="failed", reason="dumps", answer=None, recorded_ns=2 * 10**18)
    everything = [*ranks["a"], dumps, *(replace(one, recorded_ns=one.recorded_ns + 1) for one in ranks["b"])]
    table = join(everything, RanksParams())
    assert (table.run, table.n_ranks) == ("a", 2)  # both began at once
    assert table.notes[0] == "3 runs are here. Shown is the newest that can be read, a; by its name any other: b, dumps."
    assert not any("runs are here" in note for note in join(everything, RanksParams(run="b")).notes)
    assert not any("runs are here" in note for note in join(ranks["a"], RanksParams()).notes)
    with pytest.raises(NotFoundError, match=r"no run 'c' to put beside the other; there is a, b, dumps$"):
        beside(everything, BesideParams(beside="c"))
    pending = replace(dumps, state="loading", reason=None)
    assert join([*ranks["a"], pending], RanksParams()).run == "dumps"


def test_of_one_rank_that_is_left_nobody_ends_last(tmp_path: Path) -> None:
    paths = Job(n_ranks=4).write(tmp_path)
    for path in paths[1:]:
        path.write_bytes(b"")
    table = join([member(path) for path in paths], RanksParams())
    assert table.n_ranks == 1
    assert "ends last" not in table.sentences[0]


def test_a_rank_that_a_job_of_this_size_does_not_have_is_in_no_figure_and_its_file_is_named(tmp_path: Path) -> None:
    them = members(Job(n_ranks=8, ranks_per_node=4).write(tmp_path))
    assert them[2].answer is not None
    them[2] = replace(them[2], answer=msgspec.structs.replace(them[2].answer, rank=99))
    reply = join(them, RanksParams())
    assert (reply.n_ranks, reply.world_size, reply.missing_ranks) == (7, 8, "2")
    assert reply.sentences[1].startswith(
        f"Missing ranks: 2 ({them[2].file} says rank 99, which a job of 8 does not have, and its process groups are another "
        "rank's: its number is false; shown with worker rank2). "
    )
    assert [row.rank for row in reply.ranks] == [0, 1, 3, 4, 5, 6, 7]
    assert not any("99" in doubt for doubt in reply.doubts)


def test_where_the_groups_have_a_rank_that_the_size_has_not_the_size_is_in_doubt(tmp_path: Path) -> None:
    them = members(Job(n_ranks=8, ranks_per_node=4).write(tmp_path))
    answers = [one.answer for one in them if one.answer is not None]
    small = [replace(one, answer=msgspec.structs.replace(of, world_size=7)) for one, of in zip(them, answers, strict=True)]
    reply = join(small, RanksParams())
    assert len(reply.ranks) == 8
    assert reply.doubts[0] == "Rank 7 is none of a job of 7: the number is wrong, or the size."
