"""Links that are slow in some steps only, and single collectives that take many times as long as their like."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.told.blame import means_of
from tb_plugin.views.ranks.told.slow_links import at_times, slow_link
from tests.job.recorded import members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.basis.analysed import Analysed

_PAIR = (2, 3)
_ALL = tuple(range(4))


def _of(folder: Path, **more: object) -> tuple[Job, Analysed]:
    job = replace(Job(n_steps=4, n_layers=6, transfer_ns=200_000), **more)  # type: ignore[arg-type]  # by name
    return job, analysed(recorded(job.write(folder)))


@pytest.mark.parametrize("steps", [(12, 13), (11,), (10, 12)])
def test_ranks_whose_links_are_slow_in_some_steps_are_told_with_these_and_what_such_a_step_would_be(
    tmp_path: Path, steps: tuple[int, ...]
) -> None:
    job, of = _of(tmp_path, slow_meets={(_PAIR, step, layer): 5.0 for step in steps for layer in range(6)})
    (told,) = at_times(of)
    assert told.steps == steps
    assert "tensor all-reduces inside host node1 (ranks 2-3) move at " in told.text
    assert "5.0 x slower than in the other steps" in told.text
    assert slow_link(of) is None
    found = means_of(of.without_slow_link, steps)
    assert found is not None
    assert found.was - found.would_be == pytest.approx(4 * job.transfer_ns * job.n_layers, rel=0.02)
    assert of.ideal is not None
    assert of.ideal.would_be == pytest.approx(dict.fromkeys(range(10, 14), found.would_be), rel=0.02)


def test_a_link_of_all_that_is_slow_in_most_steps_is_told_by_these(tmp_path: Path) -> None:
    """There is one group between hosts, and no other to compare it with."""
    _, of = _of(tmp_path, n_steps=6, tensor=4, slow_meets={(_ALL, step, at): 6.0 for step in range(12, 16) for at in range(7)})
    (told,) = at_times(of)
    assert told.steps == (12, 13, 14, 15)
    assert "between hosts node0 and node1 move at" in told.text


@pytest.mark.parametrize(("n_steps", "quick"), [(4, (11,)), (6, (15,))])
def test_a_network_that_is_slow_in_all_steps_but_one_is_told(tmp_path: Path, n_steps: int, quick: tuple[int, ...]) -> None:
    slow = {(_ALL, step, at): 4.0 for step in range(10, 10 + n_steps) if step not in quick for at in range(3)}
    _, of = _of(tmp_path, n_steps=n_steps, n_layers=2, tensor=4, transfer_ns=2_000_000, slow_meets=slow)
    (told,) = at_times(of)
    assert told.steps == tuple(sorted({step for _, step, _ in slow}))
    assert "4.0 x slower than in the other step." in told.text
    assert told.other_links == "With these as quick as in the other"
    assert [(one.n_instances, bool(one.steps)) for one in of.links.sets] == [(3, False), (len(slow), True)]
    found = means_of(of.without_slow_link, told.steps)
    assert found is not None
    assert found.was - found.would_be == pytest.approx(3 * 3 * 2_000_000, rel=0.02)


@pytest.mark.parametrize(("factor", "varies"), [(1.8, 0.0), (2.2, 0.3)], ids=["a little", "as much by chance"])
def test_one_step_that_is_a_little_quicker_than_most_is_lucky(tmp_path: Path, factor: float, varies: float) -> None:
    draw = Random(3)
    slow = {
        (_ALL, step, at): (1.0 if step == 11 else factor) * draw.uniform(1 - varies, 1 + varies)
        for step in range(10, 14)
        for at in range(3)
    }
    _, of = _of(tmp_path, n_layers=2, tensor=4, transfer_ns=2_000_000, slow_meets=slow)
    assert of.links.slow is None


def test_all_hosts_are_named_where_all_of_one_sort_is_slow_and_another_is_not(tmp_path: Path) -> None:
    slow = {(pair, 12, at): 5.0 for pair in ((0, 2), (1, 3)) for at in range(6)}
    _, of = _of(tmp_path, tensor=1, ranks_per_node=1, sends=((0, 2), (1, 3)), slow_meets=slow)
    (told,) = at_times(of)
    assert "pipeline sends and receives between hosts node0, node1, node2 and node3 move at " in told.text


@pytest.mark.parametrize("factor", [2.0, 2.9])
def test_few_that_are_alike_tell_a_step_in_which_they_are_twice_as_slow(tmp_path: Path, factor: float) -> None:
    slow = {(_ALL, 10, at): factor for at in range(3)}
    _, of = _of(tmp_path, n_steps=3, n_layers=2, tensor=4, transfer_ns=2_000_000, slow_meets=slow)
    (told,) = at_times(of)
    assert told.steps == (10,)
    assert f"{factor:.1f} x slower than in the other steps" in told.text


def test_ranks_that_are_slower_than_others_in_most_steps_are_told_with_these(tmp_path: Path) -> None:
    job, of = _of(tmp_path, n_ranks=8, slow_meets={(_PAIR, step, at): 5.0 for step in (11, 12, 13) for at in range(6)})
    assert "(ranks 2-3) are in steps 11-13 5.0 x slower than others" in (slow_link(of) or "")
    assert at_times(of) == []
    said = " ".join(join(members(recorded(job.write(tmp_path))), RanksParams()).sentences)
    assert "With links like the others such a step would take about" in said
    found = means_of(of.without_slow_link, (11, 12, 13))
    assert found is not None
    assert found.was - found.would_be == pytest.approx(4 * job.transfer_ns * job.n_layers, rel=0.02)
    slow, *rest = sorted((one for one in of.links.sets if one.ranks), key=lambda one: one.of_usual or 1.0)
    assert (slow.n_instances, [one.n_instances for one in rest]) == (18, [6])
    assert rest[0].of_usual == pytest.approx(1.0, rel=0.02)


def test_one_collective_that_takes_many_times_as_long_as_its_like_is_told(tmp_path: Path) -> None:
    _, of = _of(tmp_path, slow_meets={(_PAIR, 12, 3): 11.0})
    (told,) = at_times(of)
    assert told.text == (
        "In step 12 one of 6 tensor all-reduces inside host node1 (ranks 2-3) takes 2.20 ms to move data, "
        "11.0 times as long as its like."
    )


@pytest.mark.parametrize("factor", [6.0, 2.2])
def test_a_pair_that_is_slow_to_send_in_some_steps_is_named_by_its_ranks(tmp_path: Path, factor: float) -> None:
    """Another between the same hosts is as quick as ever."""
    slow = {((0, 2), step, at): factor for step in (11, 12) for at in range(6)}
    _, of = _of(tmp_path, tensor=1, sends=((0, 2), (1, 3)), slow_meets=slow)
    (told,) = at_times(of)
    assert told.steps == (11, 12)
    assert "In steps 11-12 pipeline sends and receives between ranks 0 and 2 (node0, node1) move at " in told.text
    assert f"{factor} x slower than in the other steps" in told.text


def test_a_pair_that_is_slow_to_send_is_named_by_its_ranks_and_not_its_hosts(tmp_path: Path) -> None:
    """The two hosts' rate is between that of the slow and of the quick pair."""
    quick = ((1, 3), (4, 6), (5, 7))
    job, of = _of(tmp_path, n_ranks=8, tensor=1, sends=((0, 2), *quick), slow_groups={(0, 2): 5.0}, transfer_ns=400_000)
    assert "The link between ranks 0 and 2 (node0, node1) is 5.0 x slower than others" in (slow_link(of) or "")
    found = means_of(of.without_slow_link)
    assert found is not None
    assert found.was - found.would_be == pytest.approx(4 * job.transfer_ns * job.n_layers, rel=0.02)


def test_all_hosts_whose_links_are_slow_are_named_where_others_of_theirs_are_not(tmp_path: Path) -> None:
    """Three of four links; what all hosts do together is as quick as ever."""
    sends = tuple((rank, rank + 4) for rank in range(4))
    slow = dict.fromkeys(sends[1:], 4.0)
    _, of = _of(tmp_path, n_ranks=8, tensor=1, ranks_per_node=1, sends=sends, slow_groups=slow)
    assert "Links between hosts node1, node2, node3, node5, node6 and node7 are 4.0 x slower" in (slow_link(of) or "")


def test_single_messages_of_a_pair_are_told_as_one_of_its_own(tmp_path: Path) -> None:
    slow = {((0, 2), step, 3): 11.0 for step in (11, 13)}
    _, of = _of(tmp_path, tensor=1, sends=((0, 2), (1, 3)), slow_meets=slow)
    (told,) = at_times(of)
    assert told.text == (
        "In steps 11, 13 2 of 12 pipeline sends and receives between ranks 0 and 2 (node0, node1) take up to 2.20 ms to move "
        "data, 11.0 times as long as their like."
    )


def test_what_is_slow_at_times_is_no_slow_link_beside_it(tmp_path: Path) -> None:
    """A pair that is always slow keeps its factor beside one that is in some steps."""
    slow = {((0, 1), 12, layer): 5.0 for layer in range(6)}
    _, of = _of(tmp_path, n_ranks=8, slow_groups={_PAIR: 3.0}, slow_meets=slow)
    assert "(ranks 2-3) are 3.0 x slower than others" in (slow_link(of) or "")
    assert [told.steps for told in at_times(of)] == [(12,)]


def test_slow_links_are_not_denied_beside_it(tmp_path: Path) -> None:
    job, _ = _of(tmp_path, slow_meets={(_PAIR, 12, layer): 5.0 for layer in range(6)})
    said = " ".join(join(members(recorded(job.write(tmp_path))), RanksParams()).sentences)
    assert "With these as quick as in the others such a step would take about" in said
    assert "Apart from what slow links cost" in said


@pytest.mark.parametrize("late", [4.0, 1.3])
def test_a_link_that_is_slow_in_one_step_stands_before_who_is_late_only_where_it_costs_more(tmp_path: Path, late: float) -> None:
    slow = {(_ALL, 12, at): 5.0 for at in range(7)}
    job, _ = _of(tmp_path, tensor=4, transfer_ns=400_000, slow_meets=slow, slow={1: late})
    said = join(members(recorded(job.write(tmp_path))), RanksParams()).sentences
    rank, link = (next(at for at, text in enumerate(said) if text.startswith(words)) for words in ("Rank 1 ", "In step 12 "))
    assert (rank < link) == (late > 2)


def test_rates_are_told_in_a_unit_that_has_figures_of_them(tmp_path: Path) -> None:
    _, of = _of(tmp_path, tensor=4, transfer_ns=400_000_000, slow_meets={(_ALL, 12, at): 5.0 for at in range(7)})
    (told,) = at_times(of)
    slow, usual = re.findall(r"(\d+\.?\d*) MB/s", told.text)
    assert float(usual) == pytest.approx(5 * float(slow), rel=0.01)


def test_the_rate_of_others_is_one_that_they_have_and_each_row_of_links_says_its_steps(tmp_path: Path) -> None:
    """The median over all steps would be a rate that hardly any had."""
    job, of = _of(tmp_path, tensor=4, slow_meets={(_ALL, step, at): 6.0 for step in (12, 13) for at in range(7)})
    table = join(members(recorded(job.write(tmp_path))), RanksParams())
    rows = [row for row in table.links if row.kind == "all-reduce"]
    assert [(row.steps, row.is_slow) for row in rows] == [("12-13", True), ("10-11", False)]
    assert rows[1].bus_bytes_per_s == pytest.approx(6 * rows[0].bus_bytes_per_s, rel=0.05)
    assert of.moving is not None
    assert table.moving is not None
    assert table.moving.bus_bytes_per_s == rows[1].bus_bytes_per_s
    took = {step: [met.end - max(met.arrived.values()) for met in job.met if met.step == step] for step in range(10, 14)}
    usual = sum(took[10] + took[11]) / len(took[10] + took[11])
    slow = sum(took[12] + took[13]) / len(took[12] + took[13])
    assert [row.of_usual_share for row in rows] == pytest.approx([usual / slow, 1.0], rel=0.02)
    assert table.moving.of_usual_share == rows[1].of_usual_share
    assert "but are slower in steps 12-13, and no others of their kind are here" in table.moving.sentence
    assert "nothing here to compare with" not in table.moving.sentence


def test_what_has_neither_others_of_its_kind_nor_slow_steps_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    job, _ = _of(tmp_path, tensor=4, transfer_ns=2_000_000)
    table = join(members(recorded(job.write(tmp_path))), RanksParams())
    assert table.moving is not None
    assert [row.of_usual_share for row in table.links] == [None]
    assert (table.moving.of_usual_share, "nothing here to compare with" in table.moving.sentence) == (None, True)


def test_what_kernels_hide_or_hardly_costs_anything_is_not_told(tmp_path: Path) -> None:
    _, of = _of(tmp_path, transfer_ns=3_000, slow_meets={(_PAIR, 12, layer): 4.0 for layer in range(6)})
    assert of.links.at_times == ()


@pytest.mark.parametrize("seed", range(4))
def test_transfers_that_differ_by_a_third_by_chance_are_no_slow_links(tmp_path: Path, seed: int) -> None:
    """Each drawn by itself from 0.65 to 1.35."""
    draw = Random(seed)
    groups = [(0, 1), (2, 3), _ALL]
    slow = {(group, step, at): draw.uniform(0.65, 1.35) for group in groups for step in range(10, 14) for at in range(6)}
    _, of = _of(tmp_path, seed=seed, slow_meets=slow)
    assert of.links.at_times == ()
    assert of.links.slow is None


@pytest.mark.parametrize(("n_steps", "seed"), [(2, 24), (2, 25), (6, 1002), (6, 1012), (6, 1016), (6, 1032)])
def test_few_messages_that_differ_by_chance_are_no_slow_links(tmp_path: Path, n_steps: int, seed: int) -> None:
    """Of one pair one a step: what is usual of it is one of its own, so that it differs from that by nothing."""
    draw = Random(seed)
    sends = [(rank, rank + 4) for rank in range(4)]
    few = Job(n_ranks=8, tensor=1, ranks_per_node=4, sends=sends, n_steps=n_steps, n_layers=1, transfer_ns=400_000)
    few.slow_meets = {(pair, step, 0): draw.lognormvariate(0, 0.35) for pair in sends for step in range(10, 10 + n_steps)}
    of = analysed(recorded(few.write(tmp_path)))
    assert of.links.slow is None
