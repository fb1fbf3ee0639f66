"""Ranks found and collectives matched: checks 1 to 4."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from ranks_jobs import Line, Met, Recorded, declined, held, members_of, profiles_of

from tb_plugin.job.recordings.recordings import recordings
from tb_plugin.trace.collectives.kinds import KINDS, RECV, SEND
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile
    from tb_plugin.views.ranks.result import RanksTable

_NEAR_NS = 20_000
"""Ours and the truth's lie closer than this: clocks, the device's own and jitter are 5 us, a collective takes 60 at least."""

WORLDS = {"dlrm8_v100_2023": 8, "ar16_of_64_kineto": 64}
"""Ranks of the jobs that have no truth beside them."""


class Pair(NamedTuple):
    """A collective as it was, and the instance that is it: same members, kind and time. None: there is none."""

    met: Met
    instance: int | None


def ranks_found(one: Recorded) -> list[Line]:
    """Each by its number in the file's name, on its host, in the groups that the job had."""
    said = [int(re.findall(r"\d+", path.name)[0]) for path in one.folder.glob("*.trace.json.gz")]
    world = one.truth.get("world", WORLDS.get(one.name, 0))
    missing = sorted(set(range(world)) - set(said))
    table, wrong = one.table, []
    if sorted(said) != one.of.job.of.numbers or len(said) != table.n_ranks:
        wrong.append(f"ranks {one.of.job.of.numbers}")
    if not _names(table.missing_ranks, missing) or table.world_size not in (world, None):
        wrong.append(f"missing {table.missing_ranks} of {table.world_size}")
    if one.is_simulated:
        wrong += _wrong_hosts(one) + _wrong_groups(one)
    ours = f"{table.n_ranks} of {table.world_size}, missing {table.missing_ranks or 'none'}; wrong: {'; '.join(wrong) or 'none'}"
    found = [held(1, "ranks, hosts and groups", one.name, f"{len(said)} of {world}, exact", ours, good=not wrong)]
    one_less = [each for each in one.profiles if each is not one.profiles[len(one.profiles) // 2]]
    gone = sorted({*missing, said_rank(one.profiles[len(one.profiles) // 2])})
    named = join(members_of(one_less), RanksParams()).missing_ranks
    good = _names(named, gone)
    return [*found, held(1, "a rank that is missing is named", one.name, f"{gone[0]}-{gone[-1]}", str(named), good=good)]


def said_rank(one: RankProfile) -> int:
    """As the file's name has it."""
    return int(re.findall(r"\d+", one.worker)[0])


def _names(said: str | None, missing: list[int]) -> bool:
    """Whether these are named, `2-4, 7`; of many ranges the first, and how many more there are."""
    starts = [number for number in missing if number - 1 not in missing]
    ends = [number for number in missing if number + 1 not in missing]
    wanted = [str(start) if start == end else f"{start}-{end}" for start, end in zip(starts, ends, strict=True)]
    named, _, more = (said or "").partition(" and ")
    got = [part for part in named.split(", ") if part]
    n_more = int(more.split()[0]) if more else 0
    return got == wanted[: len(got)] and len(got) + n_more == len(wanted)


def _wrong_hosts(one: Recorded) -> list[str]:
    a_host = one.truth["arguments"]["gpus_per_node"]
    wanted = [rank // a_host for rank in range(one.truth["world"])]
    got = [rank.host for rank in one.of.job.of.ranks]
    return [] if got == wanted else [f"hosts {got}"]


def _wrong_groups(one: Recorded) -> list[str]:
    """Those of several ranks, where collectives say theirs: members and dimension. Those that no collective is of need not be."""
    if not one.names_groups:
        return []
    wanted = {(one.dimension(group["dim"]), tuple(group["ranks"])) for group in one.truth["groups"]}
    names = one.of.dimensions
    got = {
        (names.names[int(names.of_group[place])], tuple(group.ranks or ())) for place, group in enumerate(one.of.job.table.groups)
    }
    used = {(met.dimension, met.ranks) for met in one.met if met.dimension != "pipeline"}
    wrong = sorted((got - wanted) | (used - got))
    return [f"groups {wrong}"] if wrong else []


def jobs_apart(sets: Sequence[Recorded]) -> list[Line]:
    """All files of all sets in one folder, in any order: each set is a job again.

    The simulated sets have the same hosts and time; of those that have the same groups, or name none, one is taken.
    """
    of_groups = {(tuple(each.of.job.table.groups), _begins(each)): each for each in sets if each.names_groups}
    several = [each for each in sets if not each.is_simulated or each in of_groups.values()]
    files = [each for one in several for each in _named_apart(one)]
    random.Random(1).shuffle(files)
    wanted = sorted(sorted((each.worker, each.span) for each in _named_apart(one)) for one in several)
    got = sorted(sorted((each.worker, each.span) for each in job) for job in recordings(files))
    right = sum(job in wanted for job in got)
    found = [
        held(
            1,
            "a folder with several jobs",
            f"{len(several)} sets at once",
            f"{len(wanted)} jobs, exact",
            f"{right} right of {len(got)}",
            good=got == wanted,
        )
    ]
    pair = [one for one in sets if one.name.startswith("syn8")][:2]
    if len(pair) == 2:
        table = join(members_of([each for one in pair for each in _named_apart(one)]), RanksParams())
        good = len(table.jobs) == 2 and table.n_ranks == len(table.others) == 8 and all(one.reason for one in table.others)
        reasons = {other.reason.split(";")[0] for other in table.others if other.reason}
        ours = f"{len(table.jobs)} jobs, one shown, {len(table.others)} profiles beside it: {'; '.join(sorted(reasons))}"
        found.append(held(1, "a folder with two jobs", " + ".join(one.name for one in pair), "both named", ours, good=good))
    return found


def _begins(one: Recorded) -> int:
    return one.of.job.table.base_ns


def _named_apart(one: Recorded) -> list[RankProfile]:
    """The sets have the same names for their files."""
    return [replace(each, span=f"{one.name}.{each.span}") for each in one.profiles]


def paired(one: Recorded) -> list[Pair]:
    """Each of the truth's with ours of the same members and kind at the same time."""
    job = one.of.job
    there: defaultdict[tuple[tuple[int, ...], int], list[int]] = defaultdict(list)
    for instance, ranks in members_by_instance(one).items():
        kind = int(job.matched.kind[instance])
        there[ranks, SEND if kind == RECV else kind].append(instance)
    found = []
    for met in sorted(one.met, key=lambda met: met.last_arrival):
        at = met.last_arrival + one.origin_ns
        places = there[met.ranks, met.kind]
        nearest = min(places, key=lambda place: abs(int(job.instances.last_arrival[place]) - at), default=None)
        if nearest is not None and abs(int(job.instances.last_arrival[nearest]) - at) <= _NEAR_NS:
            places.remove(nearest)
        else:
            nearest = None
        found.append(Pair(met, nearest))
    return found


def members_by_instance(one: Recorded) -> dict[int, tuple[int, ...]]:
    """Numbers of the ranks that are in each with times; those of one rank are left out."""
    job = one.of.job
    found: defaultdict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(job.rows.is_there & (job.matched.of >= 0)).tolist():
        found[int(job.matched.of[row])].append(job.of.numbers[job.rows.rank[row]])
    return {instance: tuple(sorted(ranks)) for instance, ranks in found.items() if len(ranks) > 1}


def matched(one: Recorded, pairs: Sequence[Pair]) -> list[Line]:
    """Members, kind and time as in the truth; only what a kernel was taken from on purpose is incomplete, and says so."""
    check = 2 if one.names_groups else 3
    lost = [pair.met for pair in pairs if pair.instance is None]
    dropped = _dropped(one)
    n_ours = int((one.of.job.matched.n_members > 1).sum())
    right = len(pairs) - len(lost)
    ours = f"{right} of {len(pairs)} right, {n_ours} in all"
    is_right = lost == dropped and n_ours == len(pairs)
    if dropped:
        incomplete = np.flatnonzero(one.of.job.matched.is_matched & ~one.of.job.matched.is_complete)
        alone = np.flatnonzero((one.of.job.matched.n_there == 1) & (one.of.job.matched.n_members > 1))
        ours += f", incomplete: {len(incomplete) + len(alone)} ({'; '.join(_words(met) for met in lost)})"
        is_right = is_right and len(incomplete) + len(alone) == len(dropped)
    asked = f"{len(pairs) - len(dropped)} of {len(pairs)}" + (", 2 kernels were dropped" if dropped else "")
    return [held(check, "members and kinds of collectives", one.name, asked, ours, good=is_right)]


def _dropped(one: Recorded) -> list[Met]:
    """The truth says: rank -> (dimension, place among its collectives of it, from 1)."""
    found = []
    for rank, (short, place) in one.truth.get("arguments", {}).get("drop", {}).items():
        of_rank = [met for met in one.met if int(rank) in met.ranks and met.dimension == one.dimension(short)]
        found.append(sorted(of_rank, key=lambda met: met.last_arrival)[place - 1])
    return sorted(found, key=lambda met: met.last_arrival)


def _words(met: Met) -> str:
    return f"{KINDS[met.kind]} of ranks {met.ranks}"


def matched_real(one: Recorded) -> list[Line]:
    """`dlrm8`: all eight over all eight ranks."""
    sizes = [len(ranks) for ranks in members_by_instance(one).values()]
    good = sizes == [8] * 8 and bool(one.of.job.matched.is_complete.all())
    return [held(3, "members without metadata", one.name, "8 of 8", f"{sizes.count(8)} of {len(sizes)}", good=good)]


def refused(sets: Sequence[Recorded], folder: Path) -> list[Line]:
    """No wait is shown where collectives cannot be matched, and why is said. `folder`: where the two ranks of 128 lie."""
    found = [_refused(one.name, one.table) for one in sets if one.name in ("rec_pp4_dp2", "rec_tp4_dp2")]
    paths = list(folder.glob("a100_2ranks_rank*.json.gz"))
    if len(paths) != 2:
        return [
            *found,
            declined(4, "wrong matches are refused", "a100_2ranks", "no wait", "the two files are not beside the sets"),
        ]
    return [*found, _refused("a100_2ranks", join(members_of(profiles_of(paths, "a100")), RanksParams()))]


def _refused(name: str, table: RanksTable) -> Line:
    waits = [row.wait_ns for row in table.dimensions] + [row.wait_ns for row in table.collectives]
    waits += [row.wait_ns for row in table.ranks]
    waits.append(table.parts.wait_ns if table.parts else None)
    reasons = [note for note in table.notes if note.startswith("Wait: not recorded") or note.endswith("Not used.")]
    n_shown = sum(wait is not None for wait in waits)
    ours = f"{n_shown} waits shown; {reasons[0] if reasons else 'no reason'}"
    return held(4, "wrong matches are refused", name, "no wait figure, and why", ours, good=n_shown == 0 and bool(reasons))
