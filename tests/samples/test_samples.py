"""Each sample is what a user copies: short, and it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tb_plugin

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / "samples").glob("train_*.py"))
WORKERS = {"train_ddp.py": ["rank0", "rank1"]}


def test_there_are_samples() -> None:
    assert {path.name for path in SAMPLES} >= {"train_cnn.py", "train_transformer.py", "train_ddp.py"}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 60


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_records_two_cycles_of_three_steps(path: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(path), str(tmp_path / "logs"), "--steps", "10", "--batch", "2"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "TraceHandlerWarning" not in done.stderr
    workers = WORKERS.get(path.name)
    stored = sorted((tmp_path / "logs").glob("*.pt.profile.pb"))
    assert len(stored) == len(list((tmp_path / "logs").glob("*.pt.trace.json.gz"))) == 2 * len(workers or [""])
    for file in stored:
        trace = tb_plugin.load(file).trace
        assert len(trace.steps) == 3
        assert trace.issues == ()
        assert len(trace.memory) > 0
    if workers:
        infos = [tb_plugin.load(file).trace.info for file in stored]
        assert sorted({str(info.worker) for info in infos}) == workers
        assert {(info.rank, info.world_size) for info in infos} == {(0, 2), (1, 2)}
