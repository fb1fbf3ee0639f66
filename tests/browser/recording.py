"""The logdir the browser looks at: a real recording, real traces of other hardware, and a broken file among them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD_LIMIT_S = 300
# Run and worker as the page names them; the files are linked, not copied.
TRACES = {
    "resnet50": "v100_resnet50_workers0_a.json.gz",
    "bert": "h100_bert_small.json.gz",
    "owlv2": "h100_owlv2.json.gz",
    "gloo": "cpu_gloo_rank.json.gz",
    "mi210": "mi210_gpu_only.json.gz",
}


def record(logdir: Path) -> None:
    """What `make demo` trains, in a process of its own as a user would."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(ROOT / "samples" / "train_cnn.py"), str(logdir)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=RECORD_LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def link_traces(traces: Path, logdir: Path) -> list[str]:
    """Links each real trace under the name torch's own handler would have given it; returns the runs."""
    linked = []
    for run, name in TRACES.items():
        if (traces / name).is_file():
            (logdir / run).mkdir()
            (logdir / run / "node1_7.1700000000000000000.pt.trace.json.gz").symlink_to((traces / name).resolve())
            linked.append(run)
    return linked


def write_broken(logdir: Path) -> Path:
    """A file with the right name and nothing of a profile in it."""
    (logdir / "broken").mkdir()
    path = logdir / "broken" / "node1_8.1700000000000000000.pt.trace.json"
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8)
    return path
