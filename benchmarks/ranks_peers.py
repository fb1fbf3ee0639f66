"""Side by side with others on the same files, each in a fresh process: CPU seconds, peak memory and what they answer (check 25).

Ours cold reads JSON into an empty cache; from summaries it finds those that `tb-plugin summarize` has put beside.
Where a peer lies that is not installed with us says TB_PLUGIN_PEERS, a directory (`pip install --target DIRECTORY
HolisticTraceAnalysis`).
What would make it lie: a peer that writes compiled modules during its first run (each is run once before), and a busy machine,
which adds to both.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ranks_jobs import Line, declined, held

if TYPE_CHECKING:
    from collections.abc import Sequence

SETS = ("dlrm8_v100_2023", "syn8_tp2_pp2_dp2_slow", "syn64_tp4_pp4_dp4_link")
DUMPS = "flight16_missing"

_HTA = """
import sys, logging, warnings
logging.disable(logging.CRITICAL); warnings.simplefilter("ignore")
from hta.trace_analysis import TraceAnalysis
found = TraceAnalysis(trace_dir=sys.argv[1])
found.get_comm_comp_overlap(visualize=False)
found.get_temporal_breakdown(visualize=False)
try:
    print("stragglers", found.get_potential_stragglers())
except Exception as error:
    print("stragglers:", type(error).__name__)
"""
_START = "import numpy, msgspec, tb_plugin"


class Run(NamedTuple):
    """Of a process and those that it started. `said`: the last line of what it wrote."""

    cpu_s: float
    peak_mb: float
    said: str
    code: int


def run(command: Sequence[str], **environment: str) -> Run:
    """With an empty cache."""
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryDirectory() as cache:
        own = {**os.environ, "TB_PLUGIN_CACHE_DIR": cache, **environment}
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=own)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        lines = said.read().splitlines() or [""]
        return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, lines[-1], process.returncode)


def side_by_side(folder: Path) -> list[Line]:
    """HTA and ours on three sets, torchfrtrace and ours on dumps."""
    where = os.environ.get("TB_PLUGIN_PEERS", "")
    lines, start = [], min(run([sys.executable, "-c", _START]).cpu_s for _ in range(3))
    has_hta = (Path(where) / "hta").is_dir() if where else importlib.util.find_spec("hta") is not None
    for nth, name in enumerate(each for each in SETS if (folder / each).is_dir()):
        with tempfile.TemporaryDirectory() as scratch:
            logs = Path(scratch) / name
            logs.mkdir()
            for path in (folder / name).glob("*.trace.json.gz"):
                shutil.copy(path, logs)
            places = os.pathsep.join([where, os.environ.get("PYTHONPATH", "")])
            hta = [run([sys.executable, "-c", _HTA, str(logs)], PYTHONPATH=places) for _ in range(2 - (nth > 0)) if has_hta]
            ours = [sys.executable, "-m", "tb_plugin.doors.cli", "ranks", str(logs)]
            cold = [run(ours) for _ in range(2 - (nth > 0))]
            subprocess.run([*ours[:3], "summarize", str(logs)], check=True, capture_output=True)
            lines += _against(name, hta[-1] if hta else None, cold[-1], run(ours), start)
    lines.append(declined(25, "beside TraceLens", "all", "CPU and peak", "not measured here: TraceLens is not installed"))
    return [*lines, *_dumps(folder / DUMPS)]


def _against(name: str, theirs: Run | None, cold: Run, warm: Run, start: float) -> list[Line]:
    asked = "half of HTA's CPU", "a twentieth of HTA's CPU"
    if theirs is None or theirs.code:
        why = f"not measured here: HTA {'is not installed' if theirs is None else 'ended with ' + theirs.said}"
        ours = f"{why}; ours cold {cold.cpu_s:.2f} s, {cold.peak_mb:.0f} MB, from summaries {warm.cpu_s:.2f} s"
        return [
            declined(25, f"beside HTA, {what}", name, wanted, ours)
            for what, wanted in zip(("cold", "summaries"), asked, strict=True)
        ]
    hta = f"HTA {theirs.cpu_s:.2f} s, {theirs.peak_mb:.0f} MB ({theirs.said[:60]})"
    ours = f"{cold.cpu_s / theirs.cpu_s:.2f} of it: {cold.cpu_s:.2f} s, {cold.peak_mb:.0f} MB; {hta}"
    lines = [held(25, "beside HTA, cold", name, asked[0], ours, good=cold.code == 0 and cold.cpu_s <= theirs.cpu_s / 2)]
    ours = f"{warm.cpu_s / theirs.cpu_s:.2f} of it: {warm.cpu_s:.2f} s, {start:.2f} s of it the start of Python with NumPy"
    if warm.cpu_s <= theirs.cpu_s / 20:
        return [*lines, held(25, "beside HTA, summaries", name, asked[1], ours, good=True)]
    # A goal of the specification, and given up: docs/design/011-ranks.md, Not done.
    return [*lines, declined(25, "beside HTA, summaries", name, asked[1], f"a twentieth is given up; {ours}")]


def _dumps(folder: Path) -> list[Line]:
    what, asked = "beside torchfrtrace, a dump missing", "an answer where it has none"
    if importlib.util.find_spec("torch") is None or not folder.is_dir():
        return [declined(25, what, folder.name, asked, "not measured here: torch or the dumps are not here")]
    theirs = run([sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", str(folder), "-p", "nccl_trace_rank_"])
    ours = run([sys.executable, "-m", "tb_plugin.doors.cli", "hang", str(folder)])
    said = (
        f"ours {ours.cpu_s:.2f} s, {ours.peak_mb:.0f} MB, exit {ours.code}; theirs {theirs.cpu_s:.2f} s, {theirs.peak_mb:.0f} MB,"
        f" exit {theirs.code} ({theirs.said[:60]})"
    )
    return [held(25, what, folder.name, asked, said, good=ours.code == 3)]
