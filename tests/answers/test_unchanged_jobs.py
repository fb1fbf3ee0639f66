"""Questions of many ranks whose files are as they were: what is known of them is not found, read or made once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tb_plugin.answers.kept import Body
from tb_plugin.runs import summaries
from tb_plugin.runs.catalogue import Worker
from tests.job_files import Job
from tests.runs.small import scan, until

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
