"""What is asked by paths says which of its profiles it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.answers.paths import ask_paths
from tb_plugin.answers.questions import of_one
from tb_plugin.question.question import NoParams
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


def test_of_a_run_with_several_workers_the_one_that_is_asked_is_named(tmp_path: Path) -> None:
    for name in ("two", "one"):
        (tmp_path / name).mkdir()
        kept = sorted(Job(n_ranks=2).write(tmp_path / name))
    kept[1].unlink()
    two, one, file = ask_paths(
        of_one("ranks/rank_summary"), [str(tmp_path / "two"), str(tmp_path / "one"), str(kept[0])], NoParams()
    )
    assert two.label.startswith("two · rank 0")
    assert two.label.endswith(" of 2 workers")
    assert " of " not in one.label + file.label
