"""Which collectives show that others wait for who is late: those that it delays, wherever the mark of a step lies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.collectives.instances import InstancesParams, instances
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import CountedIn


@pytest.mark.parametrize("n_layers", [2, 6])
def test_what_a_pause_at_the_end_of_a_step_delays_is_in_the_step_after(tmp_path: Path, n_layers: int) -> None:
    made = Job(n_ranks=4, ranks_per_node=2, n_layers=n_layers, pause_at_end={(1, 10): 8_000_000}, jitter_ns=30_000)
    counted, listed = counted_and_listed(made, tmp_path)
    first = next(met for met in made.met if met.step == 11 and met.group == (0, 1))
    assert first.last == 1
    waited = first.arrived[1] - first.arrived[0]
    assert counted.text == f"rank 0 waits for it in 1 of 1 tensor all-reduces of step 11, up to {format_ns(waited)}"
    assert listed == [(11, [1])]


def test_what_a_pause_within_a_step_delays_is_from_then_on(tmp_path: Path) -> None:
    """To the end of the step; not what comes before the pause, nor what a step that is not late begins with."""
    made = Job(n_ranks=4, ranks_per_node=2, stops={(1, 11, 4): 8_000_000})
    counted, listed = counted_and_listed(made, tmp_path)
    of_step = [met for met in made.met if met.step == 11 and met.group == (0, 1)]
    n_after = len(of_step[4:])
    waits = re.fullmatch(r"rank 0 waits for it in 1 of (\d+) tensor all-reduces, up to 8.0\d ms", counted.text)
    assert waits is not None
    assert int(waits[1]) == n_after
    assert [step for step, _ in listed] == [11] * n_after


def test_no_collective_of_a_step_between_two_late_ones_is_counted(tmp_path: Path) -> None:
    made = Job(n_ranks=4, ranks_per_node=2, n_steps=4, late_once={(1, 10): 9_000_000, (1, 12): 9_000_000}, jitter_ns=30_000)
    counted, listed = counted_and_listed(made, tmp_path)
    assert re.match(rf"rank 0 waits for it in \d+ of {2 * made.n_layers} tensor all-reduces, up to 9.0", counted.text)
    assert [step for step, _ in listed] == [10] * made.n_layers + [12] * made.n_layers


def test_of_who_is_late_all_over_the_step_each_of_the_step_is_counted_and_none_of_the_next(tmp_path: Path) -> None:
    made = Job(n_ranks=4, ranks_per_node=2, slow={1: 1.5}, slow_steps=[11])
    counted, listed = counted_and_listed(made, tmp_path)
    n_last = sum(met.last == 1 for met in made.met if met.step == 11 and met.group == (0, 1))
    assert counted.text == f"rank 0 waits for it in {n_last} of {made.n_layers} tensor all-reduces"
    assert [step for step, _ in listed] == [11] * made.n_layers


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("more", [{"late_input": {0: 8_000.0}}, {"slow": {0: 1.4}}], ids=["loader", "slow"])
def test_of_who_is_late_in_all_steps_those_of_each_are_counted_however_long_the_next_waits(
    tmp_path: Path, more: dict[str, dict[int, float]], seed: int
) -> None:
    made = SimulatedJob(data=1, stages=4, n_micro=4, n_layers=1, n_steps=4, seed=seed, **more)  # type: ignore[arg-type]  # by name
    counted, listed = counted_and_listed(made, tmp_path)
    assert counted.text == "ranks 1-3 wait for it in 4 of 4 world all-reduces"
    assert listed == [(step, [0]) for step in range(10, 14)]


def test_a_pause_at_the_end_of_each_step_delays_the_next(tmp_path: Path) -> None:
    made = Job(n_ranks=4, ranks_per_node=2, n_steps=4, pause_at_end={(1, step): 8_000_000 for step in range(10, 14)})
    counted, listed = counted_and_listed(made, tmp_path)
    assert re.match(r"rank 0 waits for it in 3 of 3 tensor all-reduces", counted.text)
    assert listed == [(step, [1]) for step in range(11, 14)]


def counted_and_listed(made: Job | SimulatedJob, folder: Path) -> tuple[CountedIn, list[tuple[int | None, list[int]]]]:
    """What the sentence about who is late counts; step and who came last of what it leads to."""
    members = [member(path) for path in made.write(folder)]
    table = join(members, RanksParams())
    counted = next(lead.counted for lead in table.leads if lead.counted)
    words = {key: value for key, value in msgspec.structs.asdict(counted).items() if key != "text"}
    return counted, [(row.step, row.last_ranks) for row in instances(members, InstancesParams(**words)).rows]
