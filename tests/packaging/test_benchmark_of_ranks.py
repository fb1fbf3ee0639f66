"""`benchmarks/ranks.py` says what it did not check: a run without data is no good run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "ranks.py"


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False)


def test_without_data_it_ends_with_2_and_a_sentence(tmp_path: Path) -> None:
    done = ran(str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path}: no set of profiles lies there, so nothing was checked\n"


def test_help_is_no_folder() -> None:
    done = ran("--help")
    assert done.returncode == 0
    assert "--only" in done.stdout
