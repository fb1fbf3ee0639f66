"""The jobs that Ranks is held against, each with its truth, and a line of what was found.

truth.json           faults, clocks, groups, steps, and what they would be; made beside the files, not by the code under test
collectives.csv.gz   each collective as it was: members, who came when, ends; in true ns
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import statistics
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from tb_plugin.formats import reader
from tb_plugin.job.ranks.ranks import RankProfile
from tb_plugin.question.joint import Member
from tb_plugin.trace.collectives.kinds import kind_of
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.trace.rank.summary import RankSummary
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams, RanksTable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_EPOCH_NS = 1_790_857_026_000_000_000
"""Unix time of 0 on the clock that the truth's reference is of."""

DIMENSIONS = {"dp": "data", "tp": "tensor", "pp": "pipeline", "mp": "model", "ep": "expert", "world": "world"}
"""What the truth calls a dimension, and what we do."""

Word = Literal["pass", "FAIL", "declined"]


class Line(NamedTuple):
    """One thing that was asked of one job."""

    check: int  # its number in section 8 of the specification
    what: str
    of: str
    asked: str
    ours: str
    word: Word


def held(check: int, what: str, of: str, asked: str, ours: str, *, good: bool) -> Line:
    """It was measured, and is as asked or not."""
    return Line(check, what, of, asked, ours, "pass" if good else "FAIL")


def declined(check: int, what: str, of: str, asked: str, why: str) -> Line:
    """It was not measured."""
    return Line(check, what, of, asked, why, "declined")


class Met(NamedTuple):
    """A collective as it was. Times are true ns."""

    step: int  # from 0
    dimension: str  # as we call it
    kind: int
    n_bytes: int
    ranks: tuple[int, ...]
    last_rank: int
    first_arrival: int
    last_arrival: int
    first_end: int
    last_end: int
    transfer: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Recorded:
    """A set: its profiles, what we say of them, and the truth where there is one."""

    folder: Path
    profiles: list[RankProfile]
    of: Analysed
    truth: dict[str, Any]

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def is_simulated(self) -> bool:
        """All of it is known."""
        return "rank_steps" in self.truth

    @property
    def names_groups(self) -> bool:
        """Collectives say their group, so there are dimensions."""
        return any(group.name for group in self.of.job.table.groups)

    @property
    def origin_ns(self) -> int:
        """True time 0 on the job's clock, which is that of the first host."""
        reference: int = self.truth["clocks"]["reference_local_ns_of_node_0"]
        return _EPOCH_NS + reference - self.of.job.table.base_ns

    @cached_property
    def table(self) -> RanksTable:
        """What the page and the shell have."""
        return join(members_of(self.profiles), RanksParams())

    @cached_property
    def met(self) -> list[Met]:
        """Of more than one rank; none where that is not known."""
        path = self.folder / "collectives.csv.gz"
        if not path.is_file():
            return []
        rows = list(csv.DictReader(io.StringIO(gzip.decompress(path.read_bytes()).decode())))
        found = [_met(row, self.truth["world"]) for row in rows]
        of_all = _of_all([(row["seq"], one) for row, one in zip(rows, found, strict=True) if len(one.ranks) == 1])
        return [one for one in found if len(one.ranks) > 1] + of_all

    def dimension(self, short: str) -> str:
        """As we call it: all-reduces over all ranks are the truth's `mp` where a model is not split."""
        is_split = any(group["dim"] == "mp" and len(group["ranks"]) > 1 for group in self.truth["groups"])
        return "world" if short == "mp" and not is_split else DIMENSIONS[short]

    def step_number(self, place: int) -> int:
        """The truth counts from 0."""
        number: int = self.truth["step_numbers"][place]
        return number


def _met(row: dict[str, str], world: int) -> Met:
    ranks = tuple(sorted(map(int, row["ranks"].split())))
    dimension = "world" if row["dim"] == "mp" and len(ranks) == world else DIMENSIONS[row["dim"]]
    times = (int(row[name]) for name in ("first_arrival_ns", "last_arrival_ns", "first_end_ns", "last_end_ns", "transfer_ns"))
    kind = kind_of(row["collective"])
    return Met(int(row["step"]), dimension, kind, int(row["bytes"]), ranks, int(row["last_rank"]), *times)


def _of_all(alone: list[tuple[str, Met]]) -> list[Met]:
    """Where a model is not split each rank's norm is its own in the truth, and in the files an all-reduce over all ranks."""
    by_call: defaultdict[tuple[int, str], list[Met]] = defaultdict(list)
    for sequence, one in alone:
        by_call[one.step, sequence].append(one)
    return [_together(sorted(some, key=lambda one: one.first_arrival)) for some in by_call.values()]


def _together(some: list[Met]) -> Met:
    """`some`: in the order in which they came."""
    last, ends = some[-1], sorted(one.first_end for one in some)
    return last._replace(
        dimension="world",
        ranks=tuple(sorted(one.ranks[0] for one in some)),
        first_arrival=some[0].first_arrival,
        first_end=ends[0],
        last_end=ends[-1],
        transfer=round(statistics.median(ends)) - last.last_arrival,
    )


def profiles_of(paths: Sequence[Path], run: str) -> list[RankProfile]:
    """Summaries of files, through JSON as they are kept."""
    found = []
    for path in sorted(paths, key=lambda path: int(re.findall(r"\d+", path.name)[0])):
        kept = msgspec.json.decode(msgspec.json.encode(summarise(reader.read(path))), type=RankSummary)
        worker, span = path.name.split(".")[:2]
        found.append(RankProfile(run=run, worker=worker, span=span, label=worker, summary=kept))
    return found


def recorded(folder: Path) -> Recorded:
    """A set that holds profiles."""
    profiles = profiles_of(list(folder.glob("*.trace.json.gz")), folder.name)
    truth = json.loads((folder / "truth.json").read_text()) if (folder / "truth.json").is_file() else {}
    return Recorded(folder=folder, profiles=profiles, of=analysed(profiles), truth=truth)


def members_of(profiles: Sequence[RankProfile]) -> list[Member[RankSummary]]:
    """As questions over several profiles get them: all have answered."""
    return [
        Member(
            run="job",
            worker=one.worker,
            span=one.span,
            label=one.label,
            recorded_ns=1,
            n_workers=len(profiles),
            n_ranks=len(profiles),
            state="ready",
            progress=1.0,
            reason=None,
            answer=one.summary,
        )
        for one in profiles
    ]
