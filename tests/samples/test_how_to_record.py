"""What the empty page tells people to paste runs as it stands, and every view has what it needs in what it writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tb_plugin
from tb_plugin import views
from tb_plugin.trace.scope.recorded import FRAMES, HOW_TO_RECORD, MEMORY, MODULES, SHAPES, STACKS, STEPS, TYPES

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
AROUND = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=8)


def train_step(batch):
    loss = model(batch).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


"""


def test_the_lines_of_the_empty_page_record_what_the_views_need(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(AROUND + HOW_TO_RECORD + "\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "TraceHandlerWarning" not in done.stderr
    (file,) = (tmp_path / "logs" / "my_run").glob("*.pt.profile.pb")
    trace = tb_plugin.load(file).trace
    assert len(trace.steps) == 3
    lacks = {recording.id: recording.lack(trace) for recording in (STEPS, SHAPES, TYPES, STACKS, FRAMES, MODULES, MEMORY)}
    assert lacks == dict.fromkeys(lacks)
    of_one = [view for view in views.ALL if hasattr(view.main, "missing")]
    why = {view.id: view.main.missing(trace) for view in of_one}
    # This machine may have no device: that is all that may lack.
    assert all(text is None or "device" in text or "kernel" in text for text in why.values()), why
    assert {"overview", "timeline", "operators", "modules", "memory", "advice"} <= {
        name for name, text in why.items() if not text
    }


def test_the_lines_are_read_at_a_glance() -> None:
    lines = HOW_TO_RECORD.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 92  # what the page shows without scrolling
