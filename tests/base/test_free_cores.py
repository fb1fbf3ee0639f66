"""How many processes read a large file: one for each core that nobody used while it looked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import pytest

from tb_plugin.base import free_cores
from tb_plugin.base.free_cores import FreeCores

if TYPE_CHECKING:
    from pathlib import Path

TICKS_PER_S: Final = 100
BEFORE: Final = (500, 300, 900, 100)
"""Ticks that each core had been idle when it was looked at first, in the life of the machine."""


class Machine:
    """Time passes only while somebody sleeps, and then this process uses one core."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 1000.0
        self.stat = folder / "stat"
        self.parent = folder / "parent"
        self.free = [0.0] * len(BEFORE)
        self.of_parent = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def process_time(self) -> float:
        return self.now_s - 900.0

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.write()

    def write(self) -> None:
        ticks = [before + TICKS_PER_S * free * (self.now_s - 1000.0) for before, free in zip(BEFORE, self.free, strict=True)]
        used = TICKS_PER_S * self.of_parent * (self.now_s - 1000.0)
        said = f"7 (a server (of 2) S) S 1 7 7 0 -1 4194304 1 2 3 4 {40 + used - used // 4:.0f} {20 + used // 4:.0f} 900 900 20 0"
        self.parent.write_text(said, encoding="ascii")
        # Half of it waiting for a disk; a guest's time stands in the user's too.
        lines = [f"cpu{n} 70 1 2 {each // 2:.0f} {each - each // 2:.0f} 0 1 3 0 0" for n, each in enumerate(ticks)]
        self.stat.write_text("\n".join(["cpu 280 4 8 1 2 0 4 12 0 0", *lines, "intr 1 2 3", "ctxt 5"]), encoding="ascii")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    made.write()
    monkeypatch.delenv(free_cores.VARIABLE, raising=False)
    monkeypatch.setattr(free_cores, "time", made)
    monkeypatch.setattr(free_cores, "_STAT", made.stat)
    monkeypatch.setattr(free_cores, "_PARENT", str(made.parent))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(len(BEFORE))), raising=False)
    monkeypatch.setattr(os, "sysconf", lambda _name: TICKS_PER_S, raising=False)
    return made


@pytest.mark.parametrize(
    ("free", "readers"),
    [
        ([0.0, 0.0, 0.0, 0.0], 1),  # our own
        ([0.0, 0.3, 0.0, 0.0], 1),
        ([0.0, 0.9, 0.0, 0.0], 2),
        ([0.0, 0.5, 0.6, 0.9], 3),
        ([1.0, 1.0, 1.0, 1.0], 4),  # at most
    ],
)
def test_as_many_read_as_cores_were_idle_meanwhile_and_one(machine: Machine, free: list[float], readers: int) -> None:
    machine.free = free
    assert FreeCores().readers() == readers


def test_what_the_server_answers_meanwhile_takes_no_reader(machine: Machine) -> None:
    machine.free, machine.of_parent = [0.0, 0.3, 0.0, 0.0], 0.6
    assert FreeCores().readers() == 2
    machine.of_parent = 0.0
    assert FreeCores().readers() == 1


def test_cores_that_the_process_may_not_use_are_not_free(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})
    machine.free = [0.0, 1.0, 1.0, 1.0]
    assert FreeCores().readers() == 2


def test_one_reads_where_the_system_does_not_tell(machine: Machine) -> None:
    machine.stat.write_text("cpu 1 2 3 4 5\n", encoding="ascii")
    assert FreeCores().readers() == 1
    machine.stat.unlink()
    assert FreeCores().readers() == 1


def test_what_the_user_says_counts(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.free = [1.0] * len(BEFORE)
    for said, readers in (("1", 1), ("7", 7), ("0", 1), ("many", 4)):
        monkeypatch.setenv(free_cores.VARIABLE, said)
        assert FreeCores().readers() == readers
