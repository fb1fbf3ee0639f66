"""Questions of many ranks whose files are as they were: what is known of them is not found, read or made once more."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from tb_plugin.answers import desk as desk_module
from tb_plugin.answers.kept import Body
from tb_plugin.answers.members import Members
from tb_plugin.formats.stored import rank_summary
from tb_plugin.job.ranks.ranks import RankProfile
from tb_plugin.runs import summaries
from tb_plugin.runs.catalogue import Worker
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.watch import Watch
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.trace.rank.summary import RankSummary
from tb_plugin.views.ranks.basis import of_job
from tb_plugin.views.ranks.basis.analysed import analysed
from tests.job_files import Job
from tests.runs.small import no_thread_left, scan, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tb_plugin.answers.desk import Desk


def asked(desk: Desk, name: str = "view/ranks", **words: str) -> Any:
    body = desk.answer(desk.inquire(name, words))
    assert isinstance(body, Body)
    return msgspec.json.decode(body.plain())


def answered(desk: Desk, n_ranks: int) -> Any:
    return until(lambda: asked(desk), lambda now: now["n_pending"] == 0 and now["result"]["n_ranks"] == n_ranks, timeout_s=60)


def summarised(logdir: Path, n_ranks: int) -> list[Path]:
    """The profiles of a job, each with its summary beside it."""
    logdir.mkdir()
    paths = Job(n_ranks=n_ranks).write(logdir)
    for span in scan(logdir).spans():
        assert summaries.make(span.files) is None
    return paths


def counted(monkeypatch: pytest.MonkeyPatch, of: Any, name: str) -> list[tuple[Any, ...]]:
    """What it is called with from now on."""
    called: list[tuple[Any, ...]] = []
    before: Callable[..., Any] = getattr(of, name)

    def counting(*given: Any, **more: Any) -> Any:
        called.append(given)
        return before(*given, **more)

    monkeypatch.setattr(of, name, counting)
    return called


def test_the_ranks_of_a_job_are_counted_once_and_not_for_each_of_them(
    desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summarised(logdir, 8)
    answered(desk, 8)
    identities = counted(monkeypatch, Worker, "identity")
    asked(desk)
    assert len(identities) <= 4 * 8  # a few for each rank


def test_who_asks_again_looks_at_no_rank(desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summarised(logdir, 4)
    answered(desk, 4)
    asked(desk, "view/ranks/matrix")
    built = counted(monkeypatch, Members, "_of")
    packed_anew = counted(monkeypatch, RankSummary, "__repr__")
    looked_at = counted(monkeypatch, of_job, "profile_of")
    asked(desk)
    asked(desk, "view/ranks/matrix", measure="step")
    asked(desk, "view/ranks/rank", rank="1")
    asked(desk, "view/ranks/instances")
    assert (len(built), len(packed_anew), len(looked_at)) == (0, 0, 0)


def test_an_answer_is_made_once_while_nothing_changes(desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = summarised(logdir, 4)
    first = answered(desk, 4)
    made = counted(monkeypatch, desk_module, "encoded")
    assert asked(desk) == first
    assert made == []
    paths[3].unlink()
    place_of(paths[3]).unlink()
    assert answered(desk, 3)["result"]["missing_ranks"] == "3"


def test_a_summary_that_alone_has_changed_is_seen_by_the_next_question(desk: Desk, logdir: Path) -> None:
    paths = summarised(logdir, 4)
    before = answered(desk, 4)["result"]
    place = place_of(paths[2])
    kept = rank_summary.read(place, str(paths[2]))
    assert kept is not None
    steps = unpacked(kept.steps)
    longer = msgspec.structs.replace(kept, steps=packed({**steps, "end": steps["end"] + 40_000_000}), torch_version="9.9")
    rank_summary.write(longer, rank_summary.made_of([paths[2]]), place)
    after = asked(desk)["result"]
    assert after["ranks"][2]["step_ns"] == before["ranks"][2]["step_ns"] + 40_000_000
    assert [row["step_ns"] for row in after["ranks"][:2]] == [row["step_ns"] for row in before["ranks"][:2]]


def test_a_scan_that_finds_nothing_new_gives_the_same_catalogue(logdir: Path) -> None:
    paths = summarised(logdir, 2)
    with no_thread_left():
        watch = Watch(from_flags(str(logdir), None), min_age_s=0)
        watch.settled(60)
        first = watch.look_again(60)
        assert watch.look_again(60) is first
        os.utime(place_of(paths[0]), (1, 1))  # a summary is a file, too
        assert watch.look_again(60) is not first
        watch.close()


def place_of(profile: Path) -> Path:
    return profile.with_name(profile.name.replace(".pt.trace.json.gz", ".pt.summary"))


def test_what_is_kept_of_a_job_is_of_all_that_its_summaries_say(logdir: Path) -> None:
    summarised(logdir, 2)
    spans = list(scan(logdir).spans())
    found = [summaries.beside(span.files) for span in spans]
    made = [RankProfile(run="r", worker=f"w{at}", span="1", label="", summary=one) for at, one in enumerate(found) if one]
    first = analysed(made)
    again = [replace(one, summary=msgspec.structs.replace(one.summary)) for one in made]
    assert analysed(again) is first
    for told in ({"names": [*made[0].summary.names, "more"]}, {"backend": "other"}, {"computation_ns": 1}, {"stretches": None}):
        other = [replace(made[0], summary=msgspec.structs.replace(made[0].summary, **told)), made[1]]
        assert analysed(other) is not first, told
        first = analysed(made)
