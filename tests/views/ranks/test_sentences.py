"""What the first screen of Ranks says of a job."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import Lead, RanksParams
from tb_plugin.views.ranks.rows.path_rows import who_may_have_come_last
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.told.evidence import begins_later
from tb_plugin.views.ranks.told.slow_links import slow_link
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import changed, member, members, real_job, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def table_of(folder: Path) -> RanksTable:
    return join([member(path) for path in sorted(folder.glob("*.trace.json.gz"))], RanksParams())


def said_of(folder: Path) -> list[str]:
    return table_of(folder).sentences


def test_a_step_of_the_job_is_told_from_a_rank_s_own() -> None:
    step, link, nobody = said_of(real_job("syn64_tp4_pp4_dp4_link"))[:3]
    assert step.startswith(
        "A step takes a rank 71.3 ms in the mean, and the job 73.5 ms, from when its last rank begins it to when its last rank "
        "ends it. A rank loses 50.2 ms of its 71.3 ms (70.4 %): "
    )
    assert "With links like the others a step would take about 49.8 ms instead of 73.5 ms" in link
    assert nobody.startswith("Apart from what slow links cost, no rank, stage, replica or host needs longer")


def test_where_nobody_is_blamed_who_is_waited_for_most_is_said() -> None:
    nobody = said_of(real_job("dlrm8_v100_2023"))[1]
    _, who = nobody.split(" The others wait most for ")
    assert who == (
        "rank 7 to come: by more than 20.0 us it was last in 4 of its 8 collectives. It begins the step 7.19 ms after rank 1."
    )
    of = analysed(recorded(sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("*.trace.json*"))))
    assert [begins_later(of, number) for number in of.job.of.numbers] == [""] * 8


def test_each_sentence_leads_to_whom_and_what_it_tells_of() -> None:
    slow = table_of(real_job("syn8_tp2_pp2_dp2_slow"))
    step, rank5, bubbles, path = slow.leads
    assert step == Lead(ranks=[], step=10, table="collective")
    excess = analysed(recorded(sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("*.trace.json*")))).excess[5]
    assert (rank5.ranks, rank5.step, rank5.table) == ([5], 10 + excess.argmax(), None)
    assert (bubbles, path) == (Lead(table="stage"), Lead(table="path"))
    assert table_of(real_job("syn64_tp4_pp4_dp4_link")).leads[1] == Lead(table="link")
    nobody = table_of(real_job("dlrm8_v100_2023"))
    assert (nobody.leads[1].ranks, nobody.leads[1].table) == ([5, 7], "collective")


def test_where_ranks_hardly_wait_nobody_is_said_to_be_waited_for(tmp_path: Path) -> None:
    Job(n_ranks=4).write(tmp_path)
    step, nobody = said_of(tmp_path)[:2]
    assert "the job" not in step
    assert nobody.startswith("No rank, stage, ")
    assert "wait most" not in nobody


def test_one_rank_has_nobody_to_wait_for(tmp_path: Path) -> None:
    Job(n_ranks=1).write(tmp_path)
    assert said_of(tmp_path)[1:] == ["There is one rank, and nobody to wait for."]


def test_of_two_that_came_last_as_often_none_is_named_but_the_share_of_each(tmp_path: Path) -> None:
    """One of each group of two is late in all that it takes part in."""
    Job(n_ranks=4, slow={1: 1.5, 3: 1.5}).write(tmp_path)
    small, _ = sorted(table_of(tmp_path).collectives, key=lambda row: row.n_ranks or 0)
    assert (small.last_rank, small.last_share, small.n_late) == (None, 0.5, small.n_instances)


def test_what_is_more_than_the_peers_says_what_it_does_not_count(tmp_path: Path) -> None:
    Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    """Beside the rank itself."""
    assert " a step more than its peers (all others); " in said_of(tmp_path)[1]
    members = [member(path) for path in sorted(tmp_path.glob("*.trace.json.gz"))]
    assert "What is more than the peers does not count what moves data." in one_rank(members, OneRankParams(rank=1)).sentences


def test_who_needs_most_is_said_where_that_may_be_chance(tmp_path: Path) -> None:
    """Each by another amount: who is usual?"""
    Job(n_ranks=8, slow={rank: 1 + 0.05 * (3 * rank % 8) for rank in range(8)}).write(tmp_path)
    table = table_of(tmp_path)
    assert table.blamed == []
    nobody = table.sentences[1]
    assert nobody.startswith("No rank, stage, ")
    assert " Most needs rank 5, " in nobody
    assert nobody.count("to tell that from chance") == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ar16_of_64_kineto", "the files hold no events of the host"),
        ("rec_ddp_slow5", "this job runs on CPUs"),
    ],
)
def test_without_a_critical_path_the_one_reason_is_said(name: str, why: str) -> None:
    folder = real_job(name)
    members = [member(path) for path in sorted(folder.glob("*.trace.json*"))]
    because = f"cannot be told: what waits for what is told by launches of kernels, and {why}."
    notes = join(members, RanksParams()).notes
    assert f"The critical path and what a step would be {because}" in notes
    assert what_if(members, RanksWhatIfParams(what_if="rank=1")).reason == f"What a step would be {because}"


def test_where_there_is_a_critical_path_no_reason_is_looked_for() -> None:
    assert not any("The critical path" in note for note in table_of(real_job("syn8_tp2_pp2_dp2_slow")).notes)


def test_a_cause_that_is_likely_is_said_to_be_so_and_what_cannot_be_told_apart(tmp_path: Path) -> None:
    Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    table = table_of(tmp_path)
    assert [(one.cause, one.confidence) for one in table.blamed] == [("slow_kernels", "likely")]
    (doubt,) = table.doubts
    assert "is likely a slower device; why, no profile tells" in doubt
    assert doubt not in table.notes
    assert f"doubt: {doubt}" in text(table).splitlines()


def test_where_who_is_slow_has_another_device_that_is_said_instead(tmp_path: Path) -> None:
    profiles = [changed(one, device="H100") for one in recorded(Job(n_ranks=4, slow={1: 1.5}).write(tmp_path))]
    profiles[1] = changed(profiles[1], device="A100")
    assert join(members(profiles), RanksParams()).doubts == ["Rank 1 runs on A100, the others on H100."]


def test_where_no_group_is_named_sends_are_not_counted_beside_it() -> None:
    notes = table_of(real_job("rec_pp4_dp2")).notes
    assert any(note.startswith("Wait: not recorded. The collectives do not say which process group") for note in notes)
    assert not any("do not say with whom" in note for note in notes)


def test_a_cause_that_events_tell_is_not_doubted(tmp_path: Path) -> None:
    Job(n_ranks=4, late_input={1: 30_000_000}).write(tmp_path)
    table = table_of(tmp_path)
    assert [(one.cause, one.confidence) for one in table.blamed] == [("input", "sure")]
    assert not any("likely" in said for said in table.sentences + table.notes + table.doubts)


def test_a_late_rank_is_told_with_who_waits_for_it_in_which_collectives() -> None:
    """The specification's example: who, how much, what shows it, and the step without it."""
    assert said_of(real_job("syn8_tp2_pp2_dp2_slow"))[1] == (
        "Rank 5 (node0001) computes 25 % longer at the same kernels in all 3 steps: 7.13 ms a step more than its peers "
        "(ranks 4, 6-7); rank 4 waits for it in 96 of 96 tensor all-reduces. "
        "Without it a step would take about 43.6 ms instead of 48.9 ms (-11 %)."
    )


def test_sends_that_were_posted_early_are_no_evidence() -> None:
    """Those of a stage are, by design."""
    assert " waits for it" not in said_of(real_job("syn8_pp4_dp2_stage"))[1]


@pytest.mark.parametrize(
    ("job", "shown"),
    [
        ("syn8_fsdp8_gc_2023", "7 ranks wait for it in 1 of 10 all-gathers, up to 38.3 ms"),
        ("syn8_ep4_dp8_input", "ranks 4-5, 7 wait for it in 1 of 16 expert all-to-alls, up to 60.0 ms"),
    ],
)
def test_what_shows_one_delay_is_the_collective_in_which_the_others_waited(job: str, shown: str) -> None:
    """Not those after it in which the rank came last by a little, each of them."""
    assert f"; {shown}." in " ".join(said_of(real_job(job)))


def test_only_who_is_late_in_the_same_step_is_said_to_need_more(tmp_path: Path) -> None:
    """Two ranks pause in one step, two others in another."""
    pause = {(0, 11): 6_500_000, (4, 11): 6_000_000, (3, 12): 4_000_000, (6, 12): 4_100_000}
    Job(n_ranks=8, ranks_per_node=4, pause=pause).write(tmp_path)
    first, second, third = (text for text in said_of(tmp_path) if text.startswith("Rank "))
    assert first.startswith("Rank 0 ")
    assert "Without it and rank 4 together such a step would take " in first
    assert second.startswith("Rank 4 ")
    assert second.endswith(" Without it alone such a step would take as long: rank 0 needs more.")
    assert third.startswith("Rank 6 ")
    assert third.count("rank 0 needs more") + third.count("rank 4 needs more") == 0


def test_a_second_late_rank_is_told_to_bring_nothing_alone(tmp_path: Path) -> None:
    Job(n_ranks=4, slow={1: 1.5, 2: 1.2}).write(tmp_path)
    first, second = said_of(tmp_path)[1:3]
    assert "Without it and rank 2 together a step would take " in first
    assert second.endswith(" Without it alone a step would take as long: rank 1 needs more.")


def test_a_stage_that_is_blamed_is_not_told_to_be_uneven_too() -> None:
    """30 % longer than the ranks outside of it is 20.6 % over a mean that it is in."""
    said = said_of(real_job("syn8_pp4_dp2_stage"))
    assert said[1].startswith("Stage 3 (ranks 6-7) computes 30 % longer")
    assert not any("the mean of all stages" in each for each in said)


def test_where_most_is_lost_by_moving_data_that_is_said_with_what_helps_and_the_step_without_it() -> None:
    paths = sorted(real_job("syn8_ep4_dp8_input").glob("rank*.gz"))
    members = [member(path) for path in paths]
    table = join(members, RanksParams())
    (row,) = what_if(members, RanksWhatIfParams(what_if="transfer:data=0")).rows
    moved = table.moving
    assert moved is not None
    assert (moved.dimension, moved.of_usual_share) == ("data", None)
    assert (moved.step_was_ns, moved.step_without_ns) == (row.was_ns, row.would_be_ns)
    assert table.parts is not None
    assert abs(moved.exposed_ns - (table.parts.transfer_ns or 0)) < 10
    assert table.leads[1] == Lead(table="collective")
    assert table.sentences[1] == (
        "Most is lost by moving data: 33.2 ms a step that nothing hides, 31.5 ms of it data (5.7 % of data is hidden); "
        "reduce-scatters between hosts run at 41.5 GB/s, nothing here to compare with. What helps: overlap it with the backward "
        "pass (size of buckets, prefetch), send less (accumulate gradients, bf16), or look at the link. With all of data hidden "
        "or free a step would take about 39.2 ms instead of 70.2 ms (-44 %)."
    )


@pytest.mark.parametrize("name", ["syn8_tp2_pp2_dp2_slow", "syn64_tp4_pp4_dp4_link", "dlrm8_v100_2023"])
def test_where_waiting_is_more_or_a_link_is_blamed_moving_data_is_no_sentence(name: str) -> None:
    assert table_of(real_job(name)).moving is None


def test_of_many_slow_hosts_the_first_are_named_and_the_others_counted() -> None:
    """As many as are slow in a job of 4 096 ranks, in which one of eight is."""
    of = analysed(recorded(sorted(real_job("syn64_tp4_pp4_dp4_link").glob("rank*.gz"))))
    assert of.links.slow is not None
    every = replace(of.links.slow, hosts=tuple(range(8)), are_hosts=False)
    said = slow_link(replace(of, links=replace(of.links, always=every)))
    assert said is not None
    assert said.startswith("Links between hosts node0000, node0001, node0002 and 5 more are 4.0 x slower")


def test_a_step_says_where_it_ends_last_and_which_one_is_much_longer() -> None:
    # Rank 7 ends last in two of its three steps, and waits for rank 5: it is not named. So does rank 4, for rank 6.
    assert said_of(real_job("syn8_tp2_pp2_dp2_slow"))[0] == (
        "A step takes 48.9 ms; 19.8 ms (40.5 %) of it is lost: 13.3 ms waiting for other ranks (12.2 ms of that in the "
        "pipeline's bubble), 5.21 ms moving data that nothing hides, 1.28 ms idle."
    )
    assert said_of(real_job("syn8_ep4_dp8_input"))[0].endswith(" 3.84 ms idle. Step 12 is the longest: 111 ms.")


@pytest.mark.parametrize(("more_us", "said"), [(500, "Rank 1 ends last."), (15, "idle.")])
def test_where_a_step_ends_last_is_said_where_it_is_no_tie(tmp_path: Path, more_us: float, said: str) -> None:
    _, path = Job(n_ranks=2, n_steps=1).write(tmp_path)
    content = json.loads(gzip.decompress(path.read_bytes()))
    (step,) = (event for event in content["traceEvents"] if event["name"].startswith("ProfilerStep"))
    step["dur"] += more_us
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    assert said_of(tmp_path)[0].endswith(said)


def test_of_what_was_not_matched_though_all_are_here_no_absent_rank_is_said_to_have_come_last() -> None:
    of = analysed(recorded(sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("rank*.gz"))))
    path = of.paths[0]
    untold = replace(path, pieces=[piece._replace(what="untold", row=0) for piece in path.pieces])
    here = replace(of, paths=[untold])
    assert who_may_have_come_last(here) == "which could not be matched, another rank"
    one_less = replace(here.job, of=replace(here.job.of, world_size=9))
    assert who_may_have_come_last(replace(here, job=one_less)) == "to which a member that is not here"


def test_what_all_to_alls_bring_is_said_to_be_rows() -> None:
    table = join([member(path) for path in sorted(real_job("syn8_ep4_dp8_input").glob("rank*.gz"))], RanksParams())
    assert "  received rows  " in text(table)


def test_who_is_late_beside_the_first_three_is_told_in_short(tmp_path: Path) -> None:
    places = [(3, 10), (5, 11), (6, 12), (1, 13), (2, 14), (7, 15), (4, 15)]
    stops = {(rank, step, 3): (50 - nth) * 200_000 for nth, (rank, step) in enumerate(places)}
    Job(n_ranks=16, ranks_per_node=16, n_steps=6, stops=stops, late_once={(1, 14): 5_000_000}).write(tmp_path)
    table = table_of(tmp_path)
    assert [one.ranks for one in table.blamed] == [[rank] for rank, _ in [*places, (1, 14)]]
    place = next(place for place, said in enumerate(table.sentences) if said.startswith("Also late: "))
    first, second, third, _, again = [f"{format_ns(one.excess_ns)} in step {one.steps[0]}" for one in table.blamed[3:]]
    assert table.sentences[place] == f"Also late: rank 1 ({first} and {again}), rank 2 ({second}), rank 7 ({third}) and 1 more."
    lead = table.leads[place]
    assert (lead.ranks, lead.step, lead.table) == ([1, 2, 7, 4], 13, None)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"late_input": dict.fromkeys(range(10), 3_000_000)}, "All 10 ranks wait for their data loaders in all 3 steps: 3.0"),
        (
            {"late_input": dict.fromkeys(range(9), 3_000_000)},
            "All 10 ranks but rank 9 wait for their data loaders in all 3 steps: 3.0",
        ),
        (
            {"late_once": {(rank, 11): 3_000_000 for rank in range(10)}},
            "All 10 ranks wait for their data loaders in step 11: 3.0",
        ),
        ({"stops": {(rank, 12, 3): 4_000_000 for rank in range(10)}}, "All 10 ranks stand still in one gap in step 12: "),
        (
            {
                "stops": {(rank, 12, 3): 4_000_000 for rank in range(10)},
                "stops_in": {(rank, 12, 3): [("user_annotation", "evaluate")] for rank in range(10)},
            },
            "All 10 ranks stand still in one gap, in `evaluate`, in step 12: ",
        ),
    ],
)
def test_what_nearly_all_ranks_wait_for_is_told(tmp_path: Path, fault: dict[str, Any], said: str) -> None:
    Job(n_ranks=10, ranks_per_node=10, **fault).write(tmp_path)
    (of_all,) = [sentence for sentence in said_of(tmp_path) if " of 10 ranks " in sentence or "All 10 ranks" in sentence]
    assert of_all.startswith(said)


@pytest.mark.parametrize(("n_late", "said"), [(4, None), (6, "6 of 10 ranks (0-5)"), (7, "All 10 ranks but ranks 7-9")])
def test_what_most_ranks_wait_for_is_told_and_what_few_do_is_not(tmp_path: Path, n_late: int, said: str | None) -> None:
    Job(n_ranks=10, ranks_per_node=10, late_input=dict.fromkeys(range(n_late), 3_000_000)).write(tmp_path)
    found = [sentence for sentence in said_of(tmp_path) if " wait for their data loaders in all 3 steps: 3.0" in sentence]
    assert [sentence.startswith(said or "") for sentence in found] == [True] * (said is not None)


def test_of_two_ranks_what_both_wait_for_is_told_as_the_least(tmp_path: Path) -> None:
    Job(n_ranks=2, late_input={0: 3_000_000, 1: 5_000_000}).write(tmp_path)
    (found,) = [sentence for sentence in said_of(tmp_path) if "wait for their data loaders" in sentence]
    assert found.startswith("Both ranks wait for their data loaders in all 3 steps: at least 3.0")


def test_what_ranks_wait_for_in_each_step_is_not_told_of_its_short_steps_alone(tmp_path: Path) -> None:
    Job(late_input=dict.fromkeys(range(4), 600_000), stops={(2, 10, 3): 8_000_000, (2, 11, 3): 8_000_000}).write(tmp_path)
    assert [said for said in said_of(tmp_path) if said.startswith("All 4 ranks wait for their data loaders in all 3 steps: ")]


def test_the_gap_of_a_loader_is_told_once(tmp_path: Path) -> None:
    stops = {(rank, step, nth): 600_000 for rank in range(4) for step in (10, 11, 12) for nth in range(6)}
    Job(late_input=dict.fromkeys(range(4), 3_000_000), stops=stops).write(tmp_path)
    found = said_of(tmp_path)
    assert [sentence for sentence in found if sentence.startswith("All 4 ranks wait for their data loaders")]
    assert not [sentence for sentence in found if " stand still " in sentence]


def without_what_all_ranks_do(path: Path) -> None:
    """No all-reduce of all ranks: in files of 2023 nothing tells the tensor groups apart that are left."""
    read = json.loads(gzip.decompress(path.read_bytes()))
    of_all = {
        event["args"]["External id"]
        for event in read["traceEvents"]
        if event["cat"] == "kernel" and event["tid"] == 20 and event["name"].startswith("nccl")
    }
    read["traceEvents"] = [event for event in read["traceEvents"] if event.get("args", {}).get("External id") not in of_all]
    path.write_bytes(gzip.compress(json.dumps(read).encode()))


@pytest.mark.parametrize(
    ("fault", "who"),
    [
        ({"slow": {2: 1.25}}, "Rank 2 computes 25 % longer at the same kernels in all 3 steps: 60"),
        ({"stops": {(rank, step, rank % 6): 150_000 for rank in range(8) for step in (10, 11, 12)}}, None),
    ],
)
def test_where_nothing_is_matched_who_computes_longer_is_told_all_the_same(
    tmp_path: Path, fault: dict[str, Any], who: str | None
) -> None:
    for path in Job(n_ranks=8, ranks_per_node=8, form="2023", **fault).write(tmp_path):
        without_what_all_ranks_do(path)
    table = table_of(tmp_path)
    assert table.blamed == []
    assert table.sentences[1] == "Who is waited for cannot be told: no collective could be matched between ranks."
    if who is None:
        assert len(table.sentences) == 2
        return
    (said,), (lead,) = table.sentences[2:], table.leads[2:]
    assert said.startswith(who)
    assert said.endswith(
        " a step more than its peers (all others). This is of computing alone, which needs no matching; whether others wait for "
        "it cannot be told."
    )
    assert (lead.ranks, lead.step, lead.table) == ([2], 10, None)


def test_who_needs_most_and_may_do_so_by_chance_is_named_with_what_it_does_more(tmp_path: Path) -> None:
    """Loaders of four ranks that take as long as they like, on rank 2 in the mean longest."""
    late = {(2, 10): 900_000, (2, 11): 100_000, (2, 12): 700_000, (0, 11): 400_000, (1, 10): 300_000, (3, 12): 500_000}
    Job(n_ranks=4, late_once=late).write(tmp_path)
    nobody = said_of(tmp_path)[1]
    assert re.search(
        r" Most needs rank 2, [\d.]+ us more a step than its peers, most of it because it waits for its data loader; ", nobody
    )
    members = [member(path) for path in sorted(tmp_path.glob("*.trace.json.gz"))]
    of_it = one_rank(members, OneRankParams(rank=2)).sentences[0]
    assert "most of it because it waits for its data loader" in of_it
    assert "to tell that from chance; it is not blamed." in of_it
