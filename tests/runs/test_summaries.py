"""Summaries beside their profiles: made where they are missing, used where they are this profile's, made anew where not."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from tb_plugin.base.errors import TbPluginError
from tb_plugin.doors.cli import main
from tb_plugin.runs import summaries
from tb_plugin.runs.engines import Here
from tb_plugin.runs.processes import Processes
from tb_plugin.runs.summaries import beside, make_missing, place_of
from tests.runs import deadly
from tests.runs.small import FOREIGN, chrome_json, put, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tb_plugin.runs.summaries import Summarised

T = TypeVar("T")
R = TypeVar("R")


def made(logdir: Path) -> dict[str, Summarised]:
    return {os.path.basename(one.file): one for one in make_missing(scan(logdir), Here())}  # noqa: PTH119


def test_each_profile_gets_one_and_what_is_there_stays(tmp_path: Path) -> None:
    for rank in range(3):
        put(tmp_path / "run" / f"rank{rank}.1.pt.trace.json.gz", chrome_json(2, rank=rank))
    put(tmp_path / "run" / "clang.json", FOREIGN)
    assert [one.state for one in made(tmp_path).values()] == ["made"] * 3
    for span in scan(tmp_path).spans():
        found = None if span.foreign else beside(span.files)
        assert span.foreign or (found is not None and found.world_size == 4)
    place_of(next(scan(tmp_path).spans()).files).unlink()
    assert sorted(one.state for one in made(tmp_path).values()) == ["fresh", "fresh", "made"]
    assert len(list(scan(tmp_path).spans())) == 4  # a summary is no profile


def test_a_pair_has_one_summary_and_plain_names_too(tmp_path: Path) -> None:
    for name in ("rank0.1.pt.trace.json.gz", "rank0.1.pt.profile.pb", "rank1.trace.json", "rank2.json"):
        put(tmp_path / name, b"not a profile" if name.endswith("pb") else chrome_json(2))
    assert {one.state for one in made(tmp_path).values()} == {"made"}
    assert sorted(path.name for path in tmp_path.glob("*.summary")) == [
        "rank0.1.pt.summary",
        "rank1.pt.summary",
        "rank2.pt.summary",
    ]
    assert {one.state for one in made(tmp_path).values()} == {"fresh"}


def test_a_profile_that_changed_is_summarised_anew_and_it_says_so(tmp_path: Path) -> None:
    path = put(tmp_path / "rank0.1.pt.trace.json", chrome_json(2))
    made(tmp_path)
    put(path, chrome_json(5))
    (one,) = made(tmp_path).values()
    assert (one.state, one.reason) == ("made", "made of another file, or of what the file was before")
    assert made(tmp_path)[path.name].state == "fresh"


def test_what_cannot_be_summarised_says_why_and_the_rest_is(tmp_path: Path) -> None:
    put(tmp_path / "rank0.1.pt.trace.json", chrome_json(2))
    put(tmp_path / "rank1.1.pt.trace.json", b"<html>")
    put(tmp_path / "rank2.1.pt.trace.json", b'{"schemaVersion": 1, "traceEvents": []}')
    found = made(tmp_path)
    assert [found[f"rank{rank}.1.pt.trace.json"].state for rank in range(3)] == ["made", "failed", "failed"]
    assert "no events" in str(found["rank2.1.pt.trace.json"].reason)


def test_of_a_file_that_is_cut_off_it_says_so_made_or_there_already(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in range(2):
        whole = chrome_json(40, rank=rank)
        put(tmp_path / f"rank{rank}.1.pt.trace.json", whole if rank else whole[: len(whole) * 2 // 3])
    for counts in ("2 made, 0 there already", "0 made, 2 there already"):
        assert main(["summarize", str(tmp_path), "-j", "1"]) == 0
        said = capsys.readouterr()
        assert said.out == f"{counts}, 0 cannot be made; 1 of cut off files\n"
        assert said.err.splitlines() == ["tb-plugin: rank0.1.pt.trace.json: the file is cut off; its summary has what is there"]


def test_out_mirrors_the_folders_and_copied_over_them_it_is_used(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path_factory.mktemp("out") / "new"
    put(tmp_path / "run" / "rank0.1.pt.trace.json", chrome_json(2))
    put(tmp_path / "rank1.1.pt.trace.json", chrome_json(2))
    for said in ("2 made, 0 there already", "0 made, 2 there already"):
        assert main(["summarize", str(tmp_path), "--out", str(out)]) == 0
        assert said in capsys.readouterr().out
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*.*")) == [
        "rank1.1.pt.summary",
        "run/rank0.1.pt.summary",
    ]
    assert not list(tmp_path.rglob("*.summary"))
    shutil.copytree(out, tmp_path, dirs_exist_ok=True)
    assert {one.state for one in made(tmp_path).values()} == {"fresh"}


def test_summaries_whose_profiles_are_gone_are_said_to_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in range(2):
        put(tmp_path / f"rank{rank}.1.pt.trace.json", chrome_json(2, rank=rank))
    assert main(["summarize", str(tmp_path), "-j", "1"]) == 0
    for path in tmp_path.glob("*.json"):
        path.unlink()
    capsys.readouterr()
    assert main(["summarize", str(tmp_path)]) == 0
    expected = "0 made, 0 there already, 0 cannot be made; 2 summaries without their profiles stay as they are\n"
    assert capsys.readouterr().out == expected


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    put(tmp_path / "rank0.1.pt.trace.json", chrome_json(2))
    tmp_path.chmod(0o500)
    assert "cannot be written" in str(next(iter(made(tmp_path).values())).reason)


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_process_that_is_killed_costs_what_it_worked_on() -> None:
    found = dict(Processes(2).map_unordered(deadly.square, range(6)))
    assert {item: done for item, done in found.items() if isinstance(done, int)} == {0: 0, 2: 4, 4: 16, 5: 25}
    assert isinstance(found[deadly.FAILS], ValueError)
    assert "SIGKILL" in str(found[deadly.KILLS])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name")
class _GoesOnTheWay:
    """All are made, and of the first alone the answer comes."""

    def map_unordered(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | Exception]]:
        done = [function(item) for item in items]
        yield items[0], done[0]
        raise TbPluginError("the scheduler is gone")


def test_what_lies_there_is_counted_though_who_made_it_went_before_saying_so(tmp_path: Path) -> None:
    for rank in range(3):
        put(tmp_path / f"rank{rank}.1.pt.trace.json.gz", chrome_json(2, rank=rank))
    told: list[str] = []
    with pytest.raises(TbPluginError, match="gone"):
        told.extend(one.state for one in make_missing(scan(tmp_path), _GoesOnTheWay()))
    assert told == ["made"] * 3


def test_an_empty_address_of_a_scheduler_is_no_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summarize", str(tmp_path), "--scheduler", ""]) == 2
    assert "--scheduler: no address" in capsys.readouterr().err


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # at its end when nobody has it open for writing any more
    os.set_blocking(reading, True)
    with os.fdopen(reading, encoding="ascii") as lines:
        asks = "from tb_plugin.runs.processes import Processes; from tests.runs.deadly import holds; import sys; "
        asks += "list(Processes(2).map_unordered(holds, [sys.argv[1]] * 2))"
        parent = subprocess.Popen([sys.executable, "-c", asks, str(fifo)], cwd=Path(__file__).parents[2])
        while not select.select([lines], [], [], 0.1)[0] or not (first := lines.readline()):
            assert parent.poll() is None
        started = [int(first), int(lines.readline())]
        parent.kill()
        parent.wait()
        try:
            assert select.select([lines], [], [], 60)[0], "they live on"
            assert lines.read() == ""
        finally:
            for number in started:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)


def test_processes_make_summaries(tmp_path: Path) -> None:
    put(tmp_path / "rank0.1.pt.trace.json", chrome_json(2))
    put(tmp_path / "rank1.1.pt.trace.json", b"<html>")
    assert sorted(one.state for one in summaries.make_missing(scan(tmp_path), Processes(1))) == ["failed", "made"]
