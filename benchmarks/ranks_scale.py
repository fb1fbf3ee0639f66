"""Budgets: check 25. The 64 ranks as they are, and 1 024 and 4 096 made from them: more data-parallel replicas.

    python benchmarks/ranks_scale.py SUMMARIES          what a process of its own took, one JSON object (`ranks.py` starts these)

What would make it lie: summaries of few collectives (these ranks have 90 each, 2 steps), and for time by the clock a machine
that is busy: where it is, CPU time counts, and is said to. These processes have one thread (others of a library
that wait for each other on such a machine count as CPU time) and read one file, just written.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import ranks_http as through_http
from budget import Budget
from ranks_jobs import Line, declined, held, members_of
from ranks_wider import replicated

from tb_plugin.formats import reader
from tb_plugin.job.ranks.ranks import RankProfile
from tb_plugin.trace.rank.packed import unpacked
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.trace.rank.summary import RankSummary
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.collectives.one_collective import CollectiveParams, one_collective
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.map.matrix import MatrixParams, matrix
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIf, RanksWhatIfParams, what_if

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SIZES = (64, 1024, 4096)
_LIES = "summaries of few collectives: these ranks have 90 each"
_STEPS = 5 / 2
"""The budget of a replay is for 5 steps, and these have 2."""

_TOLD = "all are"

_TIMES = {  # what: seconds that it may take of 64, 1 024 and 4 096 ranks
    "open": ("from summaries to the first screen", (1.0, 5.0, 15.0)),
    "again": ("the same once more", (0.2, 1.0, 3.0)),
    "matrix": ("one matrix", (0.05, 0.2, 0.5)),
    "what_if": ("what if, one replay of 5 steps", (0.3, 3.0, 10.0)),
    "instance": ("one instance with all members", (0.01, 0.02, 0.05)),
}
_PEAK_MB = (200, 600, 2000)
_SUMMARY_BYTES = 300_000
_SMALL_S = 0.1  # CPU time of opening a file


def budgets(found: Sequence[RankProfile], folder: Path) -> list[Line]:
    """`found`: the profiles of the 64 ranks, which lie in `folder`."""
    lines = [_summaries(folder)]
    for place, n_ranks in enumerate(SIZES):
        with tempfile.TemporaryDirectory() as name:
            kept = Path(name) / "summaries.jsonl"
            profiles = replicated(found, n_ranks // len(found))
            each = [msgspec.json.encode(one.summary) for one in profiles]
            kept.write_bytes(b"\n".join(each))
            runs = [_in_a_process(kept) for _ in range(3 if n_ranks == SIZES[0] else 1)]
        of, largest = f"{n_ranks} ranks", max(map(len, each))
        ours = f"{largest / 1e3:.1f} kB at most"
        lines.append(_replays(of, runs))
        lines.append(held(25, "summary of a rank", of, "<= 300 kB", ours, good=largest <= _SUMMARY_BYTES))
        for key, (what, limits) in _TIMES.items():
            lines.append(_time(what, of, limits[place], min((run[key] for run in runs), key=lambda both: both["wall"])))
        graph = _seconds(min(run["graph"] for run in runs))
        lines[-2] = lines[-2]._replace(ours=f"{lines[-2].ours}; its graph, once: {graph} CPU")
        peak = max(run["peak_mb"] for run in runs)
        limit = _PEAK_MB[place]
        lines.append(held(25, "peak memory", of, f"<= {limit} MB", f"{peak:.0f} MB", good=peak <= limit))
        lines += through_http.lines(profiles, place)
        _for_bench(of, place, min(run["open"]["cpu"] for run in runs), peak)
    return lines


def _replays(of: str, runs: Sequence[dict[str, Any]]) -> Line:
    """Else what follows is the time of saying that nothing is told."""
    told = sorted({run["told"] for run in runs})
    return held(25, "its steps are replayed", of, "what if is told, paths, an ideal", "; ".join(told), good=told == [_TOLD])


def _time(what: str, of: str, limit: float, took: dict[str, float]) -> Line:
    is_busy = os.getloadavg()[0] > (os.cpu_count() or 1)
    ours = f"{_seconds(took['wall'])} by the clock, {_seconds(took['cpu'])} CPU" + (" (busy: CPU counts)" if is_busy else "")
    return held(25, what, of, f"<= {_seconds(limit)}", ours, good=took["cpu" if is_busy else "wall"] <= limit)


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{1e3 * value:.0f} ms"


def _for_bench(of: str, place: int, cpu: float, peak: float) -> None:
    """`make bench` keeps these."""
    what = f"{of} from summaries to all tables"
    Budget(name=what, budget=_TIMES["open"][1][place], unit="CPU seconds", kind="gate", lies=_LIES).measured(cpu)
    Budget(name=f"{what}, peak", budget=_PEAK_MB[place], unit="MB", kind="gate", lies=_LIES).measured(peak)


def _summaries(folder: Path) -> Line:
    """CPU time of opening each trace, and of its summary after that. The fixed cost in small files is given up."""
    opened = summarised = 0.0
    paths = list(folder.glob("*.trace.json.gz"))
    for path in paths:
        begun = time.process_time()
        trace = reader.read(path)
        between = time.process_time()
        msgspec.json.encode(summarise(trace))
        opened, summarised = opened + between - begun, summarised + time.process_time() - between
    ours = f"{1 + summarised / opened:.2f} x ({opened:.2f} + {summarised:.2f} CPU s)"
    what, asked = "summaries from JSON", "<= 1.1 x opening"
    if summarised > 0.1 * opened and opened < _SMALL_S * len(paths):
        return declined(25, what, folder.name, asked, f"{_seconds(summarised / len(paths))} a file is given up: {ours}")
    return held(25, what, folder.name, asked, ours, good=summarised <= 0.1 * opened)


def _in_a_process(kept: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, str(kept)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    asked = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    result: dict[str, Any] = json.loads(asked.stdout)
    return result


def _took(act: Callable[[], object]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    act()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def measure(kept: Path) -> dict[str, Any]:
    """Of summaries, one a line: seconds by the clock and of the processor, and the peak before what-ifs are asked.

    `graph`: what the first what-if took more, CPU seconds: it makes the graph that the others replay.
    """
    profiles: list[RankProfile] = []

    def first() -> None:
        for line in kept.read_bytes().split(b"\n"):
            summary = msgspec.json.decode(line, type=RankSummary)
            name = f"rank{summary.rank}"
            profiles.append(RankProfile(run="job", worker=name, span="1", label=name, summary=summary))
        msgspec.json.encode(join(members_of(profiles), RanksParams()))

    result: dict[str, Any] = {"open": _took(first)}
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    members = members_of(profiles)
    result["again"] = _took(lambda: msgspec.json.encode(join(members, RanksParams())))
    result["matrix"] = _took(lambda: msgspec.json.encode(matrix(members, MatrixParams(measure="own", axes="host"))))
    row = int(unpacked(profiles[-1].summary.collectives)["row"][20])
    asked = CollectiveParams(run="job", worker=profiles[-1].worker, row=row)
    result["instance"] = _took(lambda: one_collective(members, asked))
    answers: list[RanksWhatIf] = []
    took = _took(lambda: what_if(members, RanksWhatIfParams(what_if="rank=5")))
    once_more = _took(lambda: answers.append(what_if(members, RanksWhatIfParams(what_if="rank=6"))))
    result["graph"] = took["cpu"] - once_more["cpu"]
    result["what_if"] = {name: seconds * _STEPS for name, seconds in once_more.items()}
    result["told"] = _told(answers[0], analysed(profiles))
    return result


def _told(answer: RanksWhatIf, of: Analysed) -> str:
    lacks = [
        words
        for words, is_there in (
            (answer.reason or "what if", answer.reason is None and all(row.would_be_ns is not None for row in answer.rows)),
            ("no critical path", len(of.paths) > 0),
            ("no ideal", of.ideal is not None),
        )
        if not is_there
    ]
    return "; ".join(lacks) or _TOLD


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
