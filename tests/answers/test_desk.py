"""The rule of asking, without a request: what comes back is a value."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import tb_plugin
from tb_plugin.answers import bodies
from tb_plugin.answers.desk import Desk, Failed, OfMany, Waiting
from tb_plugin.answers.kept import Body, KeptAnswers, packed
from tb_plugin.answers.questions import QUESTIONS, named, shell_name
from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.runs.loading import Loading
from tests.job_files import Job
from tests.runs.small import chrome_json, put, until

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.runs.store import Asked
    from tb_plugin.trace.model import Trace


def answered(desk: Desk, name: str, **words: str) -> Body | Failed:
    found = until(lambda: desk.answer(desk.inquire(name, words)), lambda answer: not isinstance(answer, Waiting))
    assert not isinstance(found, Waiting)
    return found


def told(desk: Desk, name: str, **words: str) -> Any:
    body = answered(desk, name, **words)
    assert isinstance(body, Body)
    return msgspec.json.decode(body.plain())


def test_asking_starts_the_loading_and_ends_in_the_answer(desk: Desk, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(3))
    first = desk.answer(desk.inquire("view/operators", {}))
    assert isinstance(first, Waiting)
    assert 0 <= first.progress <= 1
    assert [row["name"] for row in told(desk, "view/operators")["result"]["rows"]] == ["ProfilerStep*", "aten::mm"]


def test_a_file_that_cannot_be_read_is_a_value_with_the_reason(desk: Desk, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", b"<html>")
    failed = answered(desk, "view/overview")
    assert isinstance(failed, Failed)
    assert failed.file == "w.1.pt.trace.json"
    assert failed.reason


def test_what_opens_gives_way_to_the_next_where_it_cannot_be_read_and_what_is_named_does_not(desk: Desk, logdir: Path) -> None:
    put(logdir / "a" / "w0.1.pt.trace.json", b"<html>")
    put(logdir / "a" / "w1.1.pt.trace.json", chrome_json(3, rank=None))
    reply = told(desk, "view/timeline")
    assert reply["result"]["n_events"] == 4
    (note,) = reply["notes"]
    assert note.startswith("w0.1.pt.trace.json cannot be read (")
    assert note.endswith("): shown is w1.1.pt.trace.json.")
    assert told(desk, "view/timeline", worker="w1")["notes"] == []
    assert isinstance(answered(desk, "view/timeline", worker="w0"), Failed)
    (logdir / "a" / "w1.1.pt.trace.json").write_bytes(b"<html>")
    assert isinstance(answered(desk, "view/timeline"), Failed)


def test_a_run_of_which_nothing_can_be_read_gives_way_to_an_older_one(desk: Desk, logdir: Path) -> None:
    put(logdir / "new" / "w.1717000000999.pt.trace.json", b"<html>")
    put(logdir / "old" / "w.1717000000111.pt.trace.json", chrome_json(5))
    assert told(desk, "view/timeline")["result"]["n_events"] == 6


def test_equal_inquiries_have_equal_tags_and_changed_files_another(desk: Desk, logdir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json")
    tags = {desk.inquire("view/operators", words).tag for words in ({}, {"run": "logs"}, {"group_by": "name"})}
    assert len(tags) == 1
    others = {desk.inquire(name, {}).tag for name in ("view/kernels", "view/operators.csv")}
    assert tags.isdisjoint(others)
    put(path, chrome_json(9))
    assert desk.inquire("view/operators", {}).tag not in tags


def test_what_was_answered_needs_no_open_profile(desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(logdir / "w.1.pt.trace.json")
    inquiry = desk.inquire("view/operators", {})
    first = answered(desk, "view/operators")
    monkeypatch.setattr(desk.store, "ask", lambda _asked: pytest.fail("asked again"))
    assert desk.answer(inquiry) == first


def test_what_a_view_of_a_large_profile_opens_with_is_there_at_once_the_next_time(
    desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(logdir / "w.1.pt.trace.json", chrome_json(3))
    answered(desk, "view/operators")
    other = Desk(desk.store)
    monkeypatch.setattr(desk.store, "ask", lambda _asked, again=False: Loading(state="queued"))
    assert isinstance(other.answer(other.inquire("view/operators", {})), Waiting)  # a small one is opened

    monkeypatch.undo()
    monkeypatch.setattr("tb_plugin.answers.desk.WORTH_IT_EVENTS", 4)
    first = answered(Desk(desk.store), "view/operators")
    answered(desk, "view/operators", group_by="shapes")
    asked: list[Asked] = []

    def ask(which: Asked, again: bool = False) -> Loading[Trace]:
        asked.append(which)
        return Loading(state="queued")

    monkeypatch.setattr(desk.store, "ask", ask)
    again = Desk(desk.store)
    assert again.answer(again.inquire("view/operators", {})) == first
    assert len(asked) == 1  # it is opened meanwhile
    assert isinstance(again.answer(again.inquire("view/operators", {"group_by": "shapes"})), Waiting)
    for stored in desk.store.cache.path_of(desk.store.find(None, None, None).span.files[0]).parent.glob("*.answer.json"):
        stored.write_bytes(b"broken")
    broken = Desk(desk.store)
    assert isinstance(broken.answer(broken.inquire("view/operators", {})), Waiting)
    put(path, chrome_json(9))
    changed = Desk(desk.store)
    assert isinstance(changed.answer(changed.inquire("view/operators", {})), Waiting)


def test_rows_of_every_table_are_csv(desk: Desk, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(3))
    body = answered(desk, "view/operators.csv", group_by="shapes")
    assert isinstance(body, Body)
    assert body.media == bodies.CSV
    rows = list(csv.DictReader(io.StringIO(body.plain().decode())))
    assert {row["name"] for row in rows} == {"ProfilerStep*", "aten::mm"}


def test_words_that_do_not_fit_are_named(desk: Desk, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    with pytest.raises(UsageError, match=r"'groupby'.*group_by"):
        desk.inquire("view/operators", {"groupby": "name"})
    with pytest.raises(UsageError, match="group_by='colour': there is name, shapes"):
        desk.inquire("view/operators", {"group_by": "colour"})
    with pytest.raises(UsageError, match="row='x': not a whole number"):
        desk.inquire("view/timeline/event", {"row": "x"})
    with pytest.raises(UsageError, match="row"):
        desk.inquire("view/timeline/event", {})
    with pytest.raises(NotFoundError, match="view/operators"):
        desk.inquire("view/nothing", {})
    with pytest.raises(NotFoundError, match="nobody"):
        desk.inquire("view/operators", {"worker": "nobody"})


def test_the_shell_has_a_name_for_each_question() -> None:
    names = [shell_name(name) for name in QUESTIONS]
    assert len(set(names)) == len(names)
    assert all(named(shell_name(name)) is question for name, question in QUESTIONS.items())
    assert {"operators/details", "memory/allocations", "timeline/window", "timeline/event", "choices", "runs"} <= set(names)


def test_python_asks_by_the_same_rule(logdir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json", chrome_json(3))
    rows = tb_plugin.ask("operators", path, group_by="shapes").rows
    assert [row.name for row in rows] == ["ProfilerStep*", "aten::mm"]
    assert tb_plugin.ask("operators", logdir).rows == tb_plugin.ask("view/operators", path).rows
    with pytest.raises(UsageError, match="colour"):
        tb_plugin.ask("operators", path, colour="red")


def test_kept_answers_take_no_more_than_they_may() -> None:
    kept = KeptAnswers(max_bytes=400)
    for tag in "abcde":
        kept.put(tag, packed(tag.encode() * 100, bodies.JSON))
    assert [kept.get(tag) is not None for tag in "abcde"] == [False, True, True, True, True]
    kept.put("large", packed(bytes(range(256)), bodies.JSON))
    assert kept.get("large") is None, "one answer may not push out all others"


def test_a_body_is_the_same_compressed_or_not() -> None:
    small, large = packed(b"x" * 10, bodies.JSON), packed(b"x" * 10_000, bodies.JSON)
    assert (small.is_gzip, large.is_gzip) == (False, True)
    assert (small.plain(), large.plain()) == (b"x" * 10, b"x" * 10_000)


def test_advice_of_a_rank_is_another_one_once_all_ranks_of_its_job_have_answered(desk: Desk, logdir: Path) -> None:
    job = Job(slow={3: 2.0})
    (logdir / "job").mkdir(parents=True)
    job.write(logdir / "job")
    of = {"run": "job", "worker": "rank2"}
    assert told(desk, "view/advice", **of)["result"]["verdict"]["of_job"] is None
    known = told(desk, "view/advice", **of, in_job="true")["result"]
    assert "for rank 3" in known["verdict"]["of_job"]["sentence"]
    assert known["findings"][0]["id"] == "late_ranks"
    assert known["findings"][0]["title"].startswith("Make rank 3 come in time: a step would take about ")
    worth = [each["gain_ns"] if each["estimate_ns"] is None else each["estimate_ns"] for each in known["findings"]]
    assert worth == sorted(worth, reverse=True)
    assert known["verdict"]["changes"][0]["title"] == known["findings"][0]["title"]
    assert told(desk, "view/advice", **of)["result"]["verdict"]["of_job"] is None


def test_while_ranks_are_read_the_advice_with_them_waits_and_its_own_does_not(
    desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (logdir / "job").mkdir(parents=True)
    Job(slow={3: 2.0}).write(logdir / "job")
    monkeypatch.setattr(OfMany, "is_done", False)
    of = {"run": "job", "worker": "rank2"}
    assert told(desk, "view/advice", **of)["result"]["verdict"]["of_job"] is None
    waiting = desk.answer(desk.inquire("view/advice", {**of, "in_job": "true"}))
    assert isinstance(waiting, Waiting)
    assert waiting.stage.endswith(" of 4 profiles have answered")


def test_a_profile_without_others_has_no_job_and_other_questions_none_to_know(desk: Desk, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(3))
    assert told(desk, "view/advice", in_job="true")["result"]["verdict"]["of_job"] is None
    with pytest.raises(UsageError, match="in_job"):
        desk.inquire("view/operators", {"in_job": "true"})
