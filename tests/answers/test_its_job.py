"""What the shell says of one rank's profile from all ranks of its job, where their summaries are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.answers.its_job import ItsJob, its_job
from tb_plugin.doors import cli
from tb_plugin.findings.from_job import FromJob
from tb_plugin.runs import summaries
from tb_plugin.runs.catalogue import ProfileFile
from tb_plugin.views.ranks.in_job import InJobParams, in_job
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

VICTIM = 2  # of rank 3, in its tensor group


def written(folder: Path, *, with_summaries: bool) -> list[Path]:
    folder.mkdir()
    paths = Job(slow={3: 2.0}).write(folder)
    for path in paths if with_summaries else ():
        assert summaries.make((ProfileFile.of(str(path), path.stat()),)) is None
    return paths


def told_by_the_page(paths: list[Path]) -> ItsJob:
    """By `view/ranks/in_job`, of all ranks."""
    said = in_job([member(path) for path in paths], InJobParams(run="job", worker=f"rank{VICTIM}"))
    assert said.sentence is not None
    assert "for rank 3" in said.sentence
    return ItsJob(said)


def test_who_asks_about_a_file_hears_what_the_page_says(tmp_path: Path) -> None:
    paths = written(tmp_path / "job", with_summaries=True)
    wanted = told_by_the_page(paths)
    for asked in (str(paths[VICTIM]), str(tmp_path)):
        said = its_job(paths[VICTIM], asked)
        assert said.notes == ()
        assert all(getattr(said.told, name) == getattr(wanted.told, name) for name in FromJob.__struct_fields__)


def test_without_summaries_nothing_is_read_and_it_is_said_what_tells(tmp_path: Path) -> None:
    paths = written(tmp_path / "job", with_summaries=False)
    (tmp_path / "job" / paths[0].name).write_bytes(b"no profile: whoever reads it fails")
    said = its_job(paths[VICTIM], str(paths[VICTIM]))
    assert said.told is None
    (note,) = said.notes
    assert f"tb-plugin ranks {tmp_path / 'job'} tells" in note


def test_a_profile_alone_has_no_job(tmp_path: Path) -> None:
    paths = written(tmp_path / "job", with_summaries=True)
    for other in set(paths) - {paths[VICTIM]}:
        other.unlink()
    for other in (tmp_path / "job").glob("*.summary*"):
        other.unlink()
    assert its_job(paths[VICTIM], str(paths[VICTIM])) == ItsJob()


@pytest.mark.parametrize("command", ["overview", "advice"])
def test_the_shell_says_it_in_the_place_of_what_one_rank_cannot_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    cannot = "One rank's profile cannot tell which."
    alone, paths = written(tmp_path / "alone", with_summaries=False), written(tmp_path / "job", with_summaries=True)
    assert cli.main([command, str(alone[VICTIM])]) == 0
    said = capsys.readouterr()
    assert cannot in " ".join(said.out.split())
    assert "tells whom it waits for" in said.err
    assert cli.main([command, str(paths[VICTIM])]) == 0
    said = capsys.readouterr()
    wanted = told_by_the_page(paths).told
    assert wanted is not None
    assert f"From all ranks: {wanted.sentence} {wanted.communication}" in " ".join(said.out.split())
    assert cannot not in " ".join(said.out.split())
    assert "ake rank 3 come in time: a step would take about " in " ".join(said.out.split())
    assert said.err == ""
