"""Ranks that are not on the clock of their host: found by what ends together, tied, named, and else nothing changes."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.collectives.one_clock import on_one_clock
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import changed, members, real_job, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from tb_plugin.job.ranks.ranks import RankProfile
    from tb_plugin.views.ranks.result import RanksTable

MS = 1_000_000
BY = [300_000, 3_200_000, -3_200_000, 300 * MS, -90_000 * MS, 420_000 * MS]
NOWHERE = -(10**18)


def made(folder: Path, **more: Any) -> list[RankProfile]:
    return recorded(Job(**{"n_ranks": 8, "ranks_per_node": 4, "slow": {5: 1.25}, **more}).write(folder))


def moved(profiles: list[RankProfile], by_ns: dict[int, int]) -> list[RankProfile]:
    """`by_ns`: of each rank so much more than it was; of NOWHERE, that."""
    return [
        one
        if (by := by_ns.get(one.summary.rank or 0, 0)) == 0
        else changed(one, base_ns=by if by == NOWHERE else one.summary.base_ns + by)
        for one in profiles
    ]


def told(profiles: list[RankProfile]) -> RanksTable:
    return join(members(profiles), RanksParams())


def off(reply: RanksTable) -> list[str]:
    return [note for note in reply.notes + reply.doubts if note.startswith("The clock")]


def plain_waits(profiles: list[RankProfile]) -> list[int]:
    """Of each row of the job as the table has it, by torch's numbers, of clocks that are right."""
    met: dict[tuple[Any, ...], list[int]] = {}
    every = []
    for one in profiles:
        rows, groups = unpacked(one.summary.collectives), one.summary.groups
        keys = [(groups[group].ranks, at) for group, at in zip(rows["group"].tolist(), rows["sequence"].tolist(), strict=True)]
        starts = (rows["start"] + one.summary.base_ns).tolist()
        every += list(zip(keys, starts, strict=True))
        for key, start in zip(keys, starts, strict=True):
            met.setdefault(key, []).append(start)
    return [max(met[key]) - start for key, start in every]


@pytest.fixture(scope="module", params=["2025", "rccl"])
def form_and_right(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[RankProfile]]:
    return request.param, made(tmp_path_factory.mktemp("right"), form=request.param)


@pytest.mark.parametrize("rank", [0, 2, 5, 7])
@pytest.mark.parametrize("by_ns", [*BY, NOWHERE, 70_000, -120_000])
def test_a_rank_that_is_off_is_tied_and_named_and_all_else_is_as_it_was(
    form_and_right: tuple[str, list[RankProfile]], rank: int, by_ns: int
) -> None:
    form, right = form_and_right
    was, now = analysed(right), analysed(moved(right, {rank: by_ns}))
    assert was.job.places.off == ()
    assert now.job.places.off == (rank,)
    assert np.abs(now.job.waits.wait - was.job.waits.wait).max() <= 5000
    if form == "2025":
        assert now.job.waits.wait.tolist() == pytest.approx(plain_waits(right), abs=5000)
    assert [one.members for one, *_ in now.stragglers] == [(5,)]
    assert len(now.paths) == len(was.paths) == 3
    for a, b in zip(now.paths, was.paths, strict=True):
        assert a.length == pytest.approx(b.length, abs=5000)
        assert sum(piece.end - piece.start for piece in a.pieces if piece.rank == 5) > 0.7 * a.length
    reply = told(moved(right, {rank: by_ns}))
    (note,) = off(reply)
    assert note in reply.doubts
    where = f"node{rank // 4}"
    assert note.startswith(f"The clock of rank {rank} is ")
    assert f"{'ahead of' if by_ns > 0 else 'behind'} that of {where}; collectives tie it, +-1.0" in note
    if by_ns in BY[1:4]:
        assert f" is {'300' if by_ns > 100 * MS else '3.20'} ms " in note
    assert off(told(right)) == []


@pytest.mark.parametrize("by_ns", [500_000, 1 * MS, -1 * MS, 2_500_000])
def test_what_takes_longer_than_a_clock_is_off_tells_it_too(tmp_path: Path, by_ns: int) -> None:
    """Large buckets: no collective of the job is short."""
    right = made(tmp_path, transfer_ns=1_500_000)
    was, now = analysed(right), analysed(moved(right, {2: by_ns}))
    assert (was.job.places.off, now.job.places.off) == ((), (2,))
    assert now.job.waits.wait.tolist() == pytest.approx(plain_waits(right), abs=5000)


def test_ends_that_scatter_are_no_two_clocks(tmp_path: Path) -> None:
    """The median of the few that take least lies apart by chance."""
    for seed in range(12):
        (folder := tmp_path / str(seed)).mkdir()
        scattered = made(folder, ranks_per_node=8, jitter_ns=300_000, seed=seed, n_steps=2)
        found = analysed(scattered).job
        assert (found.places.off, found.places.may_differ) == ((), ())


def test_of_two_ranks_alone_ends_scatter_as_those_of_many(tmp_path: Path) -> None:
    """The one whom the other is held against does not, and he is half of them."""
    for seed in range(6):
        (folder := tmp_path / str(seed)).mkdir()
        scattered = made(folder, n_ranks=2, ranks_per_node=2, jitter_ns=2 * MS, seed=seed)
        found, reply = analysed(scattered).job.places, told(scattered)
        assert (found.off, found.may_differ, reply.clock_error_ns) == ((), (), None)
        assert not any("clock" in said.lower() for said in reply.sentences + reply.notes + reply.doubts)


@pytest.mark.parametrize("by_ns", [140_000, -200_000, 280_000])
@pytest.mark.parametrize("form", ["2025", "rccl"])
def test_two_machines_of_one_name_are_told_by_the_collectives_that_take_least(tmp_path: Path, form: str, by_ns: int) -> None:
    """The others take longer than four times what the clocks are off by."""
    right = made(tmp_path, ranks_per_node=8, form=form, transfer_ns=1_200_000, norm_ns=60_000)
    was, now = analysed(right), analysed(moved(right, dict.fromkeys(range(4, 8), by_ns)))
    assert (was.job.places.off, was.job.places.may_differ) == ((), ())
    assert (now.job.places.off, now.job.places.may_differ) == ((4, 5, 6, 7), ())
    assert np.abs(now.job.waits.wait - was.job.waits.wait).max() <= 5000
    assert [one.members for one, *_ in now.stragglers] == [(5,)]


@pytest.mark.parametrize("by_ns", [140_000, -200_000, 280_000])
def test_where_all_take_long_it_is_said_how_good_waits_are(tmp_path: Path, by_ns: int) -> None:
    """Nobody can tell two clocks from a ring that ends later on some."""
    right = made(tmp_path, ranks_per_node=8, transfer_ns=1_200_000)
    assert not any("good to" in doubt for doubt in told(right).doubts)
    now = moved(right, dict.fromkeys(range(4, 8), by_ns))
    assert analysed(now).job.places.off == ()
    (said,) = (doubt for doubt in told(now).doubts if "good to" in doubt)
    assert re.search(rf"later on ranks {'4-7' if by_ns > 0 else '0-3'} in (\d+) of \1 collectives, by", said)
    good_to = re.search(r"good to (\d+) us\.", said)
    assert good_to is not None
    assert int(good_to[1]) == pytest.approx(abs(by_ns) / 1000, abs=2)


def test_a_ring_that_ends_later_on_one_by_a_part_of_what_it_takes_is_no_clock(tmp_path: Path) -> None:
    right = made(tmp_path, ranks_per_node=8, transfer_ns=1_200_000, norm_ns=60_000)
    ring = []
    for one in right:
        rows = unpacked(one.summary.collectives)
        is_long = rows["end"] - rows["start"] > 600_000
        rows["end"] = rows["end"] + np.where(is_long & ((one.summary.rank or 0) == 3), 200_000, 0)
        ring.append(changed(one, collectives=packed(rows)))
    found = analysed(ring).job.places
    assert (found.off, found.may_differ) == ((), ())


def test_two_of_a_host_and_one_of_another_are_each_named(tmp_path: Path) -> None:
    right = made(tmp_path)
    wrong = moved(right, {1: 3_200_000, 3: -50 * MS, 6: NOWHERE})
    was, now = analysed(right), analysed(wrong)
    assert now.job.places.off == (1, 3, 6)
    assert np.abs(now.job.waits.wait - was.job.waits.wait).max() <= 5000
    assert [note[:20] for note in off(told(wrong))] == [f"The clock of rank {rank} " for rank in (1, 3, 6)]


def test_two_that_are_off_alike_are_on_one_clock(tmp_path: Path) -> None:
    now = told(moved(made(tmp_path, ranks_per_node=8), {2: 7 * MS, 3: 7 * MS}))
    (note,) = off(now)
    assert note.startswith("The clock of ranks 2-3 is 7.00 ms ahead of that of node0")


def test_of_two_of_whom_one_is_off_nobody_says_which(tmp_path: Path) -> None:
    (note,) = off(told(moved(made(tmp_path, n_ranks=4, ranks_per_node=2, slow={}), {0: 3 * MS})))
    assert note.startswith("The clocks of rank 0 and rank 1 of node0 lie 3.00 ms apart, the one of rank 0 ahead; which is right")


def test_where_only_other_hosts_tell_who_of_a_pair_is_off_that_one_is_named(tmp_path: Path) -> None:
    """On a host only pairs met; between hosts each rank met its like."""
    right = []
    for one in made(tmp_path, slow={}):
        rank, groups, rows = one.summary.rank or 0, list(one.summary.groups), unpacked(one.summary.collectives)
        is_all = [len(group.ranks or ()) == 8 for group in groups]
        place = is_all.index(True)
        # What all did together is now two by two: 0 with 4, 1 with 5 ...
        pair = (rank % 4, rank % 4 + 4)
        groups[place] = msgspec.structs.replace(groups[place], name=f"across {rank % 4}", size=2, ranks=pair)
        right.append(changed(one, groups=groups, collectives=packed(rows)))
    assert off(told(right)) == []
    for rank in (2, 3):
        (note,) = off(told(moved(right, {rank: 3 * MS})))
        assert note.startswith(f"The clock of rank {rank} is 3.00 ms ahead of that of node0")


def test_hosts_whose_clocks_differ_are_no_ranks_that_are_off(tmp_path: Path) -> None:
    right = made(tmp_path, offset_ns={1: 37 * MS}, drift_ppm={1: 30.0})
    assert analysed(right).job.places.off == ()
    (note,) = off(told(moved(right, {6: 5 * MS})))
    assert note.startswith("The clock of rank 6 is 5.00 ms ahead of that of node1")


def test_a_rank_whose_first_is_gone_has_no_other_clock(tmp_path: Path) -> None:
    """Without torch's numbers, at even times: matched with the next each would end together, too."""
    right = made(tmp_path, form="rccl", slow={}, n_layers=1, n_steps=8)
    wrong = []
    for one in right:
        rows = unpacked(one.summary.collectives)
        if one.summary.rank == 2:
            keep = np.arange(len(rows["row"])) != 0
            rows = {name: column[keep] for name, column in rows.items()}
            order = {name: column[:0] for name, column in unpacked(one.summary.order).items()}
            needs = {name: column[:0] for name, column in unpacked(one.summary.needs).items()}
            one = changed(one, collectives=packed(rows), order=packed(order), needs=packed(needs))
        wrong.append(one)
    reply = told(wrong)
    assert analysed(wrong).job.places.off == ()
    assert off(reply) == []
    assert set(analysed(wrong).job.begun_late) == {2}
    assert not any("do not match between ranks" in note for note in reply.notes)


def test_what_cannot_be_tied_is_named_and_no_path_is_told_from_it(tmp_path: Path) -> None:
    """Ends lie 30 ms apart by chance, and the rank is off by seconds."""
    right = made(tmp_path, jitter_ns=30 * MS, slow={}, n_steps=20)
    reply = told(moved(right, {2: 20_000 * MS}))
    assert "The clock of rank 2 is off that of node0, and cannot be tied to it: no wait is given across them." in reply.notes
    assert any(note.startswith("Clocks: collectives end ") for note in reply.notes)
    assert reply.path == []
    edited = what_if(members(moved(right, {2: 20_000 * MS})), RanksWhatIfParams(what_if="transfer=0"))
    assert edited.reason == "What a step would be cannot be told: the clocks of the ranks are not tied."
    assert all(one.step_without_ns is None for one in reply.blamed)


def test_of_one_host_no_clocks_of_hosts_are_accused(tmp_path: Path) -> None:
    wrong = moved(made(tmp_path, ranks_per_node=8, jitter_ns=30 * MS, slow={}, n_steps=20), {2: 20_000 * MS})
    reply = told(wrong)
    (why,) = (note for note in reply.notes if note.startswith("Clocks: "))
    assert re.search(r"apart between clocks of ranks: they cannot be tied\. No wait is given across clocks\.", why)
    assert "hosts" not in why + "".join(on_one_clock(members(wrong), RanksParams()).notes)
    assert " · clocks not tied" in text(reply)


def test_merged_profiles_stand_on_one_clock_and_it_is_said(tmp_path: Path) -> None:
    right = made(tmp_path)
    was, now = (on_one_clock(members(each), RanksParams()) for each in (right, moved(right, {2: -90_000 * MS})))
    for one, other, profile in zip(was.ranks, now.ranks, right, strict=True):
        assert one.at(profile.summary.start_ns) == pytest.approx(other.at(profile.summary.start_ns), abs=5000)
    assert was.notes == []
    assert now.notes[0].startswith("The clock of rank 2 is 90.0 s behind that of node0")


@pytest.mark.parametrize("name", ["dlrm8_v100_2023", "syn8_tp2_pp2_dp2_slow", "syn8_tp2_dp4_host_rccl", "syn8_fsdp8_gc_2023"])
@pytest.mark.parametrize("by_ns", [3_200_000, None])
def test_of_a_recorded_job_the_rank_is_named_and_the_same_is_blamed(tmp_path: Path, name: str, by_ns: int | None) -> None:
    """In its file: its base is another, or is not there."""
    paths = [Path(shutil.copy(path, tmp_path)) for path in sorted(real_job(name).glob("*.trace.json.gz"))]
    whole = told(recorded(paths))
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        if trace["distributedInfo"]["rank"] == 2 and (by_ns is None or "baseTimeNanoseconds" not in trace):
            trace.pop("baseTimeNanoseconds", None)
            for event in trace["traceEvents"]:
                if "ts" in event:
                    event["ts"] += (by_ns or 600_000 * MS) // 1000
        elif trace["distributedInfo"]["rank"] == 2:
            trace["baseTimeNanoseconds"] += by_ns
        path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    part = told(recorded(paths))
    assert off(whole) == []
    (note,) = off(part)
    assert note.startswith("The clock of rank 2 is ")
    assert [one.name for one in part.blamed] == [one.name for one in whole.blamed]
    assert part.n_matched == whole.n_matched
    for a, b in zip(part.ranks, whole.ranks, strict=True):
        assert a.wait_ns == pytest.approx(b.wait_ns, abs=0.01 * (b.step_ns or 0))
    assert [round(row.path_share, 2) for row in part.path[:2]] == [round(row.path_share, 2) for row in whole.path[:2]]


@pytest.mark.parametrize(
    "name",
    [
        "ar16_of_64_kineto",
        "rec_ddp_slow5",
        "rec_pp4_dp2",
        "rec_fsdp2_2nodes",
        "rec_tp4_dp2",
        "syn8_ep4_dp8_input",
        "syn8_pp4_dp2_stage",
    ],
)
def test_of_a_whole_job_no_clock_is_off(name: str) -> None:
    assert analysed(recorded(sorted(real_job(name).glob("*.trace.json.gz")))).job.places.off == ()


def without_metadata(path: Path) -> None:
    """As of 2021: nothing of collectives, hosts and groups, whole us since 1970 with the clock of the host; and one stream."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    base = trace.pop("baseTimeNanoseconds") // 1000
    trace["distributedInfo"] = {key: trace["distributedInfo"][key] for key in ("backend", "rank", "world_size")}
    trace.pop("host_name")
    for event in trace["traceEvents"]:
        args = event.get("args", {})
        event.update({key: int(event[key] + of) for key, of in (("ts", base), ("dur", 0)) if key in event})
        if "Collective name" in args or "nccl" in event["name"].lower() or event["name"] == "record_param_comms":
            kept = ("device", "stream", "correlation", "External id", "context", "grid", "block")
            event["args"] = {key: args[key] for key in kept if key in args}
            if "stream" in args:
                event["tid"] = event["args"]["stream"] = 20
    path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))


def test_where_nothing_can_be_matched_no_clock_is_accused(tmp_path: Path) -> None:
    """Pairs and replicas on one stream, without a name: by their place they are matched wrongly, and alike each step."""
    paths = [Path(shutil.copy(path, tmp_path)) for path in sorted(real_job("syn8_tp2_dp4_host_rccl").glob("*.trace.json.gz"))]
    for path in paths:
        without_metadata(path)
    reply = told(recorded(paths))
    assert reply.n_matched == 0
    assert any("the process group is not recorded" in note for note in reply.notes)
    assert [note for note in reply.notes if "clock" in note.lower()] == []


@pytest.mark.parametrize("rank", [0, 3, 7])
@pytest.mark.parametrize("by_ns", [50 * MS, -200 * MS, 20_000 * MS])
def test_of_gloo_the_rank_that_is_off_is_named_and_the_same_is_blamed(rank: int, by_ns: int) -> None:
    """Members end an all-reduce up to 20 ms apart, and nothing has torch's numbers."""
    right = recorded(sorted(real_job("rec_ddp_slow5").glob("*.trace.json.gz")))
    was, now = told(right), told(moved(right, {rank: by_ns}))
    (note,) = off(now)
    assert note.startswith(f"The clock of rank {rank} is ")
    assert f" {'ahead of' if by_ns > 0 else 'behind'} that of " in note
    clocks = analysed(moved(right, {rank: by_ns})).job.clocks
    assert abs(float(clocks.offset_ns[1] - clocks.offset_ns[0]) - by_ns) < 5 * MS
    assert now.n_matched == was.n_matched == 8
    assert [one.name for one in now.blamed] == [one.name for one in was.blamed] == ["rank 5"]
    for a, b in zip(now.ranks, was.ranks, strict=True):
        assert a.wait_ns == pytest.approx(b.wait_ns, abs=0.05 * (b.step_ns or 0))


def test_of_gloo_a_rank_whose_first_is_gone_is_not_said_to_have_another_clock() -> None:
    right = recorded(sorted(real_job("rec_ddp_slow5").glob("*.trace.json.gz")))
    rows = {name: column[2:] for name, column in unpacked(right[3].summary.collectives).items()}
    none = {
        name: packed({each: column[:0] for each, column in unpacked(getattr(right[3].summary, name)).items()})
        for name in ("order", "needs")
    }
    more: dict[str, Any] = {"collectives": packed(rows), **none}
    wrong = [*right[:3], changed(right[3], **more), *right[4:]]
    reply = told(wrong)
    assert off(reply) == []
    assert set(analysed(wrong).job.begun_late) == {3}
    assert not any("do not match between ranks" in note for note in reply.notes)
