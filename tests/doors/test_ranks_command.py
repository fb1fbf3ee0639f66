"""`tb-plugin ranks` as it is typed: forms, and options that change nothing in them."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from tb_plugin.doors import cli
from tb_plugin.doors.without_effect import without_effect
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("job")
    Job(n_ranks=4, slow={1: 1.5}).write(folder)
    return folder


def test_csv_of_one_rank_is_its_steps(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ranks", str(job), "--rank", "1", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["number"] for row in rows] == ["10", "11", "12"]
    assert all(int(row["excess_ns"]) > 0 for row in rows)


def test_what_an_option_does_not_change_is_said_and_not_swallowed(job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ranks", str(job), "--by", "dimension", "--steps", "10"]) == 0
    assert "--steps has no effect with --by dimension: its rows are of all steps" in capsys.readouterr().err
    assert cli.main(["ranks", str(job), "--by", "step", "--steps", "10", "--format", "csv"]) == 0
    assert capsys.readouterr().err == ""
    assert without_effect("ranks", "json", {"steps": "10"}) == []


def test_options_of_a_text_do_not_go_silently_into_csv() -> None:
    assert without_effect("overview", "csv", {"top": "3"}) == ["--top has no effect with --format csv: its rows are the steps"]
    assert without_effect("overview", "text", {"top": "3"}) == []
