"""A job's files as the join gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.reader import read
from tb_plugin.job.ranks.ranks import RankProfile
from tb_plugin.question.joint import Member
from tb_plugin.trace.rank.summarise import summarise
from tests.profiles import TRACES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any

    from tb_plugin.trace.rank.summary import RankSummary


def recorded(paths: Iterable[Path]) -> list[RankProfile]:
    """One each, named as its file."""
    return [
        RankProfile(
            run="job", worker=path.name.split(".")[0], span="1", label=path.name.split(".")[0], summary=summarise(read(path))
        )
        for path in paths
    ]


def member(path: Path) -> Member[RankSummary]:
    """A profile that was asked."""
    answer, reason = None, None
    try:
        answer = summarise(read(path))
    except FormatError as error:
        reason = str(error)
    name = path.name.split(".")[0]
    return Member(
        run="job",
        worker=name,
        span="1",
        label=name,
        recorded_ns=1,
        n_workers=8,
        n_ranks=8,
        state="ready" if reason is None else "failed",
        progress=1.0,
        reason=reason,
        answer=answer,
    )


def members(profiles: list[RankProfile]) -> list[Member[RankSummary]]:
    """That all have answered."""
    return [
        Member(
            run="job",
            worker=one.worker,
            span=one.span,
            label=one.label,
            recorded_ns=1,
            n_workers=len(profiles),
            n_ranks=len(profiles),
            state="ready",
            progress=1.0,
            reason=None,
            answer=one.summary,
        )
        for one in profiles
    ]


def changed(one: RankProfile, worker: str | None = None, **more: Any) -> RankProfile:
    """With these fields of its summary."""
    summary = msgspec.structs.replace(one.summary, **more)
    return RankProfile(run=one.run, worker=worker or one.worker, span=one.span, label=one.label, summary=summary)


def real_job(name: str) -> Path:
    """The folder of a set with its truth, or of a recorded job; skips where there is none."""
    folder = TRACES / "distributed" / name
    if not folder.is_dir():
        pytest.skip(f"no {name} beside the checkout")
    return folder
