"""Two jobs with their files in one directory, asked through every view that is about several profiles."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import tb_plugin
from tb_plugin.answers.kept import Body
from tb_plugin.doors import replies
from tb_plugin.views.runs.text import text
from tests.job_files import Job
from tests.runs.small import until

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.answers.desk import Desk


@pytest.fixture
def two_jobs(logdir: Path) -> Path:
    """Of 6 and of 2 ranks, under the same names."""
    small = logdir.parent / "small"
    for folder, n in ((logdir, 6), (small, 2)):
        folder.mkdir()
        Job(n_ranks=n, seed=n).write(folder)
    for path in small.iterdir():
        path.rename(logdir / path.name.replace(".1795", ".1799"))
    return logdir


def asked(desk: Desk, question: str, **words: str) -> Any:
    def ask() -> Any:
        body = desk.answer(desk.inquire(question, words))
        assert isinstance(body, Body)
        return msgspec.json.decode(body.plain())

    return until(ask, lambda now: now["n_pending"] == 0)["result"]


def test_each_job_is_a_row_with_its_own_ranks_and_a_line_of_its_own(desk: Desk, two_jobs: Path) -> None:
    rows = asked(desk, "view/runs")["rows"]
    found = [(row["worker"], row["label"], row["n_ranks"], row["summary"]["world_size"]) for row in rows]
    assert found == [("rank0@of6", "job of 6 · rank 0", 6, 6), ("rank0@of2", "job of 2 · rank 0", 2, 2)]
    by_worker = asked(desk, "view/runs", each="worker")["rows"]
    assert all(row["n_ranks"] == row["summary"]["world_size"] for row in by_worker)
    lines = asked(desk, "view/trends", line="run")["lines"]
    assert {line["name"]: len(line["points"]) for line in lines} == {"logs · job of 6": 1, "logs · job of 2": 1}
    said = text(tb_plugin.ask("runs", two_jobs))
    assert " 6 of 6 " in said
    assert " rank files " in said.splitlines()[0], "that can be read, or not: Ranks reads them"


def test_ranks_shows_the_job_of_the_worker_in_the_link(desk: Desk, two_jobs: Path) -> None:
    def shown(**words: str) -> tuple[int, int, bool]:
        found = asked(desk, "view/ranks", **words)
        return found["n_ranks"], found["world_size"], any("is several workers here" in note for note in found["notes"])

    assert shown() == (6, 6, False)
    assert shown(worker="rank0@of2") == (2, 2, False)
    assert shown(worker="rank0", span="1799284134000000000") == (2, 2, False)
    assert shown(worker="rank0", span="1795284134000000000") == (6, 6, False)
    assert shown(worker="rank5") == (6, 6, False)
    assert shown(worker="rank1") == (6, 6, True)


def test_one_profile_by_an_old_link_says_of_which_job_it_is(desk: Desk, two_jobs: Path) -> None:
    until(lambda: desk.store.watch.settled(0.1), bool)

    def notes(**words: str) -> list[str]:
        answered = until(lambda: desk.answer(desk.inquire("view/overview", words)), lambda now: isinstance(now, Body))
        assert isinstance(answered, Body)
        return [note for note in msgspec.json.decode(answered.plain())["notes"] if "several workers" in note]

    assert notes(worker="rank1") == ["rank1 is several workers here: shown is rank1@of6, not rank1@of2."]
    assert notes(worker="rank1", span="1799284134000000001") == []


def recorded_again(logdir: Path, seconds: int, ranks: range) -> None:
    """These ranks once more, so much later by content and name."""
    for path in [one for rank in ranks for one in logdir.glob(f"rank{rank}.1795284134*")]:
        plain, base = gzip.decompress(path.read_bytes()), rb'("baseTimeNanoseconds": )(\d+)'
        later = re.sub(base, lambda found: found[1] + b"%d" % (int(found[2]) + seconds * 10**9), plain)
        path.with_name(path.name.replace("1795284134", f"{1795284134 + seconds}")).write_bytes(gzip.compress(later, 1))


@pytest.mark.parametrize("seconds", [100, 2, -100])
def test_a_file_of_another_recording_of_a_rank_takes_no_rank_from_the_job_and_is_named_once(
    desk: Desk, logdir: Path, seconds: int
) -> None:
    logdir.mkdir()
    Job().write(logdir)
    recorded_again(logdir, seconds, range(2, 3))
    table = asked(desk, "view/ranks")
    assert (table["n_ranks"], table["missing_ranks"], table["other_spans"]) == (4, None, [])
    other = f"rank2.{1795284134 + seconds}000000002.pt.trace.json.gz"
    (note,) = (note for note in table["notes"] if note.startswith("Apart: "))
    assert other in note
    assert f"; shown with span {1795284134 + seconds}000000002." in note
    assert tb_plugin.ask("ranks", logdir).notes == table["notes"] == tb_plugin.load_ranks(logdir).table.notes
    alone = asked(desk, "view/ranks", worker="rank2", span=other.split(".")[1])
    assert [row["rank"] for row in alone["ranks"]] == [2]
    workers = replies.runs_reply(desk.store, takes_files=False).runs[0].workers
    for shown in ({one.name: one.in_ranks for one in workers}, {one.name: one.opens for one in workers}):
        assert (shown["rank1"], shown["rank2"]) == ("1795284134000000001", "1795284134000000002"), "in the bar as in Ranks"
    (row,) = asked(desk, "view/runs")["rows"]
    assert row["span"] == "1795284134000000000"
    assert " 4 of 4" in text(tb_plugin.ask("runs", logdir))


def test_of_two_recordings_the_complete_one_is_shown_and_of_complete_ones_the_newest(desk: Desk, logdir: Path) -> None:
    logdir.mkdir()
    Job().write(logdir)
    recorded_again(logdir, 100, range(4))
    recorded_again(logdir, 200, range(1, 4))
    table = asked(desk, "view/ranks")
    assert {row["span"][:10] for row in table["ranks"]} == {"1795284234"}
    assert table["other_spans"] == ["1795284134000000000"]
    (note,) = (note for note in table["notes"] if note.startswith("Apart: "))
    assert note.startswith("Apart: 3 profiles (rank1-3): dated 100 s later than what is used: 3 profiles are of that ")
    assert desk.store.catalogue().choose()[2].name == "1795284234000000000", "what the shell opens with"
    newest = asked(desk, "view/ranks", span="1795284334000000001")
    assert (newest["n_ranks"], newest["missing_ranks"]) == (3, "0")
