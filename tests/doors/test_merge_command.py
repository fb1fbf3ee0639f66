"""`tb-plugin merge`, in the words of the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.doors.cli import main
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("only", "how_many"), [("1", "1 rank"), ("0-1", "2 ranks")])
def test_what_was_written_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str], only: str, how_many: str) -> None:
    pytest.importorskip("perfetto")
    Job(n_ranks=2).write(tmp_path)
    target = tmp_path / "job.pftrace"
    main(["merge", str(tmp_path), "-o", str(target), "--ranks", only])
    assert capsys.readouterr().out == f"{target}: {how_many}\n"
