"""Side by side with others on the same files, each in a fresh process: CPU seconds, peak memory and what they answer (check 25).

Ours cold reads JSON into an empty cache; from summaries it finds those that `tb-plugin summarize` has put beside. They run in
turn, and the least of three counts; of 8 ranks of 35 MB, made of one of the sets, each runs once.
Where a peer lies that is not installed with us says TB_PLUGIN_PEERS, a directory (`pip install --target DIRECTORY
HolisticTraceAnalysis`). What PyPI calls TraceLens is another program, one for agents.
What would make it lie: compiling modules during a run, so all keep what is compiled in one place, and a first run does not count;
and a busy machine, which adds to both.
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
from replicate import replicate

if TYPE_CHECKING:
    from collections.abc import Sequence

SETS = ("dlrm8_v100_2023", "syn8_tp2_pp2_dp2_slow", "syn64_tp4_pp4_dp4_link")
LARGE, LARGE_BYTES = "syn8_tp2_pp2_dp2_slow", 35_000_000
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
        own = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "TB_PLUGIN_CACHE_DIR": cache, **environment}
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=own)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        lines = said.read().splitlines() or [""]
        return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, lines[-1], process.returncode)


def side_by_side(folder: Path) -> list[Line]:
    """HTA and ours on three sets and a large one, torchfrtrace and ours on dumps."""
    where = os.environ.get("TB_PLUGIN_PEERS", "")
    has_hta = (Path(where) / "hta").is_dir() if where else importlib.util.find_spec("hta") is not None
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        compiled = {"PYTHONPYCACHEPREFIX": str(Path(scratch) / "compiled")}
        theirs = {**compiled, "PYTHONPATH": os.pathsep.join([where, os.environ.get("PYTHONPATH", "")])}
        start = min(run([sys.executable, "-c", _START], **compiled).cpu_s for _ in range(3))
        for name in (each for each in SETS if (folder / each).is_dir()):
            logs = Path(scratch) / name
            shutil.copytree(folder / name, logs, ignore=lambda _, names: {each for each in names if ".trace.json" not in each})
            _in_turn(logs, theirs if has_hta else None, compiled, 1)
            lines += _against(name, *_in_turn(logs, theirs if has_hta else None, compiled, 3), start, 2)
        if has_hta and (folder / LARGE).is_dir():
            logs = Path(scratch) / "large"
            logs.mkdir()
            for path in (folder / LARGE).glob("*.trace.json.gz"):
                replicate(path, logs / path.stem, LARGE_BYTES)
            lines += _against(f"8 ranks of {LARGE_BYTES / 1e6:.0f} MB", *_in_turn(logs, theirs, compiled, 1), start, 3)
    lines.append(declined(25, "beside TraceLens", "all", "CPU and peak", "not measured here: it is not on PyPI"))
    return [*lines, *_dumps(folder / DUMPS)]


def _in_turn(logs: Path, theirs: dict[str, str] | None, compiled: dict[str, str], n: int) -> tuple[Run | None, Run, Run]:
    """(HTA, ours cold, ours from summaries), each with the least CPU time of n."""
    ours = [sys.executable, "-m", "tb_plugin.doors.cli", "ranks", str(logs)]
    for summary in logs.glob("*.summary"):
        summary.unlink()
    hta, cold = [], []
    for _ in range(n):
        if theirs is not None:
            hta.append(run([sys.executable, "-c", _HTA, str(logs)], **theirs))
        cold.append(run(ours, **compiled))
    subprocess.run([*ours[:3], "summarize", str(logs)], check=True, capture_output=True)
    warm = [run(ours, **compiled) for _ in range(n)]
    return min(hta, default=None), min(cold), min(warm)


def _against(name: str, theirs: Run | None, cold: Run, warm: Run, start: float, most: int) -> list[Line]:
    asked = "a third of HTA's CPU" if most == 3 else "half of HTA's CPU", "a twentieth of HTA's CPU"
    if theirs is None or theirs.code:
        why = f"not measured here: HTA {'is not installed' if theirs is None else 'ended with ' + theirs.said}"
        ours = f"{why}; ours cold {cold.cpu_s:.2f} s, {cold.peak_mb:.0f} MB, from summaries {warm.cpu_s:.2f} s"
        return [
            declined(25, f"beside HTA, {what}", name, wanted, ours)
            for what, wanted in zip(("cold", "summaries"), asked, strict=True)
        ]
    hta = f"HTA {theirs.cpu_s:.2f} s, {theirs.peak_mb:.0f} MB ({theirs.said[:60]})"
    ours = f"{cold.cpu_s / theirs.cpu_s:.2f} of it: {cold.cpu_s:.2f} s, {cold.peak_mb:.0f} MB; {hta}"
    lines = [held(25, "beside HTA, cold", name, asked[0], ours, good=cold.code == 0 and cold.cpu_s <= theirs.cpu_s / most)]
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
