"""Clocks, waits, transfers, who came last, and bandwidth: checks 5 to 12 and 21."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from ranks_jobs import Line, Recorded, declined, held

from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ranks_matching import Pair

_ERRORS = 3
_LONG_NS = 200_000_000
_OF_DOUBLES_NS = 40
_LEAST_BYTES = 1 << 20
"""Smaller messages are bound by their latency: no bandwidth is shown."""


def clocks(one: Recorded) -> list[Line]:
    """local = origin + true + offset + drift x true, against the first host. Each host is held."""
    solved, job = one.of.job.clocks, one.of.job
    worst = worst_bar = worst_drift = 0.0
    good = good_drift = len(solved.component) == len(one.truth["clocks"]["per_node"])
    n_outside = 0
    for host in one.truth["clocks"]["per_node"][: len(solved.component)]:
        at = host["node"]
        middle = int(solved.middle_ns[at])
        bar = float(solved.error_at(np.array([at]), solved.middle_ns[at : at + 1])[0])
        error = abs(float(solved.offset_ns[at]) - host["offset_ns"] - host["drift_ppm"] * 1e-6 * (middle - one.origin_ns))
        drift = abs(float(solved.drift[at]) * 1e6 - host["drift_ppm"])
        good = good and error <= max(3000.0, _ERRORS * bar) and bar <= 5000.0
        n_outside += error > _ERRORS * max(bar, 1e-3) and at > 0
        good_drift = good_drift and drift <= max(10.0, _ERRORS * 1e6 * float(solved.drift_error[at]))
        worst, worst_bar, worst_drift = max(worst, error), max(worst_bar, bar), max(worst_drift, drift)
    n_hosts = len(one.truth["clocks"]["per_node"])
    ours = f"{worst / 1e3:.2f} us off at most, bar {worst_bar / 1e3:.2f} us, {n_outside} of {n_hosts} outside 3 bars"
    asked = "<= max(3 us, 3 bars), bar <= 5 us, 0 outside 3 bars"
    found = [held(5, "offset of each host", one.name, asked, ours, good=good and n_outside == 0)]
    lasts = int(job.rows.end.max() - job.rows.start[job.rows.is_there].min())
    what = "drift" if lasts > _LONG_NS else "drift (under 200 ms: not asked)"
    ours, asked = f"{worst_drift:.1f} ppm off at most, of {lasts / 1e6:.0f} ms", "<= max(10 ppm, 3 bars)"
    return [*found, held(6, what, one.name, asked, ours, good=good_drift)]


def sums(one: Recorded) -> list[Line]:
    """Of all rows with times: of the same dimension, of none, matched or not."""
    measured, rows = one.of.job.waits, one.of.job.rows
    there = np.flatnonzero(rows.is_there)
    off = int(np.abs(measured.wait + measured.transfer + measured.untold - rows.duration)[there].max(initial=0))
    told = int((measured.untold[there] == 0).sum())
    ours = f"{off} ns off, {len(there)} rows, {told} of them told apart"
    exposed = [
        int(np.abs(one.of.exposed.shares[at].sum(axis=(1, 2)) - rank.work["exposed"]).max(initial=0))
        for at, rank in enumerate(one.of.job.of.ranks)
    ]
    return [
        held(7, "wait + transfer + not told apart = duration", one.name, "0 ns", ours, good=off == 0),
        held(12, "shares of dimensions = exposed", one.name, "0 ns", f"{max(exposed)} ns off", good=max(exposed) == 0),
    ]


def waits(one: Recorded, pairs: Sequence[Pair]) -> Line:
    """Of each rank and dimension, all of them; without names of groups (2023) all dimensions of a rank together.

    Left out: ranks and dimensions with a collective that lost a kernel; their wait is a lower bound.
    """
    job = one.of.job
    dimension = one.of.dimensions.of_rows(job.rows.group)
    lacking = {(rank, pair.met.dimension) for pair in pairs if pair.instance is None for rank in pair.met.ranks}
    wanted: defaultdict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in one.truth["rank_steps"]:
        for short, figures in row["dims"].items():
            both = wanted[row["rank"], one.dimension(short) if one.names_groups else NOT_RECORDED]
            both[0] += figures["sum_wait_ns"]
            both[1] += figures["count"]
    worst, n_held, good = 0.0, 0, True
    for (number, name), (wait, count) in wanted.items():
        if (number, name) in lacking:
            continue
        place = one.of.dimensions.names.index(name) if name in one.of.dimensions.names else -1
        mine = (job.rows.rank == job.of.numbers.index(number)) & (dimension == place)
        off = abs(int(job.waits.wait[mine].sum()) - wait)
        good = good and place >= 0 and off <= max(0.02 * wait, 10_000 * count)
        worst, n_held = max(worst, off / max(count, 1) / 1e3), n_held + 1
    ours = f"at most {worst:.2f} us an instance off, {n_held} of {len(wanted)} ranks and dimensions"
    return held(8, "wait of a rank and dimension", one.name, "within 2 % or 10 us an instance", ours, good=good)


def instances(one: Recorded, pairs: Sequence[Pair]) -> list[Line]:
    """Transfer of each, and who came last."""
    job = one.of.job
    errors, n_last, n_right, n_tied = [], 0, 0, 0
    bar = _ERRORS * one.of.clock_error_ns
    for met, instance in pairs:
        if instance is None:
            continue
        errors.append(abs(float(job.instances.transfer[instance]) - met.transfer))
        if met.last_arrival - met.first_arrival <= 20_000:
            continue
        n_last += 1
        rows = np.flatnonzero(job.matched.of == instance)
        rows = rows[np.argsort(job.waits.start[rows], kind="stable")]
        second, last = (job.of.numbers[job.rows.rank[row]] for row in rows[-2:])
        is_tied = job.instances.last_arrival[instance] - job.instances.second_arrival[instance] <= bar
        n_right += last == met.last_rank
        n_tied += last != met.last_rank and bool(is_tied) and second == met.last_rank
    middle, most = float(np.median(errors)) / 1e3, float(np.percentile(errors, 99)) / 1e3
    ours = f"median {middle:.2f}, 99 % {most:.2f} us, of {len(errors)}"
    asked = "median <= 2 us, 99 % <= 5 us"
    found = [held(9, "transfer of an instance", one.name, asked, ours, good=middle <= 2.0 and most <= 5.0)]
    ours = f"{n_right} of {n_last}, and {n_tied} of two that came together, the truth's one of them"
    good = n_right + n_tied >= 0.97 * n_last
    return [*found, held(10, "who came last", one.name, ">= 97 %", ours, good=good)]


def totals(one: Recorded, readme: Path) -> list[Line]:
    """What any right reading of the files has, as it stands beside them: sums, and waits within 2 % (gloo's 10 %).

    Those sums were made of doubles: integers differ from them by as much as 31 ns over 16 files. dlrm's are exact.
    """
    row = re.search(rf"^\| {one.name} \| (\d+) / (\d+) / (\d+) \|(.*)\|", readme.read_text(), re.MULTILINE)
    if row is None:
        return []
    cells = [cell.replace(" ", "") for cell in row[4].split("|")]
    *sums_ns, wait, transfer = (round(float(cell) * scale) for cell, scale in zip(cells, (1e3,) * 3 + (1e6,) * 2, strict=False))
    ranks = [rank.summary for rank in one.of.job.of.ranks]
    ours = [sum(each) for each in zip(*((of.computation_ns, of.communication_ns, of.overlap_ns) for of in ranks), strict=True)]
    found = one.of.job.matched
    # Of members whose files are not here nothing can be lost (`ar16_of_64`: tensor groups of which one rank is here).
    is_here = np.array([set(group.ranks or ()) <= set(one.of.job.of.numbers) for group in one.of.job.table.groups])[found.group]
    n_ours = (
        int(found.is_matched.sum()),
        int((found.is_matched & found.is_complete).sum()),
        int((~found.is_complete & is_here).sum()),
    )
    is_kept = found.is_matched[found.of] & found.is_complete[found.of] & (found.of >= 0)
    wait_ours, transfer_ours = (int(each[is_kept].sum()) for each in (one.of.job.waits.wait, one.of.job.waits.transfer))
    share = 0.1 if one.name.startswith("rec_fsdp2") else 0.02
    off = (abs(wait_ours / wait - 1), abs(transfer_ours / transfer - 1))
    if one.name.startswith("syn8_tp2_pp2_dp2_dropped"):  # the two that lack a kernel are in theirs
        off = (max(off[0] - 0.01, 0), off[1])
    counted = tuple(int(row[at]) for at in (1, 2, 3))
    off_ns = max(abs(a - b) for a, b in zip(ours, sums_ns, strict=True))
    good = off_ns <= _OF_DOUBLES_NS and max(off) <= share and n_ours == counted
    said = f"sums {off_ns} ns off, wait {off[0]:.2%}, transfer {off[1]:.2%}"
    what = "computation, communication, overlap; wait, transfer"
    asked = f"within {_OF_DOUBLES_NS} ns; {share:.0%}; {'/'.join(map(str, counted))} matched"
    return [held(11, what, one.name, asked, f"{said}; {'/'.join(map(str, n_ours))}", good=good)]


def totals_of_ranks(one: Recorded, readme: Path) -> Line:
    """`dlrm8`, rank by rank: computation, communication and overlap to the ns, wait and transfer within 10 us, who came last."""
    table = [
        [int(cell.replace(" ", "")) for cell in line.split("|")[1:9]]
        for line in readme.read_text().splitlines()
        if _is_rank(line)
    ]
    job, wrong, worst = one.of.job, [], 0
    last = np.bincount(job.rows.rank[job.instances.last], minlength=8)
    for number, _, *three, wait, transfer, n_last in table:
        rank = job.of.ranks[job.of.numbers.index(number)]
        mine = job.rows_of(job.of.numbers.index(number))
        exact = [rank.summary.computation_ns, rank.summary.communication_ns, rank.summary.overlap_ns]
        off = max(abs(int(job.waits.wait[mine].sum()) - wait * 1000), abs(int(job.waits.transfer[mine].sum()) - transfer * 1000))
        worst = max(worst, off)
        if exact != [ns * 1000 for ns in three] or off > 10_000 or last[number] != n_last:
            wrong.append(number)
    ours = f"ranks that are off: {wrong or 'none'} of {len(table)}; wait and transfer at most {worst / 1e3:.1f} us"
    return held(11, "a real job, rank by rank", one.name, "to the ns; within 10 us", ours, good=len(table) == 8 and not wrong)


def _is_rank(line: str) -> bool:
    return re.match(r"\| \d \| [\d ]+ \| [\d ]+ \| [\d ]+ \| [\d ]+ \| [\d ]+ \| \d+ \| \d+ \|", line) is not None


def bandwidth(one: Recorded, pairs: Sequence[Pair]) -> Line:
    """By dimension, kind, size, and whether hosts lie between: medians of ours and of the truth's bytes x factor / transfer."""
    asked, hosts = "median within 2 %", {rank.number: rank.host for rank in one.of.job.of.ranks}
    ours: defaultdict[tuple[str, int, int, bool], list[float]] = defaultdict(list)
    truth: defaultdict[tuple[str, int, int, bool], list[float]] = defaultdict(list)
    for met, instance in pairs:
        # The truth has what goes in; the message of an all-gather is what comes out.
        n_bytes = met.n_bytes * (len(met.ranks) if met.kind == kinds.ALL_GATHER else 1)
        if instance is not None and n_bytes >= _LEAST_BYTES:
            key = met.dimension, met.kind, n_bytes, len({hosts[rank] for rank in met.ranks}) > 1
            factor = float(kinds.bus_factor(np.array([met.kind]), np.array([len(met.ranks)]))[0])
            # As measured: its ends lie 3 us apart by chance, which is 2 % of 63 us. The middle one, as transfer is the median's.
            truth[key].append(n_bytes * factor / ((met.first_end + met.last_end) / 2 - met.last_arrival))
            ours[key].append(float(one.of.links.bandwidth[instance]) / 1e9)
    if not any(np.isfinite(some).any() for some in ours.values()):
        return declined(21, "bus bandwidth by class", one.name, asked, "the files hold no sizes (2023)")
    off = {key: abs(float(np.nanmedian(ours[key])) / float(np.median(truth[key])) - 1) for key in truth}
    worst = max(off, key=off.__getitem__)
    name = f"{worst[0]} {kinds.KINDS[worst[1]]}, {np.median(truth[worst]):.1f} GB/s"
    said = f"{off[worst]:.2%} off at most ({name}) of {len(off)} classes"
    return held(21, "bus bandwidth by class", one.name, asked, said, good=max(off.values()) <= 0.02)
