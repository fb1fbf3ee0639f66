"""What must not change: with a damaged file (check 27), a clock that is ahead, another order of files, a rank less (check 28)."""

from __future__ import annotations

import gzip
import os
import random
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from ranks_jobs import Line, Recorded, declined, held, members_of

import tb_plugin
from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.job.recordings.recordings import recordings
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams, RanksTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.job.ranks.ranks import RankProfile

_ERRORS = 3
_AHEAD_NS = (3_217_000, -181_000_000, 47_000_000_000, 400_000_000_000)
"""What a host's clock is put ahead by: as NTP leaves it, and where nothing sets it."""

_PROVEN_FROM_NS, _PROVEN_BY_NS = 60_000_000_000, 30_000
"""Clocks that are further apart than this have to be proven, by ends of collectives that lie this close together."""

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "broken": lambda content: content[: len(content) // 3] + bytes(64) + content[len(content) // 3 + 64 :],
    "empty": lambda _content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "foreign": lambda _content: gzip.compress(b'{"version": 3, "sources": ["a.js"], "mappings": "AAAA"}'),
}


def damaged(one: Recorded, kinds: Sequence[str]) -> list[Line]:
    """One file of the set, a rank in the middle, each kind in turn; asked as a user does, of a folder."""
    found = []
    for kind in kinds:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "job"
            folder.mkdir()
            paths = sorted(one.folder.glob("*.trace.json.gz"))
            victim = one.profiles[len(one.profiles) // 2]
            for path in paths:
                content = path.read_bytes()
                is_victim = path.name.startswith(f"{victim.worker}.")
                (folder / path.name).write_bytes(DAMAGES[kind](content) if is_victim else content)
            before = os.environ.get("TB_PLUGIN_CACHE_DIR")
            os.environ["TB_PLUGIN_CACHE_DIR"] = str(Path(name) / "cache")
            try:
                found.append(_damaged(one, kind, victim, tb_plugin.ask("ranks", folder)))
            except (FormatError, NotFoundError) as error:
                found.append(held(27, f"a rank's file is {kind}", one.name, "the rest stays", str(error), good=False))
            finally:
                if before is None:
                    del os.environ["TB_PLUGIN_CACHE_DIR"]
                else:
                    os.environ["TB_PLUGIN_CACHE_DIR"] = before
    return found


def _damaged(one: Recorded, kind: str, victim: RankProfile, table: RanksTable) -> Line:
    """The others have their own figures, and the rank is named: as a profile beside the figures, or in what is said of it."""
    number = next(rank.number for rank in one.of.job.of.ranks if rank.of is victim)
    kept = {row.rank: (row.all_computation_ns, row.all_communication_ns, row.all_overlap_ns) for row in table.ranks}
    own = {row.rank: (row.all_computation_ns, row.all_communication_ns, row.all_overlap_ns) for row in one.table.ranks}
    n_stay = sum(kept.get(rank) == figures for rank, figures in own.items() if rank != number)
    beside = [f"{other.worker}: {other.reason}" for other in table.others if other.worker == victim.worker and other.reason]
    said = [each for each in (*beside, *table.notes, *table.doubts, *table.sentences) if _names(each, number, victim)]
    ours = f"{n_stay} of {len(own) - 1} stay; {(said or beside or ['it is not named'])[0]}"
    good = n_stay == len(own) - 1 and bool(said)
    return held(27, f"a rank's file is {kind}", one.name, "the rest stays, it is named", ours, good=good)


def _names(sentence: str, number: int, victim: RankProfile) -> bool:
    """Whether this says of the rank what is wrong with its file."""
    words = re.findall(r"\w+", sentence.lower())
    about = any(word in sentence for word in ("cut off", "damaged", "left out", "not a PyTorch profile"))
    return about and (str(number) in words or victim.worker in words)


def moved(one: Recorded) -> list[Line]:
    """One host's clock ahead, then all hosts' by minutes in an order of chance: nothing changes beyond the clocks' error."""
    hosts = [rank.host for rank in one.of.job.of.ranks]
    if len(set(hosts)) < 2:
        return []
    found, of_worker = [], {rank.of.worker: rank.host for rank in one.of.job.of.ranks}
    last = max(hosts)
    for ahead in _AHEAD_NS:
        shifts = dict.fromkeys(hosts, 0) | {last: ahead}
        found.append(_moved(one, f"host {last} ahead by {ahead / 1e9:g} s", shifts, of_worker))
    order = random.Random(2).sample(sorted(set(hosts)), len(set(hosts)))
    shifts = {host: 77_000_000_000 * place for place, host in enumerate(order)}
    return [*found, _moved(one, "hosts minutes apart, as chance has it", shifts, of_worker)]


def _moved(one: Recorded, what: str, shifts: dict[int, int], of_worker: dict[str, int]) -> Line:
    profiles = [_ahead(each, shifts[of_worker[each.worker]]) for each in one.profiles]
    jobs = recordings(profiles)
    asked, apart_ns = "one job, within 3 bars", max(shifts.values()) - min(shifts.values())
    sigma_ns = one.of.job.clocks.sigma_ns or 0.0
    if len(jobs) == len(set(shifts.values())) and apart_ns > _PROVEN_FROM_NS and sigma_ns > _PROVEN_BY_NS:
        why = (
            f"a job for each clock (docs/design/011-ranks.md): proof are ends 30 us apart, and here sigma is {sigma_ns / 1e3:.0f}"
        )
        return declined(28, what, one.name, asked, why)
    if len(jobs) != 1:
        return held(28, what, one.name, asked, f"{len(jobs)} jobs of {', '.join(str(len(job)) for job in jobs)}", good=False)
    now = analysed(jobs[0])
    bar = _ERRORS * max(now.clock_error_ns, one.of.clock_error_ns, 1.0)
    off = _off(one.of, now)
    same = _words(one.table) == _words(join(members_of(profiles), RanksParams()))
    ours = (
        f"waits and transfers {off / 1e3:.2f} us off at most, bar {bar / _ERRORS / 1e3:.2f} us; who is late is the same: {same}"
    )
    return held(28, what, one.name, asked, ours, good=off <= bar and same)


def _ahead(one: RankProfile, by_ns: int) -> RankProfile:
    return replace(one, summary=msgspec.structs.replace(one.summary, base_ns=one.summary.base_ns + by_ns))


def _off(before: Analysed, now: Analysed) -> float:
    """Of waits and transfers, row by row; ns."""
    a, b = before.job.waits, now.job.waits
    if len(a.wait) != len(b.wait) or (a.is_known != b.is_known).any():
        return float("inf")
    return float(max(np.abs(x - y).max(initial=0) for x, y in ((a.wait, b.wait), (a.transfer, b.transfer))))


def _words(table: RanksTable) -> Any:
    """What is said, without times."""
    return (
        [(one.name, one.steps, one.cause) for one in table.blamed],
        table.missing_ranks,
        table.layout,
        [
            (row.name, row.n_groups, row.n_instances, row.n_incomplete)
            for row in sorted(table.dimensions, key=lambda row: row.name)
        ],
        (table.n_matched, table.n_complete, table.n_incomplete, table.n_mismatches),
    )


def permuted(one: Recorded) -> Line:
    """Files in other orders: the same answer, byte by byte."""
    wanted, wrong, chance = msgspec.json.encode(one.table), 0, random.Random(3)
    for _ in range(3):
        files = chance.sample(one.profiles, len(one.profiles))
        wrong += msgspec.json.encode(join(members_of(files), RanksParams())) != wanted
    return held(28, "files in another order", one.name, "nothing changes", f"{wrong} of 3 orders differ", good=wrong == 0)


def one_less(one: Recorded) -> Line:
    """Without one rank: of the others what is their own stays to the ns, and collectives that it had no part in to the bar."""
    gone = random.Random(4).choice(one.profiles)
    number = next(rank.number for rank in one.of.job.of.ranks if rank.of is gone)
    now = analysed(recordings([each for each in one.profiles if each is not gone])[0])
    table = {rank.number: rank for rank in now.job.of.ranks}
    own = sum(
        any((table[rank.number].work[name] != rank.work[name]).any() for name in rank.work)
        for rank in one.of.job.of.ranks
        if rank.number != number
    )
    before, after = _of_others(one.of, number), _of_others(now, number)
    bar = _ERRORS * max(now.clock_error_ns, one.of.clock_error_ns, 1.0)
    off = max(
        (abs(a - b) for key, both in before.items() for a, b in zip(both, after.get(key, (np.inf,) * 2), strict=True)), default=0
    )
    ours = f"without rank {number}: own figures of {own} others changed; {len(before)} rows of others {off / 1e3:.2f} us off"
    return held(28, "a rank less", one.name, "only what names it", ours, good=own == 0 and off <= bar)


def _of_others(of: Analysed, number: int) -> dict[tuple[int, int], tuple[int, int]]:
    """(rank, place among its rows) -> wait and transfer, of collectives of groups without this rank."""
    job, found = of.job, dict[tuple[int, int], tuple[int, int]]()
    has = np.array([*(group.ranks is None or number in group.ranks for group in job.table.groups), True])
    peer = job.rows.peer == number
    for place, rank in enumerate(job.of.ranks):
        rows = job.rows_of(place)
        for nth, row in enumerate(rows.tolist()):
            if rank.number != number and not has[job.rows.group[row]] and not peer[row] and job.waits.is_known[row]:
                found[rank.number, nth] = (int(job.waits.wait[row]), int(job.waits.transfer[row]))
    return found
