"""Is what Ranks says of a job right, and how fast is it? One line a check: what was asked, of what, the figure, pass or FAIL.

    python benchmarks/ranks.py [FOLDER]        default: ../shared/traces/distributed, jobs with their exact truth

Figures are held against the truth that was written beside the files: matched members, clocks, waits, transfers, who came last,
who is blamed and why. Then CPU time and memory from summaries to all tables: of 64 ranks, and of 1 024 and 4 096 made from them.
What would make it lie: a truth that was made by the code under test (it was not), and checks that no set here can fail.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from budget import Budget

from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tb_plugin.formats.pickled.flight_recorder import rank_of
from tb_plugin.job.hang import frontiers
from tb_plugin.job.ranks import RankProfile
from tb_plugin.job.what_if_asked import Edited, steps_if
from tb_plugin.question.joint import Member
from tb_plugin.runs.dumps import find_dumps, read_dumps
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.trace.collectives.kinds import ALL_REDUCE
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.trace.rank.summary import RankSummary
from tb_plugin.views.ranks.analysed import Analysed, analysed
from tb_plugin.views.ranks.blame import blamed, slow_link
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.path_rows import ends_on_several
from tb_plugin.views.ranks.result import RanksParams

if TYPE_CHECKING:
    from tb_plugin.job.load_balance import LoadBalance
    from tb_plugin.job.pipeline import Pipeline
    from tb_plugin.job.replay import Replay

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "traces" / "distributed"
SIZES = {64: (1.0, 200), 1024: (5.0, 600), 4096: (15.0, 2000)}
"""Ranks of a job: seconds and MB that it may take from summaries to all tables."""

DIMENSIONS = {"dp": "data", "tp": "tensor", "pp": "pipeline", "mp": "model", "ep": "expert", "world": "world"}
FAULTS = {  # set: (who, cause, steps in which it may be late)
    "syn8_ep4_dp8_input": ("rank 6", "input", {12}),
    "syn8_fsdp8_gc_2023": ("rank 3", "pause", {11}),
    "syn8_pp4_dp2_stage": ("stage 3", "slow_kernels", {10, 11}),
    "syn8_tp2_dp4_host_rccl": ("rank 1", "launches", {10, 11, 12}),
    "syn8_tp2_pp2_dp2_dropped": ("rank 4", "input", {10, 11, 12}),
    "syn8_tp2_pp2_dp2_slow": ("rank 5", "slow_kernels", {10, 11, 12}),
    "rec_ddp_slow5": ("rank 5", "pause", {2, 3, 4, 5}),
    "rec_fsdp2_2nodes": ("rank 3", "pause", {2, 3, 4, 5}),
}
HANGS = {  # set: (who, group, collective, number)
    "flight16_missing": (4, "default_pg", "_all_gather_base", 40),
    "flight16_mismatch": (1, "default_pg", "_all_gather_base", 40),
    "rec_hang_skip6": (6, "default_pg", "all_reduce", 4),
}
HEALTHY = ("rec_ddp_slow5", "rec_fsdp2_2nodes", "rec_pp4_dp2", "rec_tp4_dp2")

DLRM_WAIT_US = (5586, 11124, 3280, 9563, 6374, 6039, 3343, 1534)
DLRM_TRANSFER_US = (212, 212, 212, 211, 213, 212, 215, 212)


class Result(NamedTuple):
    """One line."""

    check: str
    of: str
    figure: str
    is_good: bool


def load(folder: Path) -> list[RankProfile]:
    """Summaries of a set, through JSON as they are kept."""
    paths = sorted(folder.glob("*.trace.json.gz"), key=lambda path: int(re.findall(r"\d+", path.name)[0]))
    found = []
    for path in paths:
        kept = msgspec.json.decode(msgspec.json.encode(summarise(reader.read(path))), type=RankSummary)
        name = path.name.split(".")[0]
        found.append(RankProfile(run=folder.name, worker=name, span="1", label=name, summary=kept))
    return found


def checks(name: str, of: Analysed, truth: dict[str, Any], rows: list[dict[str, str]]) -> list[Result]:
    found = [*sums(name, of)]
    if rows:
        found += [matched(name, of, rows), *transfers(name, of, rows)]
    if "per_node" in truth.get("clocks", {}):
        found += clocks(name, of, truth["clocks"])
    if "rank_steps" in truth and of.job.table.groups and of.job.table.groups[0].name:
        found.append(waits(name, of, truth["rank_steps"]))
    if any("bubble_ns" in row for row in truth.get("rank_steps", ())) and of.pipeline:
        found.append(bubbles(name, of, of.pipeline, truth["rank_steps"]))
    if "critical_path" in truth and of.paths:
        found += path(name, of, truth["critical_path"])
    if name in FAULTS:
        found += blame(name, of)
    if "what_if_step_ns" in truth and (of.stragglers or of.links.slow):
        found.append(what_if(name, of, truth))
    if "what_if_step_ns" in truth and of.replay is not None:
        found += transfers_if(name, of, of.replay, truth["what_if_step_ns"])
    return found


def sums(name: str, of: Analysed) -> list[Result]:
    measured, rows = of.job.waits, of.job.rows
    known = measured.is_known
    off = np.abs(measured.wait + measured.transfer - rows.duration)[known].max(initial=0)
    exposed = max(
        int(np.abs(of.exposed.shares[at].sum(axis=(1, 2)) - rank.work["exposed"]).max(initial=0))
        for at, rank in enumerate(of.job.of.ranks)
    )
    return [
        Result("7 wait + transfer = duration", name, f"{off} ns over {known.sum()} rows", off == 0),
        Result("12 shares of dimensions = exposed communication", name, f"{exposed} ns", exposed == 0),
    ]


def matched(name: str, of: Analysed, rows: list[dict[str, str]]) -> Result:
    """By members: as many instances as there were, but those whose kernel was dropped on purpose."""
    there = counted(of)
    wanted: defaultdict[tuple[int, ...], int] = defaultdict(int)
    for row in rows:
        members = tuple(sorted(map(int, row["ranks"].split())))
        if len(members) > 1 and row["dim"] != "mp":
            wanted[members] += 1
    wrong = sum(abs(n - there.get(members, 0)) for members, n in wanted.items())
    n_lost = int((~of.job.rows.is_there).sum())
    return Result("2, 3 instances with the right members", name, f"{wrong} wrong, {n_lost} kernels lost", wrong <= n_lost)


def counted(of: Analysed) -> dict[tuple[int, ...], int]:
    """How many complete instances each set of ranks has; all-reduces of some bytes are left out."""
    result: dict[tuple[int, ...], int] = defaultdict(int)
    for members, instances in by_members(of).items():
        result[members] = len(instances)
    return result


def by_members(of: Analysed) -> dict[tuple[int, ...], list[int]]:
    """Instances by members, each list in the order of arrival; without those of a gradient norm's 4 bytes, which ranks share."""
    job = of.job
    sets: dict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(job.rows.is_there & (job.matched.of >= 0)).tolist():
        sets[int(job.matched.of[row])].append(job.of.numbers[job.rows.rank[row]])
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for instance in sorted(sets, key=lambda one: job.instances.last_arrival[one]):
        name = of.dimensions.names[of.dimensions.of_group[job.matched.group[instance]]]
        is_norm = name == NOT_RECORDED and job.matched.kind[instance] == ALL_REDUCE
        if name not in ("model", "world") and not is_norm:
            found[tuple(sorted(sets[instance]))].append(instance)
    return found


def transfers(name: str, of: Analysed, rows: list[dict[str, str]]) -> list[Result]:
    job, errors, n_last, n_right = of.job, [], 0, 0
    wanted: dict[tuple[int, ...], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        if row["dim"] != "mp":
            wanted[tuple(sorted(map(int, row["ranks"].split())))].append(row)
    for members, instances in by_members(of).items():
        truth = sorted(wanted[members], key=lambda row: int(row["last_arrival_ns"]))
        if len(truth) != len(instances):
            continue
        for instance, row in zip(instances, truth, strict=True):
            errors.append(abs(float(job.instances.transfer[instance]) - float(row["transfer_ns"])))
            if int(row["last_arrival_ns"]) - int(row["first_arrival_ns"]) > 20_000:
                n_last += 1
                last = job.of.numbers[job.rows.rank[job.instances.last[instance]]]
                tied = job.instances.last_arrival[instance] - job.instances.second_arrival[instance] < 3 * of.clock_error_ns
                n_right += last == int(row["last_rank"]) or bool(tied)
    if not errors:
        return []
    middle, most = float(np.median(errors)) / 1e3, float(np.percentile(errors, 99)) / 1e3
    figure = f"median {middle:.2f}, 99 % {most:.2f} us of {len(errors)}"
    share = n_right / max(n_last, 1)
    return [
        Result("9 transfer of an instance", name, figure, middle <= 2.0 and most <= 5.0),
        Result("10 who came last", name, f"{n_right} of {n_last}", share >= 0.97),
    ]


def clocks(name: str, of: Analysed, truth: dict[str, Any]) -> list[Result]:
    """local = origin + true + offset + drift x true, against the first host."""
    solved, found = of.job.clocks, []
    origin = 1_790_857_026_000_000_000 + truth["reference_local_ns_of_node_0"]
    worst, worst_drift, bars, good = 0.0, 0.0, [], True
    for host in truth["per_node"]:
        at = host["node"]
        if at >= len(solved.offset_ns):
            continue
        bar = float(solved.error_at(np.array([at]), solved.middle_ns[at : at + 1])[0])
        middle = int(solved.middle_ns[at]) + of.job.table.base_ns
        error = abs(solved.offset_ns[at] - host["offset_ns"] - host["drift_ppm"] * 1e-6 * (middle - origin))
        drift = abs(solved.drift[at] * 1e6 - host["drift_ppm"])
        good = good and error <= max(3000.0, 3 * bar) and bar <= 5000.0 and drift <= max(10.0, 3e6 * solved.drift_error[at])
        worst, worst_drift = max(worst, error), max(worst_drift, drift)
        bars.append(bar)
    figure = f"offset {worst / 1e3:.2f} us off, bar {max(bars) / 1e3:.2f} us, drift {worst_drift:.1f} ppm off"
    found.append(Result("5, 6 clocks of hosts", name, figure, good))
    return found


def waits(name: str, of: Analysed, truth: list[dict[str, Any]]) -> Result:
    """Of each rank and dimension, over all steps: within 2 % or 10 us an instance."""
    job, worst, good = of.job, 0.0, True
    dimension = of.dimensions.of_rows(job.rows.group)
    lacking = {job.of.numbers[at] for at in job.rows.rank[~job.waits.is_known].tolist()}
    wanted: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in truth:
        for dim, figures in row["dims"].items():
            both = wanted[row["rank"], DIMENSIONS.get(dim, dim)]
            both[0] += figures["sum_wait_ns"]
            both[1] += figures["count"]
    for (number, dim), (wait, count) in wanted.items():
        if number in lacking or dim not in of.dimensions.names or dim in ("model", "world"):
            continue
        mine = (job.rows.rank == job.of.numbers.index(number)) & (dimension == of.dimensions.names.index(dim))
        off = abs(int(job.waits.wait[mine].sum()) - wait)
        worst = max(worst, off / max(count, 1) / 1e3)
        good = good and off <= max(0.02 * wait, 10_000 * count)
    return Result("8 wait of a rank and dimension", name, f"at most {worst:.2f} us an instance off", good)


def bubbles(name: str, of: Analysed, found: Pipeline, truth: list[dict[str, Any]]) -> Result:
    """Of each rank and step the window, warm-up, steady and drain: within 1 % of the window."""
    lacking = {of.job.of.numbers[at] for at in of.job.rows.rank[~of.job.rows.is_there].tolist()}
    worst = 0.0
    for row in truth:
        wanted, at, step = row["bubble_ns"], of.job.of.numbers.index(row["rank"]), row["step"]
        parts = {"warm_up": found.warm_up, "steady": found.steady, "drain": found.drain}
        off = [abs(float(part[at, step]) - wanted[part_name]) for part_name, part in parts.items()]
        off.append(abs(float(found.window[step]) - wanted["window"]))
        if row["rank"] not in lacking:
            worst = max(worst, max(off) / wanted["window"])
    return Result("16 bubbles of a rank and step", name, f"at most {worst:.4%} of the window off", worst <= 0.01)


def tokens(folder: Path, of: Analysed, found: LoadBalance) -> Result:
    """What a rank receives is what the members of its group send it, counted from the other side: nothing is lost on the way."""
    wrong = 0
    sent: Counter[tuple[int, int]] = Counter()
    got: Counter[tuple[int, int]] = Counter()
    for path in folder.glob("*.trace.json.gz"):
        events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
        steps = sorted(
            (e["ts"], e["ts"] + e["dur"], int(e["name"][13:])) for e in events if e["name"].startswith("ProfilerStep#")
        )
        calls = [e for e in events if e["name"] == "record_param_comms" and "to_all" in e["args"].get("Collective name", "")]
        rank = int(re.findall(r"\d+", path.name)[0])
        for call in calls:
            args, number = call["args"], next(number for t0, t1, number in steps if t0 <= call["ts"] < t1)
            if args["Seq"] % 2:  # in these jobs every second one brings back
                members = json.loads(args["Process Group Ranks"])
                for member, size in zip(members, json.loads(args["In split size"]), strict=True):
                    sent[member, number] += size
                got[rank, number] += 1
    for place, number in itertools.product(range(len(found.received)), of.own.number.tolist()):
        mine = found.received[place, int(np.searchsorted(of.own.number, number))]
        wrong += int(mine != sent[of.job.of.numbers[place], number])
    figure = (
        f"{wrong} of {found.received.size} ranks and steps wrong; {sum(got.values())} all-to-alls, worst group {found.worst:.1%}"
    )
    return Result("22 tokens of an expert's rank", folder.name, figure, wrong == 0 and sum(got.values()) > 0)


def path(name: str, of: Analysed, truth: list[dict[str, Any]]) -> list[Result]:
    """The sum is the step; by class within 2 % of it; the rank with most of it, where that leads by 10 % of the step.

    The truth's path reaches back to where the first rank began the step, so what was done ahead counts in it.
    """
    worst, told, leading, tied, several = 0.0, 0, 0, 0, ends_on_several(of)
    assert of.replay is not None
    bounds = of.replay.step_bounds(of.replay.recorded)
    adds_up = all((one.pieces[0].start, one.pieces[-1].end) == bounds[one.step] for one in of.paths)
    chains = [[*one.ahead, *one.pieces] for one in of.paths]
    adds_up &= all(a.end == b.start for chain in chains for a, b in itertools.pairwise(chain))
    for mine, wanted in zip(chains, truth, strict=True):
        classes: Counter[str] = Counter()
        ranks: Counter[str] = Counter()
        for piece in mine:
            group = of.job.rows.group[piece.row]
            dimension = of.dimensions.names[int(of.dimensions.of_group[group])] if piece.row != NONE else NOT_RECORDED
            classes[piece.what + ("" if dimension == NOT_RECORDED else f":{dimension}")] += round(piece.end - piece.start)
            ranks[str(of.job.of.numbers[piece.rank])] += round(piece.end - piece.start)
        for key, ns in wanted["by_class_ns"].items():
            what, _, dimension = key.partition(":")
            has_dimension = dimension and "transfer" not in classes
            classes[f"{what}:{DIMENSIONS[dimension]}" if has_dimension else what] -= ns
        worst = max(worst, max(map(abs, classes.values())) / wanted["total_ns"])
        first, second = (*sorted(wanted["by_rank_ns"].values(), reverse=True), 0)[:2]
        if first - second >= 0.1 * wanted["total_ns"]:
            leading += 1
            on_several = [piece for piece in mine if piece.row in several]
            shared, own = sum(round(piece.end - piece.start) for piece in on_several), ranks.copy()
            for piece in on_several:
                own[str(of.job.of.numbers[piece.rank])] -= round(piece.end - piece.start)
            leader, most = own.most_common(1)[0]
            right = max(wanted["by_rank_ns"], key=wanted["by_rank_ns"].__getitem__)
            # What ends on several at once may be anybody's of them: those who could lead with it are named by that.
            told += right == leader or own[right] + shared >= most > own[right]
            tied += right != leader
    return [
        Result("17 critical path by class", name, f"{worst:.2%} of the step off, adds up: {adds_up}", adds_up and worst <= 0.02),
        Result(
            "17 its first rank",
            name,
            f"{told} of {leading} steps in which one leads, {tied} by what ends on several",
            told == leading,
        ),
    ]


def blame(name: str, of: Analysed) -> list[Result]:
    who, cause, steps = FAULTS[name]
    found = [one for one in blamed(of) if one.cause != "more_work"]
    named = [f"{one.name} in {one.steps}: {one.cause}" for one in found]
    is_right = [one.name for one in found] == [who] and set(found[0].steps) <= steps
    return [
        Result("13 who is late", name, "; ".join(named) or "nobody", is_right),
        Result("14 why", name, found[0].cause if found else "nothing", bool(found) and found[0].cause == cause),
    ]


def what_if(name: str, of: Analysed, truth: dict[str, Any]) -> Result:
    """Over all steps, since the truth counts them from rank 0's host."""
    quick = of.without_slow_link if of.links.slow else of.stragglers[0][2]
    if quick is None:
        return Result("18 the step without it", name, "cannot be told", is_good=False)
    mine, wanted = sum(quick.would_be.values()), sum(truth["what_if_step_ns"]["none"])
    figure = f"{mine / len(quick.would_be) / 1e6:.2f} of {wanted / len(quick.would_be) / 1e6:.2f} ms ({mine / wanted - 1:+.1%})"
    return Result("18 the step without it", name, figure, abs(mine / wanted - 1) <= 0.02)


def transfers_if(name: str, of: Analysed, replay: Replay, truth: dict[str, list[int]]) -> list[Result]:
    """All transfers free, and half as long: asked as by `--what-if`, over all steps."""
    edited = Edited(replay, of.job, of.own, of.layout, of.dimensions, of.links)
    found = []
    for edit, key in (("transfer=0", "transfers take no time"), ("transfer=0.5", "transfers take half")):
        mine, wanted = sum(steps_if(edited, [edit])[0].values()), sum(truth[key])
        figure = f"{mine / len(truth[key]) / 1e6:.2f} of {wanted / len(truth[key]) / 1e6:.2f} ms ({mine / wanted - 1:+.1%})"
        found.append(Result(f"18 what if {edit}", name, figure, abs(mine / wanted - 1) <= 0.02))
    return found


def alone(name: str, of: Analysed) -> list[Result]:
    """What is asked of one set only."""
    if name == "dlrm8_v100_2023":
        rows, measured = of.job.rows, of.job.waits
        wait = np.bincount(rows.rank, weights=measured.wait, minlength=8) / 1e3
        transfer = np.bincount(rows.rank, weights=measured.transfer, minlength=8) / 1e3
        off = max(np.abs(wait - DLRM_WAIT_US).max(), np.abs(transfer - DLRM_TRANSFER_US).max())
        return [Result("11 wait and transfer of a real job", name, f"at most {off:.1f} us a rank off", bool(off <= 10))]
    if name == "rec_tp4_dp2":
        return [Result("4 groups that are not recorded are refused", name, "no wait is given", not of.job.has_waits)]
    if name == "syn64_tp4_pp4_dp4_link":
        slow = of.links.slow
        good = slow is not None and [of.job.of.hosts[at] for at in slow.hosts] == ["node0003"] and abs(slow.factor - 4) < 0.4
        return [Result("15 slow link", name, slow_link(of) or "none", good), no_one(name, of)]
    return []


def no_one(name: str, of: Analysed) -> Result:
    return Result("13 nobody is falsely late", name, ", ".join(one.name for one in blamed(of)) or "nobody", not of.stragglers)


def hangs(folder: Path) -> list[Result]:
    """The verdict of each set of dumps, with all of them and with each of the innocent ones taken away; and a hostile pickle."""
    found = []
    for name, (who, group, collective, sequence) in HANGS.items():
        paths = find_dumps(folder / name)
        if not paths:
            continue
        wrong = []
        for left_out in (None, *(path for path in paths if rank_of(path) != who)):
            dumps, _ = read_dumps([path for path in paths if path != left_out])
            first = frontiers(dumps)[0]
            said = (first.at_fault, first.group, first.collective.partition(":")[2], first.sequence)
            if said != ((who,), group, collective, sequence):
                wrong.append("all" if left_out is None else left_out.name)
        figure = (
            f"rank {who}, {collective} {sequence} of {group}; {len(paths) - 1} times without a dump; wrong: {wrong or 'none'}"
        )
        found.append(Result("23 who hangs the job", name, figure, not wrong))
    for name in HEALTHY:
        paths = find_dumps(folder / name)
        if paths:
            open_ones = frontiers(read_dumps(paths)[0])
            found.append(Result("23 a job that ran through", name, f"{len(open_ones)} hangs", not open_ones))
    with tempfile.TemporaryDirectory() as name:
        marker, path = Path(name) / "was_run", Path(name) / "nccl_trace_rank_0"
        path.write_bytes(b"cposix\nsystem\n(V" + f"touch {marker}".encode() + b"\ntR.")
        hostile = b"\x80\x02}X\x07\x00\x00\x00entriescposix\nsystem\n(V" + f"touch {marker}".encode() + b"\ntRs."
        (Path(name) / "nccl_trace_rank_1").write_bytes(hostile)
        dumps, broken = read_dumps(sorted(Path(name).glob("nccl_trace_rank_*")))
        figure = f"{len(broken)} of 2 refused, {'something' if marker.exists() else 'nothing'} was run"
        found.append(Result("24 hostile pickles", "made here", figure, not dumps and len(broken) == 2 and not marker.exists()))
    return found


def main(folder: Path) -> int:
    if not folder.is_dir():
        print(f"{folder.name}: not beside the checkout; nothing to check against")
        return 0
    results: list[Result] = []
    for path in sorted(each for each in folder.iterdir() if any(each.glob("*.trace.json.gz"))):
        found = load(path)
        of = analysed(found)
        truth = json.loads((path / "truth.json").read_text()) if (path / "truth.json").is_file() else {}
        table = path / "collectives.csv.gz"
        rows = list(csv.DictReader(io.StringIO(gzip.decompress(table.read_bytes()).decode()))) if table.is_file() else []
        results += [*checks(path.name, of, truth, rows), *alone(path.name, of)]
        if of.balance:
            results.append(tokens(path, of, of.balance))
        if len(found) == 64:
            measure(found)
    results += hangs(folder)
    for one in results:
        word = "pass" if one.is_good else "FAIL"
        print(f"{word}  {one.check:50} {one.of:28} {one.figure}")
    print(f"{sum(one.is_good for one in results)} of {len(results)} pass")
    return int(not all(one.is_good for one in results))


def measure(found: list[RankProfile]) -> None:
    """From summaries to all tables: of these 64 ranks, and of more data-parallel replicas of them."""
    for n_ranks, (seconds, megabytes) in SIZES.items():
        with tempfile.TemporaryDirectory() as name:
            kept = Path(name) / "summaries.jsonl"
            ranks = replicated(found, n_ranks // len(found))
            kept.write_bytes(b"\n".join(msgspec.json.encode(one.summary) for one in ranks))
            runs = [_opened(kept) for _ in range(3 if n_ranks == 64 else 1)]
        lies = "summaries of few collectives: these ranks have 90 each"
        what = f"{n_ranks} ranks from summaries to all tables"
        time_budget = Budget(name=what, budget=seconds, unit="CPU seconds", kind="gate", lies=lies)
        time_budget.measured(min(cpu for cpu, _ in runs))
        memory_budget = Budget(name=f"{what}, peak", budget=megabytes, unit="MB", kind="gate", lies=lies)
        memory_budget.measured(max(peak for _, peak in runs))


def replicated(found: list[RankProfile], times: int) -> list[RankProfile]:
    """The job `times` as wide: numbers, members, hosts and times of each replica shifted."""
    n, more = len(found), []
    for replica in range(times):
        for one in found:
            summary, by = one.summary, replica * n
            rank = (summary.rank or 0) + by
            groups = [
                msgspec.structs.replace(
                    group,
                    name=f"{group.name}.{replica}",
                    ranks=tuple(member + by for member in group.ranks) if group.ranks else None,
                )
                for group in summary.groups
            ]
            table = unpacked(summary.collectives)
            table["peer"] = np.where(table["peer"] == NONE, NONE, table["peer"] + by)
            changed = msgspec.structs.replace(
                summary,
                rank=rank,
                world_size=n * times,
                host=f"r{replica}-{summary.host}",
                groups=groups,
                collectives=packed(table),
                base_ns=summary.base_ns + 1000 * replica,
            )
            more.append(RankProfile(run=one.run, worker=f"rank{rank}", span="1", label=f"rank {rank}", summary=changed))
    return more


def _opened(kept: Path) -> tuple[float, float]:
    """(CPU seconds, peak MB) in a process of its own, less what it takes to start."""
    command = [sys.executable, __file__, "--open", str(kept)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(said[0]), float(said[1])


def open_summaries(kept: Path) -> None:
    begun = time.process_time()
    members = []
    for line in kept.read_bytes().split(b"\n"):
        summary = msgspec.json.decode(line, type=RankSummary)
        name = f"rank{summary.rank}"
        members.append(
            Member(
                run="job",
                worker=name,
                span="1",
                label=name,
                recorded_ns=1,
                n_workers=1,
                state="ready",
                progress=1.0,
                reason=None,
                answer=summary,
            )
        )
    table = join(members, RanksParams())
    msgspec.json.encode(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(time.process_time() - begun, peak)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--open"]:
        open_summaries(Path(sys.argv[2]))
        sys.exit(0)
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
