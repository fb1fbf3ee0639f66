"""What-if on rows of production jobs: check 19. Our replay, fed with another tool's rows, against what that tool's study found.

    python benchmarks/ranks_production.py [FOLDER]     default: ../shared/traces/distributed; sets are folders `whatif_NAME`

    trace-NAME.parquet     the rows (`ranks_rows.py`)
    result-NAME.json       S, and that of each data-parallel rank and stage alone; mw-, ms-NAME.json: M_W and M_S

A row is a row of a rank's order, as those of profiles are: computing is a chunk, communication a collective with a last arrival.
No host is recorded, so nothing is launched late: all is launched at the start of its step, and each step is replayed by itself.
The ideal is the study's: of computing the mean of its kind over ranks, stages and steps, of communication the median transfer.
A worker is a data-parallel rank of a stage. M_W is the share of what is lost that the worst 3 % of workers explain, M_S that of
the last stage.

What would make it lie: rows that are left out. None is: a kind that is not known, or a message with one end, is declined.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from ranks_jobs import Line, declined, held
from ranks_rows import NotReplayed, Rows, read, waits
from run import NOTHING

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.max_plus import layers
from tb_plugin.job.replay.replay import Replay
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE, STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER: Final = Path(__file__).resolve().parents[2] / "shared" / "traces" / "distributed"
WHAT: Final = "what-if on production rows"

_WORST: Final = 0.03


def replay_of(rows: Rows) -> tuple[Replay, Int64Array]:
    """(the replay of these rows, the edge of each row that is as long as it takes)."""
    counts = np.bincount(rows.line) + 2  # a line begins and ends with the end of a step
    n, closing = int(counts.sum()), np.cumsum(counts) - 1
    place = np.arange(len(rows.kind)) + 2 * rows.line + 1  # rows are in the order of lines
    line = np.repeat(np.arange(len(counts)), counts)
    kind, what, step = np.full(n, STEP), np.full(n, NONE), np.full(n, NONE)
    kind[place] = np.where(rows.is_computing, CHUNK, COLLECTIVE)
    what[place], step[place] = rows.instance, rows.step
    what[closing] = step[closing] = step[closing - 1]
    n_instances = int(rows.instance.max()) + 1
    every, ends, later = np.arange(n), np.flatnonzero(kind == STEP), np.flatnonzero(np.diff(line) == 0) + 1
    collective = place[~rows.is_computing]
    before, after = np.array(list(waits(rows)), np.int64).T
    edges = (
        (3 * (later - 1), 3 * later),
        (np.where(kind == COLLECTIVE, 3 * n + what, 3 * every + 1)[place], 3 * place + 2),
        (3 * every, 3 * every + 1),
        (3 * ends + 1, 3 * ends + 2),
        (3 * place + 2, 3 * closing[line[place]]),
        (3 * collective + 1, 3 * n + what[collective]),
        (3 * place[before] + 2, 3 * place[after] + 1),
    )
    source, target = (np.concatenate(columns) for columns in zip(*edges, strict=True))
    groups = layers(3 * n + n_instances, source, target)
    if groups is None:
        raise NotReplayed("the rows wait for each other in a circle")
    host, length, edge = np.full(n, NONE), np.full(n, NONE), len(later) + np.arange(len(place))
    host[later], length[place] = np.arange(len(later)), edge
    lag = np.zeros(len(source))
    lag[edge] = rows.transfer
    found = Replay(
        source=source,
        target=target,
        lag=lag,
        own=np.zeros(3 * n + n_instances),
        is_first=np.zeros(n, np.bool_),
        groups=groups,
        rank=line,
        kind=kind,
        what=what,
        collective_kind=np.zeros(n_instances, np.int64),
        step=step,
        loader=np.zeros(n, np.int64),
        called=np.zeros(n, np.int64),
        copied=np.zeros(n, np.int64),
        host_edge=host,
        launch_edge=np.full(n, NONE),
        least_launch=0.0,
        length_edge=length,
        recorded=np.zeros(3 * n + n_instances),
        told_steps=np.unique(rows.step),
        ranks=np.arange(len(counts)),
    )
    return found, edge


class Study:
    """What our replay says where the study has a figure."""

    def __init__(self, rows: Rows) -> None:
        rows.check()
        self._rows = rows
        self._replay, self._edge = replay_of(rows)
        self.by_step = self._replay.steps(self._replay.lag, self._replay.own)
        self.was = self._mean(self.by_step)
        self.ideal = self.mean_step(np.zeros(len(rows.kind), np.bool_))

    def mean_step(self, kept: BoolArray) -> float:
        """Of all steps, where what is kept takes as long as it did, and all else as in the ideal."""
        lag = self._replay.lag.copy()
        lag[self._edge] = np.where(kept, self._rows.transfer, self._rows.ideal)
        return self._mean(self._replay.steps(lag, self._replay.own))

    @staticmethod
    def _mean(steps: dict[int, float]) -> float:
        return float(np.mean(list(steps.values())))

    def alone(self, column: Int64Array) -> dict[int, float]:
        """By who is kept: how many times as long as in the ideal."""
        return {who: self.mean_step(column == who) / self.ideal for who in np.unique(column).tolist()}

    def explained(self, by: BoolArray) -> float:
        """The share of what is lost that is gone without these."""
        return (self.was - self.mean_step(~by)) / (self.was - self.ideal)

    def worst_workers(self) -> BoolArray:
        """Rows of the worst 3 % of workers, one at least."""
        worker = self._rows.stage + self._rows.replica * (int(self._rows.stage.max()) + 1)
        alone = self.alone(worker)
        worst = sorted(alone, key=alone.__getitem__, reverse=True)[: math.ceil(_WORST * len(alone))]
        return np.isin(worker, worst)


def production(folder: Path) -> list[Line]:
    """All sets of rows in a folder of which there are figures."""
    found = []
    for path in sorted(folder.glob("whatif_*/trace-*.parquet")):
        short, of = path.stem.removeprefix("trace-"), path.parent.name
        truth = {what: _figures(path.parent / f"{what}-{short}.json") for what in ("result", "mw", "ms")}
        try:
            found += _against(truth, read(path), of)
        except NotReplayed as error:
            found.append(declined(19, WHAT, of, f"S {truth['result'].get('blocking_slowdown')} within 1 %", str(error)))
    return found or [declined(19, WHAT, str(folder), "S within 1 %", "no rows lie there")]


def _figures(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def _against(truth: dict[str, dict[str, Any]], rows: Rows, of: str) -> list[Line]:
    result = truth["result"]
    if not result:
        raise NotReplayed("the study's figures are not beside the rows")
    ours = Study(rows)
    off = max(abs(ours.by_step[int(number)] / (1e9 * s) - 1) for number, s in result["step_t_nodelay"].items())
    said = f"{off:.4%} off at most of {len(ours.by_step)}"
    slowdown, mine = result["blocking_slowdown"], ours.was / ours.ideal
    lines = [
        held(19, f"{WHAT}: steps", of, "each within 1 %", said, good=off <= 0.01),
        held(19, f"{WHAT}: S", of, f"{slowdown:.5f} within 1 %", f"{mine:.5f}", good=abs(mine / slowdown - 1) <= 0.01),
        _alone("dp rank", of, result["blocking_decompose_by_dp_rank"], ours.alone(rows.replica)),
        _alone("stage", of, result["blocking_decompose_by_stage"], ours.alone(rows.stage)),
    ]
    for name, theirs, by in (
        ("M_W", truth["mw"].get("Mw"), ours.worst_workers()),
        ("M_S", truth["ms"].get("Ms"), rows.stage == rows.stage.max()),
    ):
        if theirs is not None:
            share = ours.explained(by)
            asked = f"{theirs:.4f} within 0.02"
            lines.append(held(19, f"{WHAT}: {name}", of, asked, f"{share:.4f}", good=abs(share - theirs) <= 0.02))
    return lines


def _alone(what: str, of: str, named: dict[str, float], ours: dict[int, float]) -> Line:
    """Who is the worst, and how many times as long as in the ideal a step is with each of them as it was."""
    theirs = {int(who): value for who, value in named.items()}
    worst, ours_worst = (max(each, key=each.__getitem__) for each in (theirs, ours))
    off = max(abs(ours[who] / value - 1) if who in ours else 1.0 for who, value in theirs.items())
    asked = f"{worst} is the worst ({theirs[worst]:.4f}), each within 2 %"
    said = f"{ours_worst} ({ours[ours_worst]:.4f}), {off:.4%} off at most of {len(theirs)}"
    return held(19, f"{WHAT}: S, {what}", of, asked, said, good=worst == ours_worst and set(theirs) == set(ours) and off <= 0.02)


def main(words: Sequence[str]) -> int:
    lines = production(Path(words[0]) if words else FOLDER)
    for line in lines:
        print(f"{line.word:8} {line.what:38} {line.of:10} {line.asked} -> {line.ours}")
    if all(line.word == "declined" for line in lines):
        return NOTHING
    return int(any(line.word == "FAIL" for line in lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
