"""Tokens of experts: what all-to-alls brought to each rank, by the splits that torch writes."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.told.sentences import uneven_experts
from tests.job.recorded import recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

SENDS = {0: [30, 20], 1: [10, 40]}  # by place in the group: what a dispatch sends to each member
N_LAYERS = 6


def made(folder: Path, sends: dict[int, list[int]]) -> Analysed:
    """The job's tensor groups are of experts: every odd collective takes tokens there, the next brings them back."""
    paths = Job(n_ranks=2 * len(sends), n_layers=N_LAYERS, tensor=len(sends)).write(folder)
    for rank, path in enumerate(paths):
        data = json.loads(gzip.decompress(path.read_bytes()))
        place = rank % len(sends)
        there, back = sends[place], [sends[other][place] for other in sends]
        for event in data["traceEvents"]:
            args = event.get("args", {})
            if args.get("Process Group Description") == "TENSOR_MODEL_PARALLEL_GROUP":
                first, second = (there, back) if args["Seq"] % 2 else (back, there)
                splits = {"In split size": str(first), "Out split size": str(second)}
                args.update({"Collective name": "all_to_allv", "Process Group Description": "EXPERT_GROUP", **splits})
        path.write_bytes(gzip.compress(json.dumps(data).encode(), 1))
    return analysed(recorded(paths))


def test_what_dispatches_bring_counts_and_what_comes_back_does_not(tmp_path: Path) -> None:
    of = made(tmp_path, SENDS)
    assert of.balance is not None
    there = [sum(sends[place] for sends in SENDS.values()) * N_LAYERS // 2 for place in (0, 1, 0, 1)]
    assert of.balance.received.tolist() == [[tokens] * 3 for tokens in there]
    assert of.balance.imbalance == pytest.approx(60 / 50 - 1)
    assert of.balance.worst_ranks == (1, 3)


def test_all_who_receive_most_are_named_and_of_many_how_many_they_are(tmp_path: Path) -> None:
    of = made(tmp_path, SENDS)
    said = uneven_experts(of)
    assert said is not None
    assert said.startswith("Experts are uneven: ranks 1 and 3 each receive 20.0 % more than their group's mean in step ")
    assert of.balance is not None
    many = replace(of.balance, worst_ranks=tuple(range(16)))
    numbers = SimpleNamespace(numbers=list(range(8, 24)), have_steps=False)
    said = uneven_experts(cast("Analysed", SimpleNamespace(balance=many, job=SimpleNamespace(of=numbers))))
    assert said is not None
    assert said.startswith("Experts are uneven: 16 ranks (the first: 8) each receive 20.0 % more than their group's mean, ")


def test_two_of_one_group_may_both_receive_most(tmp_path: Path) -> None:
    of = made(tmp_path, {place: [10, 20, 10, 20] for place in range(4)})
    assert of.balance is not None
    assert of.balance.worst == pytest.approx(20 / 15 - 1)
    assert of.balance.worst_ranks == (1, 3, 5, 7)


def test_the_figure_of_the_group_and_step_that_are_named_comes_first(tmp_path: Path) -> None:
    """Of two groups one is even: what their mean says no rank has."""
    of = made(tmp_path, SENDS)
    assert of.balance is not None
    mixed = replace(of.balance, imbalance=0.1, worst=0.2, worst_ranks=(1,), worst_step=of.balance.worst_step)
    of = cast("Analysed", SimpleNamespace(balance=mixed, job=of.job))
    assert uneven_experts(of) == (
        f"Experts are uneven: rank 1 receives 20.0 % more than its group's mean in step {mixed.worst_step}, which is the most; "
        "the rank with the most receives 10.0 % more in the mean over groups and steps."
    )


def test_even_experts_are_not_worth_a_word(tmp_path: Path) -> None:
    of = made(tmp_path, {0: [10, 20], 1: [20, 10]})
    assert of.balance is not None
    assert of.balance.worst == 0
    assert uneven_experts(of) is None


def test_without_splits_it_is_not_known(tmp_path: Path) -> None:
    of = analysed(recorded(Job().write(tmp_path)))
    assert of.balance is None
