"""Children that answer for ranks, and are killed: what is lost, what is not, and when it is tried again."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.answers.kept import Body
from tests.job_files import Job
from tests.runs.small import until

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.answers.desk import Desk


def ranks(desk: Desk) -> Any:
    """The answer once nothing is still to come."""

    def ask() -> Any:
        body = desk.answer(desk.inquire("view/ranks", {}))
        assert isinstance(body, Body)
        return msgspec.json.decode(body.plain())

    return until(ask, lambda now: now["n_pending"] == 0, timeout_s=120)["result"]


@pytest.mark.skipif(sys.platform == "win32", reason="no signal stops a process there")
def test_a_child_that_is_killed_loses_the_rank_that_it_was_at(desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logdir.mkdir()
    Job(n_ranks=8).write(logdir)
    goes_on, hear = desk.store.children._goes_on, desk.store.children._hear

    def stop_one(child: Any, source: Path) -> bool:
        stays = goes_on(child, source)
        if "rank3." in source.name:
            child.send_signal(signal.SIGSTOP)
        return stays

    def kill_one(child: Any, source: Path, *rest: Any) -> None:
        if "rank3." in source.name:
            child.kill()
        hear(child, source, *rest)

    monkeypatch.setattr(desk.store.children, "_goes_on", stop_one)
    monkeypatch.setattr(desk.store.children, "_hear", kill_one)
    found = ranks(desk)
    assert found["n_ranks"] == 7
    assert "SIGKILL" in found["others"][0]["reason"]


@pytest.mark.skipif(sys.platform == "win32", reason="no signal stops a process there")
@pytest.mark.parametrize("again_s", [0.0, 3600.0])
def test_what_a_killed_child_was_at_is_tried_again_when_it_is_asked_for_later(
    desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch, again_s: float
) -> None:
    logdir.mkdir()
    Job(n_ranks=2).write(logdir)
    hear, killed = desk.store.children._hear, list[str]()

    def kill_once(child: Any, source: Path, *rest: Any) -> None:
        if "rank1." in source.name and not killed:
            killed.append(source.name)
            child.kill()
        hear(child, source, *rest)

    monkeypatch.setattr(desk.store.children, "_hear", kill_once)
    monkeypatch.setattr("tb_plugin.runs.loading.RETRY_AFTER_S", again_s)
    until(lambda: ranks(desk), lambda _: bool(killed))
    assert until(lambda: ranks(desk)["n_ranks"], lambda n: n == 2, timeout_s=20.0 if again_s == 0 else 1.0) == (
        2 if again_s == 0 else 1
    )
    assert len(killed) == 1


def test_a_child_that_was_killed_while_nobody_asked_it_loses_none(
    desk: Desk, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logdir.mkdir()
    Job(n_ranks=6).write(logdir)
    hear = desk.store.children._hear

    def then_kill(child: Any, *rest: Any) -> None:
        hear(child, *rest)
        child.kill()
        child.wait()

    monkeypatch.setattr(desk.store.children, "_hear", then_kill)
    assert ranks(desk)["n_ranks"] == 6
