"""How the suite itself is run: a process that dies must neither hold the run nor take tests with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DIED = """
import pytest

def pytest_runtest_logstart(nodeid, location):
    config = pytest_config.get("here")
    if config is not None:
        report = pytest.TestReport(nodeid, location, {}, "failed", "worker crashed", "???")
        config.hook.pytest_runtest_logreport(report=report)

pytest_config = {}

def pytest_configure(config):
    if config.getoption("dist", "no") != "no":
        pytest_config["here"] = config
"""
DIES_ONCE = """
import os, pathlib, pytest

@pytest.mark.parametrize("number", range(3))
def test_it(number: int) -> None:
    died = pathlib.Path(__file__).with_suffix(".died")
    if number == 1 and not died.exists():
        died.touch()
        os._exit(1)
"""


def test_what_failed_once_is_run_again_though_it_passed_in_another_process(tmp_path: Path) -> None:
    """xdist gives the file of a process that died to the other one, if that is not done yet."""
    (tmp_path / "test_a.py").write_text("def test_it() -> None: pass\n")
    (tmp_path / "conftest.py").write_text(DIED)
    first = suite(tmp_path, "-p", "xdist", "-n", "1", "--dist", "loadfile")
    assert first.returncode == 1, first.stdout + first.stderr
    again = suite(tmp_path, "--last-failed", "--last-failed-no-failures", "none")
    assert "1 passed" in again.stdout, first.stdout + again.stdout


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
    # How much the other process has run before it was told to stop is a matter of time: each at least once.
    passed = set(re.findall(r"^PASSED \S*?(test_[a-d]\S*)", first.stdout + again.stdout, re.MULTILINE))
    assert passed == {*(f"test_a.py::test_it[{number}]" for number in range(3)), *(f"test_{name}.py::test_it" for name in "bcd")}


def suite(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    options = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "--rootdir", str(folder), "-rp", *words, str(folder)],
        cwd=ROOT, env={**options, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
