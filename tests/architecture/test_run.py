"""How the suite itself is run: a process that dies must neither hold the run nor take tests with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DIES_ONCE = """
import os, pathlib, pytest

@pytest.mark.parametrize("number", range(3))
def test_it(number: int) -> None:
    died = pathlib.Path(__file__).with_suffix(".died")
    if number == 1 and not died.exists():
        died.touch()
        os._exit(1)
"""


@pytest.mark.slow
def test_what_a_dead_process_left_is_run_again(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(DIES_ONCE)
    for name in "bcd":
        (tmp_path / f"test_{name}.py").write_text("def test_it() -> None: pass\n")
    two = re.findall(r"^TWO := (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)[0].split()

    first = suite(tmp_path, *two)
    assert first.returncode == 1, first.stdout + first.stderr
    again = suite(tmp_path, "--last-failed", "--last-failed-no-failures", "none")
    assert again.returncode == 0, first.stdout + first.stderr + again.stdout
    passed = sum(int(re.findall(r"(\d+) passed", each.stdout)[0]) for each in (first, again) if " passed" in each.stdout)
    assert passed == 6, first.stdout + again.stdout


def suite(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    options = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--rootdir", str(folder), *words, str(folder)],
        cwd=ROOT, env={**options, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
