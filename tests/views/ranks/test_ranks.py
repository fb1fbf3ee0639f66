"""The view Ranks: what its join says of the ranks' answers."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.answers.here import ask
from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.views.ranks.basis.names import ranges
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.job_tables import job_tables
from tb_plugin.views.ranks.lanes.lanes import LanesParams, lanes
from tb_plugin.views.ranks.map.matrix import MatrixParams, matrix
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import table, text
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member, real_job
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def asked(folder: Path, **params: Any) -> RanksTable:
    return join([member(path) for path in sorted(folder.glob("*.trace.json.gz"))], RanksParams(**params))


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    folder = tmp_path / "job"
    folder.mkdir()
    Job(n_ranks=8, ranks_per_node=4, slow={5: 1.25}, offset_ns={1: 5_000_000}).write(folder)
    return folder


def test_the_first_screen_says_how_long_and_who_and_why(slow: Path) -> None:
    reply = asked(slow)
    assert (reply.n_ranks, reply.world_size, reply.missing_ranks) == (8, 8, None)
    assert not any("Missing ranks" in sentence for sentence in reply.sentences)
    assert reply.n_complete == reply.n_matched == 3 * (6 * 4 + 1)
    assert [one.name for one in reply.blamed] == ["rank 5"]
    said = text(reply)
    assert "Rank 5 (node1) computes 25 % longer at the same kernels in all 3 steps" in said
    assert "A step takes " in said
    assert reply.parts is not None
    assert reply.parts.wait_ns is not None
    parts = reply.parts
    assert parts.computation_ns + parts.communication_ns + parts.copy_ns + parts.idle_ns == parts.step_ns


def test_what_a_rank_costs_others_is_at_least_what_it_costs_the_next(slow: Path) -> None:
    """A step: never more than the others wait in all, and most for the rank that is slow."""
    rows = asked(slow).ranks
    least, most = [row.caused_least_ns or 0 for row in rows], [row.caused_most_ns or 0 for row in rows]
    assert all(0 <= low <= high for low, high in zip(least, most, strict=True))
    assert 0 < sum(least) <= sum(row.wait_ns or 0 for row in rows)
    assert least.index(max(least)) == 5


def test_the_shell_asks_the_same(tmp_path: Path) -> None:
    """Through child processes and the files in which answers are kept."""
    Job(n_ranks=2, slow={1: 1.5}).write(tmp_path)
    run = ask("runs", tmp_path).rows[0].run
    reply = ask("ranks", tmp_path, run=run)
    assert reply.n_complete == 3 * 7
    assert [row.own_ns for row in reply.ranks] == [row.own_ns for row in asked(tmp_path).ranks]


def test_without_a_name_it_is_the_run_that_began_last_and_the_first_line_says_which(slow: Path) -> None:
    first = [member(path) for path in sorted(slow.iterdir())]
    later = []
    for one in first:
        assert one.answer is not None
        answer = msgspec.structs.replace(one.answer, base_ns=one.answer.base_ns + 3600 * 10**9)
        later.append(replace(one, run="later", recorded_ns=0, answer=answer))
    reply = join([*first, *later], RanksParams())
    assert reply.run == "later"
    assert text(reply).startswith("run later \u00b7 8 of 8 ranks")


def test_a_run_that_is_not_there_and_one_that_cannot_be_read_are_errors(tmp_path: Path, slow: Path) -> None:
    with pytest.raises(NotFoundError, match=r"nosuch.*job"):
        ask("ranks", tmp_path, run="nosuch")
    foreign = [replace(member(path), state="failed", reason="written by another tool", answer=None) for path in slow.iterdir()]
    with pytest.raises(FormatError, match="written by another tool"):
        join(foreign, RanksParams())
    waiting = replace(foreign[0], state="loading", reason=None)
    assert join([waiting, *foreign[1:]], RanksParams()).n_ranks == 0


@pytest.mark.parametrize("by", ["rank", "step", "dimension", "collective", "link", "host"])
def test_each_table_is_rows(slow: Path, by: str) -> None:
    reply = asked(slow, by=by)
    rows = table(reply)
    assert len(rows.rows) > 0
    assert {len(row) for row in rows.rows} == {len(rows.columns)}
    assert len(text(reply)) > 500
    assert ("\nsummed over members and instances; " in text(reply)) == (by == "collective")


def test_a_broken_file_and_a_missing_rank_are_named_and_the_rest_stands(slow: Path) -> None:
    first, *others = sorted(slow.glob("rank*"))
    first.write_bytes(gzip.compress(b'{"traceEvents": [{"ph": "X", "na'))
    others[-1].unlink()
    reply = asked(slow)
    assert reply.n_ranks == 6
    assert reply.missing_ranks == "0, 7"
    assert [one.worker for one in reply.others] == ["rank0"]
    (said,) = (one for one in [*reply.sentences, *reply.notes] if "rank0" in one or "issing" in one)
    assert said == reply.sentences[1]
    why, waits = said.removeprefix("Missing ranks: 0, 7 (rank0: ").split("). In collectives with them, what follows the last ")
    assert why == reply.others[0].reason
    assert waits.endswith("; where one of them came last, waits are lower bounds.")
    assert [one.name for one in reply.blamed] == ["rank 5"]


def test_a_rank_alone_waits_for_nobody_and_says_so(tmp_path: Path) -> None:
    Job(n_ranks=4).write(tmp_path)
    for path in sorted(tmp_path.glob("rank*"))[1:]:
        path.unlink()
    reply = asked(tmp_path)
    assert reply.n_ranks == 1
    assert reply.parts is not None
    assert reply.parts.wait_ns is None
    assert reply.sentences[1] == "Missing ranks: 1-3."
    assert "cannot be told" in reply.sentences[2]


def test_profiles_that_stay_apart_are_counted_all(slow: Path) -> None:
    first = [member(path) for path in sorted(slow.iterdir())]
    again = [replace(one, worker=f"b_{one.worker}", label=f"b_{one.label}") for one in first]
    reply = join([*first, *again], RanksParams())
    assert len(reply.others) == 8
    begins = reply.others[0].worker[:-1]
    why = f"another job, or another recording of the same rank; shown with worker {begins}0"
    assert f"Apart: 8 profiles ({begins}0-7): {why}." in reply.notes
    reply = join([*first[:5], *first[6:], *again], RanksParams(worker=first[0].worker))
    assert reply.sentences[1].startswith("Missing ranks: 5. In ")
    assert any(note.startswith("Apart: 8 profiles (b_rank0-7): another job") for note in reply.notes)


def test_a_profile_of_a_job_of_another_size_and_one_rank_once_more_are_told_apart(slow: Path) -> None:
    members = [member(path) for path in sorted(slow.iterdir())]
    again = replace(members[1], worker="z_rank1", label="z_rank1")
    answer = members[5].answer
    assert answer is not None
    members[5] = replace(members[5], answer=msgspec.structs.replace(answer, world_size=32))
    reply = join([*members, again], RanksParams())
    why = {one.worker: one.reason for one in reply.others}
    assert f"Missing ranks: 5 ({why[members[5].worker]}). In " in reply.sentences[1]
    assert not any("of a job of 32" in note for note in reply.notes)
    assert f"Apart: {again.label}: {why['z_rank1']}." in reply.notes
    assert why[members[5].worker] == f"of a job of 32 ranks, this one has 8; shown with worker {members[5].worker}"
    assert why["z_rank1"] == "rank 1 is there twice: rank1 is used, and z_rank1 is not; shown with worker z_rank1"


def test_a_rank_that_is_not_read_yet_is_not_said_to_be_missing(slow: Path) -> None:
    members = [member(path) for path in sorted(slow.iterdir())]
    answer = members[2].answer
    assert answer is not None
    coming = replace(members[2], answer=None, state="loading")
    reply = join([*members[:2], coming, *members[3:]], RanksParams())
    assert reply.missing_ranks is None
    assert not any("issing" in sentence for sentence in [*reply.sentences, *reply.notes])
    assert "1 profile has not answered yet." in reply.notes
    reply = join([*members[:2], coming, *members[4:]], RanksParams())
    assert reply.missing_ranks == "3"
    assert any(sentence.startswith("Missing ranks: 3. In collectives with it, ") for sentence in reply.sentences)
    unnamed = replace(coming, worker="who", label="who")
    reply = join([*members[:2], unnamed, *members[4:]], RanksParams())
    assert reply.missing_ranks == "1 of ranks 2-3"
    assert any(sentence.startswith("Missing: 1 of ranks 2-3; the rest is not read yet.") for sentence in reply.sentences)
    assert join([*members[:2], *members[3:]], RanksParams()).missing_ranks == "2"


def test_while_ranks_are_read_nobody_is_said_to_be_slow_of_those_read_so_far(tmp_path: Path) -> None:
    members = [member(path) for path in Job(n_ranks=4).write(tmp_path)]
    said = [join([*members[:3], replace(members[3], answer=None, state=state)], RanksParams()) for state in ("loading", "failed")]
    for reply, whose in zip(said, ("read so far", "that is here"), strict=True):
        assert any(f"No rank, stage, replica or host {whose} needs longer" in sentence for sentence in reply.sentences)


def test_each_of_two_jobs_in_a_folder_can_be_asked_about(tmp_path: Path) -> None:
    """By any of its profiles, without one that of the first; of either the figures are what they are alone."""
    alone = {}
    for name, job in (("a", Job(slow={1: 1.5})), ("b", Job(n_ranks=2, slow={0: 1.5}))):
        (tmp_path / name).mkdir()
        job.write(tmp_path / name)
        alone[name] = [replace(one, worker=f"{name}_{one.worker}") for one in map(member, sorted((tmp_path / name).iterdir()))]
    both = [*alone["b"], *alone["a"]]
    for worker, name, blames in ((None, "b", "rank 0"), ("a_rank3", "a", "rank 1"), ("b_rank1", "b", "rank 0")):
        reply = join(both, RanksParams(worker=worker))
        other = "b" if name == "a" else "a"
        assert [row.worker[0] for row in reply.ranks] == [name] * len(alone[name])
        assert reply.ranks == join(alone[name], RanksParams()).ranks
        assert [one.name for one in reply.blamed] == [blames]
        assert [one.worker for one in reply.others] == [one.worker for one in alone[other]]
        assert any(f"with worker {other}_rank0" in note for note in reply.notes)
        assert any("Shown is that of its first profile, b_rank0" in note for note in reply.notes) == (worker is None)
        titles = [("a_rank0 to a_rank3, 4 profiles", name == "a"), ("b_rank0 to b_rank1, 2 profiles", name == "b")]
        assert [(one.title, one.is_shown) for one in reply.jobs] == titles
        assert [join(both, RanksParams(worker=one.worker)).ranks[0].worker for one in reply.jobs] == ["a_rank0", "b_rank0"]
        assert one_rank(both, OneRankParams(rank=1, worker=worker)).worker == f"{name}_rank1"
        assert {lane.worker[0] for lane in lanes(both, LanesParams(worker=worker)).lanes} == {name}
        assert len(matrix(both, MatrixParams(worker=worker)).rows) == len(alone[name])
        table = job_tables(both, RanksParams(worker=worker))
        assert table.rank(1).worker == f"{name}_rank1"
    with pytest.raises(NotFoundError, match="no worker 'c'; it has b_rank0"):
        join(both, RanksParams(worker="c"))


def test_a_file_that_is_cut_off_is_named_first_and_is_no_cpu_job(slow: Path) -> None:
    members = [member(path) for path in sorted(slow.iterdir())]
    answer = members[3].answer
    assert answer is not None
    members[3] = replace(members[3], answer=msgspec.structs.replace(answer, is_cut_off=True, is_on_host=True))
    reply = join(members, RanksParams())
    assert reply.notes[0].startswith("The file of rank 3 is cut off")
    assert "1 cut off" in text(reply).splitlines()[0]
    assert not any("CPU job" in note for note in reply.notes)


@pytest.mark.parametrize("share", [0.55, 0.6, 0.75, 0.9])
def test_what_the_end_of_a_file_cut_off_is_not_held_against_its_rank(tmp_path: Path, share: float) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4).write(tmp_path)
    _cut_off(paths[3], share)
    reply = join([member(path) for path in paths], RanksParams())
    assert reply.notes[0].startswith("The file of rank 3 is cut off")
    assert reply.blamed == []
    assert reply.steps[-1].own_ns[3] is None


@pytest.mark.parametrize("share", [0.8, 0.9])
def test_a_step_without_who_is_late_is_told_of_the_steps_that_all_ranks_recorded_whole(tmp_path: Path, share: float) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, slow={5: 1.5}).write(tmp_path)
    whole = join([member(path) for path in paths], RanksParams()).blamed[0]
    _cut_off(paths[3], share)
    reply = join([member(path) for path in paths], RanksParams())
    cut = reply.blamed[0]
    assert whole.step_without_ns is not None
    assert whole.step_was_ns is not None
    assert cut.step_without_ns == pytest.approx(whole.step_without_ns, rel=0.01)
    assert cut.step_was_ns == pytest.approx(whole.step_was_ns, rel=0.01)
    lacks = [one.number for one in reply.steps if one.own_ns[3] is None]
    told = [one.number for one in reply.steps if one.own_ns[3] is not None]
    assert lacks
    assert told
    assert f"{ranges(lacks)} {'are' if len(lacks) > 1 else 'is'} not whole in it, and who" in reply.notes[0]
    assert reply.notes[0].endswith(f"What a step would be is told of step{'s' if len(told) > 1 else ''} {ranges(told)} alone.")


def test_whose_file_is_cut_off_is_looked_at_before_who_may_have_waited_for_it(tmp_path: Path) -> None:
    paths = Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    _cut_off(paths[1], 0.6)
    reply = join([member(path) for path in paths], RanksParams())
    assert " is nearly all in collectives with rank 1, whose file is not whole: rank 0 is in these " in reply.sentences[1]
    assert reply.sentences[1].endswith(" Look at rank 1 first.")
    assert "and who is late then may have waited for that rank" in reply.notes[0]


def test_where_a_step_is_whole_of_one_rank_alone_a_replay_tells_nothing(tmp_path: Path) -> None:
    """And of several, what it tells of these."""
    paths = Job(n_ranks=8, ranks_per_node=4, slow={5: 1.5}).write(tmp_path)
    _cut_off(paths[3], 0.7)
    (one,) = join([member(path) for path in paths], RanksParams()).blamed
    assert (one.ranks, one.step_without_ns is not None) == ([5], True)
    for rank in (0, 1, 2, 4, 6, 7):
        _cut_off(paths[rank], 0.7)
    reason = what_if([member(path) for path in paths], RanksWhatIfParams(what_if="rank=5")).reason
    assert (reason or "").startswith("What a step would be cannot be told: ")


def _cut_off(path: Path, share: float) -> None:
    """In the order of torch's writer: the host's events, then the device's by time. Its host is whole, its device is not."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    trace["traceEvents"].sort(key=lambda event: (event["cat"] == "kernel", event["ts"]))
    plain = json.dumps(trace)
    path.write_bytes(gzip.compress(plain[: int(share * len(plain))].encode()))


def test_a_file_that_is_damaged_in_the_middle_is_named(tmp_path: Path) -> None:
    paths = Job().write(tmp_path)
    plain = gzip.decompress(paths[1].read_bytes())
    at = plain.index(b'"cat"', len(plain) // 2)
    paths[1].write_bytes(gzip.compress(plain[:at] + b"x;" + plain[at:]))
    reply = join([member(path) for path in paths], RanksParams())
    (said,) = (one for one in [*reply.sentences, *reply.notes] if "rank 1" in one)
    assert said == reply.sentences[1]
    why, rest = said.removeprefix("Work is missing in the file of rank 1 (").split("). ")
    assert why.startswith("every figure is of the part that could be read (")
    assert " events): 1 event or more, " in why
    assert "that are not JSON, are left out, at byte " in why
    assert rest == "Who is late, why, and the critical path may be others than said here."


def test_in_steps_that_a_cut_off_partner_lacks_wait_and_transfer_are_not_told_apart(tmp_path: Path) -> None:
    """Of rank 3 the kernels of the last step are missing: nobody's transfer is what the others waited for it."""
    Job(lost={(3, place) for place in range(14, 21)}).write(tmp_path)
    members = [member(path) for path in sorted(tmp_path.iterdir())]
    answer = members[3].answer
    assert answer is not None
    members[3] = replace(members[3], answer=msgspec.structs.replace(answer, is_cut_off=True))
    reply = matrix(members, MatrixParams(measure="untold"))
    assert [[value == 0 for value in row] for row in reply.values[:2]] == [[True, True, False]] * 2
    parts = join(members, RanksParams()).parts
    assert parts is not None
    assert parts.untold_ns > 0
    assert parts.computation_ns + parts.communication_ns + parts.copy_ns + parts.idle_ns == parts.step_ns
    assert (parts.wait_ns or 0) + (parts.transfer_ns or 0) + parts.untold_ns == parts.communication_ns


def test_the_grammar_is_of_two(tmp_path: Path) -> None:
    Job(n_ranks=2, n_steps=2, slow={1: 1.5}).write(tmp_path)
    assert "in both steps" in asked(tmp_path).sentences[1]


@pytest.mark.parametrize(
    ("name", "blamed", "cause"),
    [
        ("syn8_tp2_pp2_dp2_slow", ["rank 5"], "slow_kernels"),
        ("syn8_fsdp8_gc_2023", ["rank 3"], "pause"),
        ("syn8_tp2_dp4_host_rccl", ["rank 1"], "launches"),
        ("syn8_tp2_pp2_dp2_dropped", ["rank 4"], "input"),
        ("syn8_pp4_dp2_stage", ["stage 3"], "slow_kernels"),
        ("rec_ddp_slow5", ["rank 5"], "pause"),
        ("rec_fsdp2_2nodes", ["rank 3"], "pause"),
    ],
)
def test_who_is_late_in_recorded_jobs(name: str, blamed: list[str], cause: str) -> None:
    reply = asked(real_job(name))
    assert [one.name for one in reply.blamed] == blamed
    assert reply.blamed[0].cause == cause


def test_a_job_whose_groups_are_not_recorded_is_not_matched() -> None:
    reply = asked(real_job("rec_tp4_dp2"))
    assert reply.n_matched == 0
    assert reply.blamed == []
    assert any(note.startswith("Wait: not recorded") for note in reply.notes)


def test_a_slow_link_is_named_by_its_host() -> None:
    reply = asked(real_job("syn64_tp4_pp4_dp4_link"))
    assert reply.blamed == []
    assert reply.slow_link is not None
    assert "host node0003 are 4.0 x slower" in reply.slow_link


def test_a_table_that_this_job_does_not_have_says_why(slow: Path) -> None:
    assert "stage: none: no collective here is of a pipeline, or no rank has steps" in text(asked(slow, by="stage"))
    assert "path: not known" not in text(asked(slow, by="path"))
    assert "path: not known" in text(msgspec.structs.replace(asked(slow, by="path"), path=[]))


def test_a_recording_under_two_ranks_is_named_and_the_others_stay(tmp_path: Path) -> None:
    """Rank 4's file as that of rank 5, which is missing; no intact rank is thrown out for it."""
    paths = sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("*.trace.json.gz"))
    members = [member(path) for path in paths]
    fourth = members[4].answer
    assert fourth is not None
    members[5] = replace(members[5], answer=msgspec.structs.replace(fourth, rank=5))
    reply = join(members, RanksParams())
    assert [row.rank for row in reply.ranks] == [0, 1, 2, 3, 4, 6, 7]
    assert reply.missing_ranks == "5"
    (other,) = reply.others
    assert (other.worker, (other.reason or "").split("; shown")[0]) == (
        members[5].worker,
        "the recording of rank 4 once more, under another number: its kernels are the same, and so are its process groups",
    )


def test_of_many_reasons_for_which_ranks_are_missing_each_is_a_note(slow: Path) -> None:
    members = [member(path) for path in sorted(slow.glob("rank*"))]
    for place in (1, 2, 3):
        members[place] = replace(members[place], state="failed", reason=f"broken {place}", answer=None)
    reply = join(members, RanksParams())
    told = "Missing ranks: 1-3 (their files are here and cannot be used: the notes say why). In "
    assert reply.sentences[1].startswith(told)
    assert [note for note in reply.notes if "broken" in note] == [f"rank{place}: broken {place}." for place in (1, 2, 3)]
    members[3] = replace(members[3], reason="broken 2")
    said = join(members, RanksParams()).sentences[1]
    assert said.startswith("Missing ranks: 1-3 (rank1: broken 1; 2 profiles (rank2-3): broken 2). In ")
