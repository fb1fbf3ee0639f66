"""All ranks in one file for Perfetto: on one clock, with arrows between members of a collective, and nothing mixed up."""

from __future__ import annotations

import gzip
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.answers.load_ranks import load_ranks
from tb_plugin.answers.merge import merge
from tb_plugin.base.errors import FormatError, UsageError
from tb_plugin.formats import reader
from tb_plugin.formats.perfetto import messages
from tb_plugin.job.clocks.came_last import TIED_NS
from tb_plugin.runs import summaries
from tb_plugin.views.ranks.result import RanksParams
from tests.job_files import Job
from tests.runs.small import scan

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("perfetto", reason="the extra `perfetto` is not installed")

_OFFSET_NS = 5_000_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))


class Read:
    """A file's packets: slices as (rank's title, name, begin, end), arrows by number, and what is told of slices."""

    def __init__(self, path: Path) -> None:
        self.slices: list[tuple[str, str, int, int]] = []
        self.out_of: dict[int, list[tuple[str, int]]] = defaultdict(list)
        self.into: dict[int, list[tuple[str, int]]] = defaultdict(list)
        self.told: dict[tuple[str, int], dict[str, Any]] = {}
        tracks: dict[int, Any] = {}
        arguments: dict[tuple[int, int], str] = {}
        names: dict[tuple[int, int], str] = {}
        open_: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for packet in messages.messages().Trace.FromString(path.read_bytes()).packet:
            sequence, event = packet.trusted_packet_sequence_id, packet.track_event
            for name in packet.interned_data.event_names:
                names[sequence, name.iid] = name.name
            for name in packet.interned_data.debug_annotation_names:
                arguments[sequence, name.iid] = name.name
            if packet.HasField("track_descriptor"):
                assert packet.track_descriptor.uuid not in tracks, "two tracks of one number"
                tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            elif packet.HasField("track_event"):
                root = tracks[event.track_uuid]
                while root.parent_uuid:
                    assert not root.HasField("thread")  # two ranks may have the same process
                    root = tracks[root.parent_uuid]
                for number in event.flow_ids:
                    self.out_of[number].append((root.name, packet.timestamp))
                for number in event.terminating_flow_ids:
                    self.into[number].append((root.name, packet.timestamp))
                numbers = {
                    arguments[sequence, one.name_iid]: one.string_value or one.int_value for one in event.debug_annotations
                }
                if "wait_ns" in numbers:
                    self.told[root.name, packet.timestamp] = numbers
                if event.type == messages.BEGIN:
                    open_[event.track_uuid].append((names[sequence, event.name_iid], packet.timestamp))
                elif event.type == messages.END:
                    name, begun = open_[event.track_uuid].pop()
                    assert begun <= packet.timestamp
                    self.slices.append((root.name, name, begun, packet.timestamp))
        assert not any(open_.values())


def merged(job: Job, tmp_path: Path, only: str | None = None) -> Read:
    (tmp_path / "logs").mkdir()
    job.write(tmp_path / "logs")
    for span in scan(tmp_path / "logs").spans():  # so that no child is started for it
        assert summaries.make(span.files) is None
    merge(str(tmp_path / "logs"), str(tmp_path / "job.pftrace"), RanksParams(), only)
    return Read(tmp_path / "job.pftrace")


def test_members_of_a_collective_end_together_whatever_their_hosts_clocks_say(tmp_path: Path) -> None:
    job = Job(n_ranks=4, offset_ns={1: _OFFSET_NS})
    found = merged(job, tmp_path)
    titles = sorted({title for title, _, _, _ in found.slices})
    assert titles == [f"rank {rank} · node{rank // 2}" for rank in range(4)]
    ends = {title: [end for of, name, _, end in found.slices if of == title and name.startswith("nccl")] for title in titles}
    of_all = [max(ends[title]) for title in titles]  # the last of the job is one of all ranks
    assert max(of_all) - min(of_all) < 10_000
    assert len({len(each) for each in ends.values()}) == 1


def test_times_are_those_that_ranks_tells_to_the_nanosecond(tmp_path: Path) -> None:
    """Unix times, which a float holds to 256 ns."""
    read = merged(Job(n_ranks=4, ranks_per_node=2, offset_ns={1: 5_000_123}), tmp_path)
    told = load_ranks(tmp_path / "logs").instances
    assert len(told) > 20
    begun, ended = ({one[place] for one in read.slices} for place in (2, 3))
    assert begun.issuperset([*told["first_arrival_ns"].tolist(), *told["last_arrival_ns"].tolist()])
    assert ended.issuperset([*told["first_end_ns"].tolist(), *told["last_end_ns"].tolist()])


def test_arrows_lead_from_who_came_last_to_each_other_member(tmp_path: Path) -> None:
    """Of ranks that came together from each; where all came together nobody waited."""
    job = Job(n_ranks=4, slow={1: 1.5})
    found = merged(job, tmp_path)
    across = {number for number in found.out_of if found.out_of[number][0][0] != found.into[number][0][0]}
    n_last = [(len(met.group), sum(met.arrived[met.last] - at <= TIED_NS for at in met.arrived.values())) for met in job.met]
    assert len(across) == sum(last * (n - last) for n, last in n_last)
    assert {last for _, last in n_last} == {1, 2}
    assert all(len(found.out_of[number]) == len(found.into[number]) == 1 for number in found.out_of)
    assert found.out_of.keys() == found.into.keys()
    came_last = {found.out_of[number][0][0] for number in across if "rank 0" in found.into[number][0][0]}
    assert came_last == {"rank 1 · node0"}  # and rank 2 waits for both


def test_a_kernel_says_how_long_it_waited_and_for_whom(tmp_path: Path) -> None:
    """As is shown of it here: wait and transfer add up to it, and whom an arrow comes from is who came last."""
    found = merged(Job(n_ranks=4, slow={1: 1.5}), tmp_path)
    nccl = {(title, begun): end - begun for title, name, begun, end in found.slices if name.startswith("ncclDev")}
    assert found.told.keys() == nccl.keys()
    for key, told in found.told.items():
        assert told["wait_ns"] + told["transfer_ns"] == pytest.approx(nccl[key], abs=5)
    across = [(found.out_of[number][0], found.into[number][0]) for number in found.out_of]
    for last, other in across:
        if last[0] != other[0]:
            told = found.told[other]
            numbers = told["last_ranks"].split("-") if "last_ranks" in told else [told["last_rank"]]
            assert any(f"rank {number} " in last[0] for number in numbers)
            assert found.told[last]["wait_ns"] <= found.told[other]["wait_ns"]


def test_what_is_for_perfetto_is_not_taken_for_a_profile_of_one_rank(tmp_path: Path) -> None:
    """Launches and steps of all ranks have the same numbers, and devices of two hosts too."""
    merged(Job(n_ranks=4), tmp_path)
    with pytest.raises(
        FormatError, match=r"4 ranks of a job in one file, for Perfetto \(rank 0 . node0 to rank 3 . node1\); open"
    ):
        reader.read(tmp_path / "job.pftrace")
    merge(str(tmp_path / "logs"), str(tmp_path / "one.pftrace"), RanksParams(), "2")
    assert len(reader.read(tmp_path / "one.pftrace").events) > 10


def test_some_of_the_ranks(tmp_path: Path) -> None:
    found = merged(Job(n_ranks=4), tmp_path, "0,2-3")
    assert {title.split(" ·")[0] for title, _, _, _ in found.slices} == {"rank 0", "rank 2", "rank 3"}
    assert found.out_of.keys() == found.into.keys()
    with pytest.raises(UsageError, match="there is 0 to 3"):
        merge(str(tmp_path / "logs"), str(tmp_path / "none.pftrace"), RanksParams(), "9")
    assert not (tmp_path / "none.pftrace").exists()
    said = list[str]()
    merge(str(tmp_path / "logs"), str(tmp_path / "more.pftrace"), RanksParams(), "2-70", say=said.append)
    assert said[0] == "--ranks 2-70: 67 of these are not here; there is 0 to 3"


def test_profiles_that_are_not_in_it_and_files_that_end_early_are_named(tmp_path: Path) -> None:
    first, *_, last = Job(n_ranks=4).write(tmp_path)
    first.write_bytes(b"<html>")
    plain = gzip.decompress(last.read_bytes())
    last.write_bytes(gzip.compress(plain[: int(0.8 * len(plain))]))
    said: list[str] = []
    assert merge(str(tmp_path), str(tmp_path / "job.pftrace"), RanksParams(), None, say=said.append) == 3
    assert "rank 3: the file is cut off: what comes later is not in it" in said
    assert [one for one in said if one.startswith("not in it: rank 0: rank0.")]
