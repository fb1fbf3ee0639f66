"""One network card of several: of groups over the very same hosts the one that it slows. The truth is the same job without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.told.blame import means_of
from tb_plugin.views.ranks.told.slow_links import at_times, slow_link
from tests.job.recorded import member, recorded
from tests.program_files import Op, Program, ProgramJob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

US = 1000
_STEPS = range(10, 14)
_TAKES = 300 * US
_SIZES = (1, 2, 8)
"""Of its messages, and how long they take; of the smallest two thirds are latency."""


def _paths(
    folder: Path,
    slow: Mapping[int, float],
    n_groups: int = 2,
    sizes: Mapping[int, Sequence[int]] | None = None,
    alone: Sequence[int] = (),
    n_hosts: int = 2,
    steps: Sequence[int] = _STEPS,
) -> tuple[ProgramJob, list[Path]]:
    """Hosts of a rank of each group. `slow`: factor of the transfers of a group; `sizes`: of one, where they are others; the
    groups that are `alone` move their data while the others compute, and these share the way. `steps`: in which they are slow.
    """
    programs = [Program(rank=rank) for rank in range(n_groups * n_hosts)]
    for one in programs:
        mine = one.rank % n_groups
        members = range(mine, len(programs), n_groups)
        for step in _STEPS:
            one.loader(20 * US)
            last: list[Op] = [one.kernel(200 * US)]
            if alone and mine not in alone:
                last = [one.kernel(8_000 * US)]
            for size in (sizes or {}).get(mine, _SIZES):
                ns = round(_TAKES * (size + 2) / 3 * (slow.get(mine, 1.0) if step in steps else 1.0))
                last = [one.meet("allreduce", members, "DATA_PARALLEL_GROUP", ns, last, times=size)]
                last = [one.kernel(50 * US, last)]
            met = one.meet("allreduce", range(len(programs)), "default_pg", 10 * US, last, stream=28)
            one.sync(one.kernel(100 * US, [met]))
            one.step(step)
    job = ProgramJob(programs=programs, ranks_per_node=n_groups)
    return job, job.write(folder)


@pytest.mark.parametrize(
    ("n_groups", "slow", "n_hosts", "who"),
    [
        (2, {1: 4.0}, 4, "ranks 1, 3, 5, 7 (one group of those over hosts node0, node1, node2 and node3)"),
        (4, {2: 3.0}, 2, "ranks 2, 6 (one group of those over hosts node0 and node1)"),
        (4, {0: 4.0, 1: 4.0, 3: 4.0}, 2, "ranks 0-1, 3-5, 7 (3 groups of those over hosts node0 and node1)"),
    ],
)
def test_the_group_that_alone_is_slow_over_its_hosts_is_named_with_what_it_costs(
    tmp_path: Path, n_groups: int, slow: dict[int, float], n_hosts: int, who: str
) -> None:
    job, paths = _paths(tmp_path / "slow", slow, n_groups, n_hosts=n_hosts)
    healthy, _ = _paths(tmp_path / "healthy", {}, n_groups, n_hosts=n_hosts)
    first, last = (one.computed_ns for one in (job, healthy))
    gain = (first[13] - first[10] - last[13] + last[10]) / 3
    of = analysed(recorded(paths))
    factor = next(iter(slow.values()))
    assert (slow_link(of) or "").startswith(f"Links of {who} are {factor:.1f} x slower than others (data ")
    found = means_of(of.without_slow_link)
    assert found is not None
    assert found.was - found.would_be == pytest.approx(gain, rel=0.05)
    links = join([member(path) for path in paths], RanksParams(by="link")).links
    assert sorted(row.pair or "" for row in links if row.is_slow) == [
        ", ".join(str(rank) for rank in range(group, n_groups * n_hosts, n_groups)) for group in slow
    ]
    rest = [row.of_usual_share for row in links if row.dimension == "data" and not row.is_slow]
    assert rest == [pytest.approx(1.0, abs=0.1)]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"sizes": {1: (1, 1, 1, 1, 8)}},
        {"sizes": {0: (2, 4), 1: (8, 64, 1)}},
        {"alone": [2]},
        {"alone": [1, 2, 3]},
    ],
    ids=["as ever", "smaller messages", "other messages", "one has the way to itself", "one moves data later"],
)
@pytest.mark.parametrize("slow", [{}, dict.fromkeys(range(4), 4.0)], ids=["quick", "all slow"])
def test_groups_that_are_as_quick_as_each_other_are_not(tmp_path: Path, more: dict[str, object], slow: dict[int, float]) -> None:
    """Nor one that shares the way with others, and not with one that has it to itself."""
    shares = {1: 3.0, 0: 3.0, 3: 3.0} if more.get("alone") == [2] else {}
    factors = {group: slow.get(group, 1.0) * shares.get(group, 1.0) for group in range(4)}
    _, paths = _paths(tmp_path, factors, 4, **more)  # type: ignore[arg-type]  # by name
    assert slow_link(analysed(recorded(paths))) is None


@pytest.mark.parametrize(
    ("slow", "where"),
    [
        ({1: 4.0}, "of ranks 1, 5 (one group of those over hosts node0 and node1)"),
        (dict.fromkeys(range(4), 4.0), "between hosts node0 and node1"),
    ],
)
def test_a_group_that_is_slow_in_one_step_is_named_and_all_of_them_as_their_hosts(
    tmp_path: Path, slow: dict[int, float], where: str
) -> None:
    _, paths = _paths(tmp_path, slow, 4, steps=[12])
    (told,) = at_times(analysed(recorded(paths)))
    assert told.steps == (12,)
    assert told.text.startswith(f"In step 12 data all-reduces {where} move at ")
    assert "4.0 x slower than in the other steps" in told.text
