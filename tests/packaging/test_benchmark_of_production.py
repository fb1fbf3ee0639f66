"""`benchmarks/ranks_production.py`: what a step would be, of rows that are drawn here."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]

# Two stages of one replica, two micro-batches: forward takes 10 and 15, backward 20, a message 1 once both are there.
#   stage 0   F0 0-10   F1 10-20              B0 47-67          B1 82-102
#   stage 1        F0 11-26   B0 26-46   F1 46-61   B1 61-81
PIPELINE = """
    forward-compute  0 0 0 10       forward-compute  1 0 11 26
    forward-send     0 0 10 11      forward-recv     1 0 0 11
    forward-compute  0 1 10 20      backward-compute 1 0 26 46
    forward-send     0 1 20 27      forward-recv     1 1 26 27
    backward-recv    0 0 0 47       backward-send    1 0 46 47
    backward-compute 0 0 47 67      forward-compute  1 1 46 61
    backward-recv    0 1 67 82      backward-compute 1 1 61 81
    backward-compute 0 1 82 102     backward-send    1 1 81 82
"""


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("ranks_rows"), importlib.import_module("ranks_production")


def drawn(module: ModuleType, text: str) -> Any:
    """Each row: kind, stage, number, start, end."""
    words = text.split()
    rows = [(words[at], *map(int, words[at + 1 : at + 5])) for at in range(0, len(words), 5)]
    rows.sort(key=lambda row: (row[1], row[3]))
    kind, *columns = zip(*rows, strict=True)
    stage, number, start, end = (np.array(column, np.int64) for column in columns)
    zero = np.zeros(len(rows), np.int64)
    return module.Rows(
        kind=list(kind), replica=zero, stage=stage, step=zero + 7, number=number, on_rank=zero, chunk=stage, batch=number,
        start=start * 1.0, end=end * 1.0,
    )  # fmt: skip


def test_waiting_follows_and_a_stage_alone_is_worse_than_the_ideal(modules: tuple[ModuleType, ModuleType]) -> None:
    rows, production = modules
    of = drawn(rows, PIPELINE)
    study = production.Study(of)
    assert study.by_step == {7: 102}
    assert study.ideal == 99.5  # F0 12.5, 1, F0 12.5, B0 20, F1 12.5, B1 20, 1, B1 20
    assert study.alone(of.stage) == {0: pytest.approx(97 / 99.5), 1: pytest.approx(104.5 / 99.5)}
    assert study.explained(of.stage == 1) == (102 - 97) / (102 - 99.5)
    assert set(of.stage[study.worst_workers()].tolist()) == {1}


def test_a_message_without_its_other_end_is_not_replayed(modules: tuple[ModuleType, ModuleType]) -> None:
    rows, production = modules
    with pytest.raises(rows.NotReplayed, match="1 forward-send of 2 that are computed, in a step of a rank"):
        production.Study(drawn(rows, PIPELINE.replace("forward-send     0 1 20 27", "")))


def test_an_operation_that_is_not_known_is_not_left_out(modules: tuple[ModuleType, ModuleType]) -> None:
    rows, production = modules
    with pytest.raises(rows.NotReplayed, match="not known: all-to-all"):
        production.Study(drawn(rows, PIPELINE + "all-to-all 0 0 102 104"))


def test_production_truth_is_reached(modules: tuple[ModuleType, ModuleType]) -> None:
    _, production = modules
    pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    lines = production.production(production.FOLDER)
    if all(line.word == "declined" for line in lines):
        pytest.skip(lines[0].ours)
    assert [line for line in lines if line.word != "pass"] == []
