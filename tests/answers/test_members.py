"""Questions about several profiles, with real children: what each has answered, and what is said of those that cannot."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import tb_plugin
from tb_plugin.answers import questions
from tb_plugin.answers.desk import Failed, Waiting
from tb_plugin.answers.kept import Body
from tb_plugin.answers.members import Members
from tb_plugin.base.errors import NotFoundError
from tb_plugin.question.joint import Joint
from tb_plugin.runs import summaries
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tb_plugin.views.runs.text import text as runs_text
from tests.job_files import Job
from tests.runs.small import FOREIGN, chrome_json, put, scan, until

if TYPE_CHECKING:
    from tb_plugin.answers.desk import Desk

SAMPLES = Path(__file__).parents[2] / "samples" / "recordings"


def reply(desk: Desk, **words: str) -> Any:
    body = desk.answer(desk.inquire("view/runs", words))
    assert isinstance(body, Body)
    return msgspec.json.decode(body.plain())


def rows(desk: Desk, **words: str) -> dict[str, Any]:
    """By run and worker, once every member is final."""
    done = until(lambda: reply(desk, **words), lambda now: now["n_pending"] == 0, timeout_s=120)
    assert done["n_pending"] == 0
    return {f"{row['run']}/{row['worker']}": row for row in done["result"]["rows"]}


def test_all_members_are_listed_from_the_first_answer_on(desk: Desk, logdir: Path) -> None:
    for run in "abc":
        put(logdir / run / "w.1.pt.trace.json", chrome_json(2))
    first = reply(desk)
    assert (first["n_members"], first["n_pending"], first["n_failed"]) == (3, 3, 0)
    assert {row["state"] for row in first["result"]["rows"]} <= {"queued", "loading"}
    found = rows(desk)
    assert [row["summary"]["n_steps"] for row in found.values()] == [1, 1, 1]
    assert reply(desk)["n_pending"] == 0


def test_rows_as_csv_wait_for_all_members(desk: Desk, logdir: Path) -> None:
    for run in "abc":
        put(logdir / run / "w.1.pt.trace.json", chrome_json(2))

    def answer() -> Body | Waiting | Failed:
        return desk.answer(desk.inquire("view/runs.csv", {}))

    first = answer()
    assert isinstance(first, Waiting)
    assert (first.progress, first.stage) == (0.0, "0 of 3 profiles have answered")
    done = until(answer, lambda now: isinstance(now, Body), timeout_s=120)
    assert isinstance(done, Body)
    assert done.plain().count(b"\n") == 4


def test_a_broken_run_is_a_row_with_its_reason_and_the_rest_stands(desk: Desk, logdir: Path) -> None:
    put(logdir / "good" / "w.1.pt.trace.json")
    put(logdir / "bad" / "w.1.pt.trace.json", b"<html>")
    put(logdir / "empty" / "w.1.pt.trace.json", b'{"schemaVersion": 1, "traceEvents": []}')
    put(logdir / "other" / "clang.json", FOREIGN)
    found = rows(desk)
    assert found["good/w"]["summary"] is not None
    assert found["bad/w"]["state"] == "failed"
    assert found["bad/w"]["reason"].startswith("w.1.pt.trace.json: ")
    assert (found["empty/w"]["state"], found["empty/w"]["summary"]) == ("ready", None)
    assert "no events" in found["empty/w"]["reason"]
    assert found["other/clang"]["reason"].startswith("written by another tool, not by torch: Timeline can show it, ")
    assert reply(desk)["n_failed"] == 1


def test_a_row_says_which_file_it_is_and_how_large(desk: Desk, logdir: Path) -> None:
    """Also one that cannot be read; of a recording that lies there twice the size of both."""
    good = chrome_json(2)
    put(logdir / "good" / "w.1.pt.trace.json", good)
    put(logdir / "good" / "w.1.pt.trace.json.gz", gzip.compress(good))
    put(logdir / "bad" / "w.1.pt.trace.json", b"<html>")
    found = rows(desk)
    both = sum(path.stat().st_size for path in (logdir / "good").iterdir())
    assert found["good/w"]["file"].startswith("w.1.pt.trace.json")
    assert found["good/w"]["size_bytes"] == both > len(good)
    assert (found["bad/w"]["file"], found["bad/w"]["size_bytes"]) == ("w.1.pt.trace.json", 6)


def test_the_run_that_opens_is_the_newest_of_the_table(desk: Desk, logdir: Path) -> None:
    """By the name, by the first bytes, by all of it: when files were copied here says nothing of when they were recorded."""

    def recorded(day: int) -> bytes:
        return chrome_json(base_ns=1_750_000_000_000_000_000 + day * 86_400 * 10**9)

    put(logdir / "named" / "w.1750345600000.pt.trace.json", recorded(9))
    put(logdir / "sure" / "w.pt.trace.json", recorded(6))
    put(logdir / "odd" / "trace.json", recorded(5))
    for second, run in enumerate(("sure", "named", "odd")):  # written in another order
        for path in (logdir / run).iterdir():
            os.utime(path, (1_790_000_000 + second,) * 2)
    found = rows(desk)
    newest = max(found.values(), key=lambda row: row["recorded_ns"])["run"]
    assert newest == desk.store.watch.known.choose()[0].name == scan(logdir).choose()[0].name == "sure"
    days = {row["run"]: (row["recorded_ns"] - 1_750_000_000_000_000_000) / 86_400e9 for row in found.values()}
    assert days == pytest.approx({"named": 4, "sure": 6, "odd": 5}, abs=1e-6)


def test_the_second_server_starts_no_child(desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tb_plugin.answers.desk import Desk as Again
    from tb_plugin.runs.logdirs import from_flags
    from tb_plugin.runs.store import ProfileStore
    from tb_plugin.runs.watch import Watch

    path = put(logdir / "a" / "w.1.pt.trace.json", chrome_json(2))
    first = rows(desk)
    again = Again(ProfileStore(Watch(from_flags(str(logdir), None), min_age_s=0), cache=desk.store.cache))
    with monkeypatch.context() as patched:
        patched.setattr(again.store.children, "_start", lambda *_: pytest.fail("a child was started"))
        assert rows(again) == first
    put(path, chrome_json(7))  # other content: asked anew
    step_ns = until(lambda: rows(again)["a/w"]["summary"]["step_ns"], lambda ns: ns == 700_000)  # after the next scan
    assert step_ns == 700_000
    again.close()


def test_a_child_that_answers_for_the_runs_answers_for_the_trends(
    desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / "a" / "w.1.pt.trace.json", chrome_json(5))
    assert rows(desk)["a/w"]["summary"]["step_ns"] == 500_000
    monkeypatch.setattr(desk.store.children, "_start", lambda *_: pytest.fail("a child was started"))
    body = desk.answer(desk.inquire("view/trends", {}))
    assert isinstance(body, Body)
    found = msgspec.json.decode(body.plain())
    assert (found["n_pending"], found["result"]["lines"][0]["points"][0]["step_ns"]) == (0, 500_000)


def test_a_child_that_dies_is_a_reason_and_not_an_end(desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tb_plugin.base.child_process._START", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    put(logdir / "a" / "w.1.pt.trace.json")
    found = rows(desk)
    assert found["a/w"]["state"] == "failed"
    assert "SIGKILL" in found["a/w"]["reason"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")
def test_a_child_that_answers_has_limits(tmp_path: Path) -> None:
    path = put(tmp_path / "w.1.pt.trace.json")
    program = """
from tb_plugin.answers import work
work.questions.of_one = lambda _name: bytearray(3 << 30)
raise SystemExit(work.main())
"""
    asked = json.dumps([str(path), '[["view/runs/summary", {}]]', "told.json"])
    done = subprocess.run([sys.executable, "-c", program], input=asked, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        f"{path}: reading it takes more memory than there is, or than is reasonable for a file of its size\n",
    )


def started(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What each child was started for, from now on."""
    real, sources = desk.store.children._start, list[Path]()

    def start(command: list[str], source: Path, *rest: Any) -> Any:
        sources.append(source)
        return real(command, source, *rest)

    monkeypatch.setattr(desk.store.children, "_start", start)
    return sources


def test_small_ranks_share_two_children_and_one_that_is_broken_costs_one(
    desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logdir.mkdir()
    written, sources = Job(n_ranks=12).write(logdir), started(desk, monkeypatch)
    written[5].write_bytes(b"<html>")
    found = ranks(desk)
    assert (found["n_ranks"], [one["state"] for one in found["others"]]) == (11, ["failed"])
    assert 2 <= len(sources) <= 3  # another one for what was left after the broken one
    assert until(lambda: desk.store.children._children, lambda now: now == {}) == {}


@pytest.mark.parametrize("question", ["view/runs", "view/trends"])
def test_small_runs_share_two_children_and_answer_as_converted_ones_do(
    desk: Desk, logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    for place in range(8):
        put(logdir / f"run{place}" / "w.1.pt.trace.json", chrome_json(place + 2))

    def answered(at: Desk) -> tuple[Any, int]:
        """With how many children were started for it."""
        sources = started(at, monkeypatch)

        def ask() -> Any:
            body = at.answer(at.inquire(question, {}))
            assert isinstance(body, Body)
            return msgspec.json.decode(body.plain())

        return until(ask, lambda now: now["n_pending"] == 0)["result"], len(sources)

    small, n_small = answered(desk)
    monkeypatch.setattr("tb_plugin.answers.members.SMALL_BYTES", 1)
    cache = ProfileCache(tmp_path / "other")
    other = type(desk)(ProfileStore(Watch(from_flags(str(logdir), None), min_age_s=0), cache=cache))
    converted, n_converted = answered(other)
    other.close()
    assert converted == small
    assert 1 <= n_small <= 2 < 8 <= n_converted


def test_what_a_child_read_that_was_large_is_given_back_with_its_process(
    desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logdir.mkdir()
    Job(n_ranks=4).write(logdir)
    monkeypatch.setattr("tb_plugin.runs.child.SMALL_BYTES", 1)
    sources = started(desk, monkeypatch)
    assert ranks(desk)["n_ranks"] == 4
    assert len(set(sources)) == len(sources) == 4


def test_of_a_damaged_pair_the_other_file_answers(desk: Desk, logdir: Path) -> None:
    put(logdir / "a" / "w.1.pt.trace.json", chrome_json(4))
    put(logdir / "a" / "w.1.pt.profile.pb", b"not a profile")
    assert rows(desk)["a/w"]["summary"]["step_ns"] == 400_000


def test_a_file_that_ends_too_early_is_marked(desk: Desk, logdir: Path) -> None:
    put(logdir / "whole" / "w.1.pt.trace.json", chrome_json(40))
    put(logdir / "part" / "w.1.pt.trace.json", chrome_json(40)[:-900])
    assert {run: row["summary"]["is_cut_off"] for run, row in rows(desk).items()} == {"whole/w": False, "part/w": True}
    assert "part (cut off)" in runs_text(tb_plugin.ask("runs", logdir))


def test_files_of_a_folder_that_are_no_ranks_say_whose_figures_stand_there(desk: Desk, logdir: Path) -> None:
    put(logdir / "f" / "h100.json", chrome_json(2, rank=0).replace(b'"world_size": 4', b'"world_size": 1'))
    for name in ("own_a", "own_b"):
        put(logdir / "f" / f"{name}.json", chrome_json(2, rank=None))
    put(logdir / "g" / "a.json", chrome_json(2, rank=None))
    put(logdir / "g" / "rank0.json", chrome_json(2, rank=0))
    row, others = rows(desk)["f/h100"], [each["n_others"] for each in rows(desk).values() if each["run"] == "g"]
    assert others == [0]  # with a rank: it may be another of its job
    assert (row["file"], row["n_others"], row["n_ranks"], row["n_recordings"]) == ("h100.json", 2, 1, 1)
    assert "f (h100.json and 2 others)" in runs_text(tb_plugin.ask("runs", logdir))
    assert [each["n_others"] for each in rows(desk, each="worker").values()] == [0] * 5


def test_rows_can_be_workers_and_spans(desk: Desk, logdir: Path) -> None:
    for name in ("rank0.1", "rank0.2", "rank1.1"):
        put(logdir / f"{name}.pt.trace.json", chrome_json(2, rank=int(name[4])))
    assert [row["n_ranks"] for row in rows(desk).values()] == [2]
    assert sorted(rows(desk, each="worker")) == ["logs/rank0", "logs/rank1"]
    rows(desk, each="span")
    assert sorted((row["worker"], row["span"]) for row in reply(desk, each="span")["result"]["rows"]) == [
        ("rank0", "1"),
        ("rank0", "2"),
        ("rank1", "1"),
    ]


@pytest.mark.parametrize("run", ["cuda", "ddp", "transformer"])
def test_a_row_has_the_figures_of_the_overview_and_of_the_advice(desk: Desk, logdir: Path, run: str) -> None:
    shutil.copytree(SAMPLES / run, logdir / run)
    row = next(iter(rows(desk).values()))
    profile = logdir / run
    overview, advice = tb_plugin.ask("overview", profile), tb_plugin.ask("advice", profile)
    summary = row["summary"]
    assert summary["step_ns"] == (overview.step_time.median_ns if overview.step_time else None)
    window = overview.average or overview.whole
    use = window.device_use_ns
    assert summary["busy_share"] == (None if use is None else pytest.approx(use.busy / window.duration_ns, abs=1e-6))
    first = advice.findings[0] if advice.findings else None
    assert (summary["finding"], summary["n_findings"]) == (first.title if first else None, len(advice.findings))
    assert summary["gain_share"] == (first.gain_share if first else None)
    accelerators = [peak.peak_allocated_bytes for peak in overview.memory if peak.id != "cpu"]
    every = accelerators or [peak.peak_allocated_bytes for peak in overview.memory]
    assert summary["peak_bytes"] == max(every, default=None)


def ranks(desk: Desk) -> Any:
    def ask() -> Any:
        body = desk.answer(desk.inquire("view/ranks", {}))
        assert isinstance(body, Body)
        return msgspec.json.decode(body.plain())

    return until(ask, lambda now: now["n_pending"] == 0, timeout_s=120)["result"]


def test_ranks_open_from_their_summaries_without_a_profile(desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logdir.mkdir()
    Job(n_ranks=4).write(logdir)
    for span in scan(logdir).spans():
        assert summaries.make(span.files) is None
    monkeypatch.setattr(desk.store.children, "_start", lambda *_: pytest.fail("a child was started"))
    monkeypatch.setattr("tb_plugin.answers.profile_answers._KEPT_BYTES", 1)  # what has no room in memory is read again
    found = ranks(desk)
    assert found["n_ranks"] == 4
    assert not any("summary" in note for note in found["notes"])
    assert ranks(desk) == found


def test_a_rank_whose_profile_is_gone_is_told_by_its_summary(desk: Desk, logdir: Path) -> None:
    logdir.mkdir()
    paths = Job(n_ranks=4).write(logdir)
    for span in scan(logdir).spans():
        assert summaries.make(span.files) is None
    whole = ranks(desk)
    for path in paths[:3]:
        path.unlink()
    found = until(lambda: ranks(desk), lambda now: any("not here any more" in note for note in now["notes"]))
    assert found["notes"].pop(0) == "3 profiles (rank 0-2): the profile is not here any more; this is what its summary says."
    assert found == whole
    (logdir / paths[0].name.replace(".pt.trace.json.gz", ".pt.summary")).write_bytes(b"{}")
    found = until(lambda: ranks(desk), lambda now: now["n_ranks"] == 3)
    assert sum("no summary of a rank" in said for said in (*found["notes"], *found["sentences"])) == 1


def test_a_summary_is_the_same_object_while_its_file_is(desk: Desk, logdir: Path) -> None:
    logdir.mkdir()
    Job(n_ranks=2).write(logdir)
    for span in scan(logdir).spans():
        assert summaries.make(span.files) is None
    ranks(desk)
    joint, members = questions.named("view/ranks"), Members(desk.store)
    assert isinstance(joint, Joint)
    first, again = ([one.answer for one in members.of(joint, joint.params_from({}))] for _ in range(2))
    assert len(first) == 2
    assert all(one is not None and one is other for one, other in zip(first, again, strict=True))
    members.close()


def test_a_summary_of_another_file_is_said_and_made_anew(desk: Desk, logdir: Path) -> None:
    logdir.mkdir()
    for path in Job(n_ranks=2).write(logdir):
        path.with_name(path.name.replace(".pt.trace.json.gz", ".pt.summary")).write_bytes(b"{}")
    found = ranks(desk)
    assert found["n_ranks"] == 2
    said = "read from the profile itself, so nothing is missing; the summary beside it is not used (no summary of a rank)"
    assert f"2 profiles (rank 0-1): {said}." in found["notes"]


def test_in_the_shell_ranks_are_read_without_a_process_for_each(
    logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    logdir.mkdir()
    written = Job(n_ranks=4).write(logdir)
    with monkeypatch.context() as patched:
        patched.setattr("tb_plugin.runs.child.Children._start", lambda *_: pytest.fail("a child was started"))
        first = tb_plugin.ask("ranks", logdir)
        assert first.n_ranks == 4
    written[2].write_bytes(b"<html>")  # what cannot be read has a child that says why
    second = tb_plugin.ask("ranks", logdir)
    assert (second.n_ranks, [one.state for one in second.others]) == (3, ["failed"])
    assert sum(said.startswith("Missing ranks: 2 (") for said in second.sentences) == 1


def test_in_the_shell_small_profiles_are_read_without_a_process_for_each(
    logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    for run in "ab":
        put(logdir / run / "w.1.pt.trace.json", chrome_json(2))
    monkeypatch.setattr("tb_plugin.runs.child.Children._start", lambda *_: pytest.fail("a child was started"))
    assert [row.state for row in tb_plugin.ask("runs", logdir).rows] == ["ready", "ready"]
    assert [point.run for line in tb_plugin.ask("trends", logdir).lines for point in line.points] == ["a", "b"]


def test_python_and_shell_wait_for_all(logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    for run in "ab":
        put(logdir / run / "w.1.pt.trace.json", chrome_json(2))
    assert {row.run: row.state for row in tb_plugin.ask("runs", logdir).rows} == {"a": "ready", "b": "ready"}
    (logdir / "empty").mkdir()
    with pytest.raises(NotFoundError, match="no profile here"):
        tb_plugin.ask("runs", logdir / "empty")
    with pytest.raises(NotFoundError, match="no such directory"):
        tb_plugin.ask("runs", logdir / "nowhere")
