"""A collective that ranks did not issue alike is named, with who issued what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import changed, members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile


def notes(profiles: list[RankProfile]) -> list[str]:
    return [
        note for note in join(members(profiles), RanksParams()).notes if "bug in the job" in note or "more collective" in note
    ]


def with_other(profile: RankProfile, rows: list[int], **values: int) -> RankProfile:
    """Its collectives at these rows issued as something else."""
    columns = unpacked(profile.summary.collectives)
    for name, value in values.items():
        columns[name][rows] = value
    return changed(profile, collectives=packed(columns))


def test_of_a_job_whose_ranks_agree_nothing_is_said(tmp_path: Path) -> None:
    assert notes(recorded(Job(n_ranks=4).write(tmp_path))) == []


def test_who_issued_another_size_is_named_with_both(tmp_path: Path) -> None:
    profiles = recorded(Job(n_ranks=4).write(tmp_path))
    collectives = unpacked(profiles[3].summary.collectives)
    number, step = int(collectives["sequence"][1]), int(collectives["step"][1])
    profiles[3] = with_other(profiles[3], [1], size=4096)
    (note,) = notes(profiles)
    assert note.startswith(f"Number {number} of the ")
    assert f" in step {step} is not one call on all its ranks" in note
    assert "rank 3: all-reduce of 4.00 KiB" in note


def test_of_many_the_first_are_named_and_the_others_counted(tmp_path: Path) -> None:
    profiles = recorded(Job(n_ranks=4).write(tmp_path))
    n = len(unpacked(profiles[3].summary.collectives)["row"])
    profiles[3] = with_other(profiles[3], list(range(5)), size=4096)
    said = notes(profiles)
    assert n > 5
    assert len(said) == 4
    assert said[-1] == "2 more collectives differ so between ranks."
