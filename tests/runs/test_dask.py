"""A real Dask cluster makes the summaries: scheduler and workers are processes of their own, and one is killed on the way."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import NotFoundError, TbPluginError
from tb_plugin.runs.engines import DaskCluster
from tb_plugin.runs.summaries import beside
from tests.runs import deadly
from tests.runs.small import chrome_json, put, scan, until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow  # starts five processes
distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'torch-tb-plugin[cluster]'")
_ROOT = Path(__file__).parents[2]


class Cluster:
    """A scheduler and its workers, as processes."""

    def __init__(self, folder: Path, *of_workers: str) -> None:
        self._where = folder / "scheduler.json"
        self.started: list[subprocess.Popen[bytes]] = []
        self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        # A worker that reads the file while it is written gives up, and everybody waits for one for ever.
        written = until(lambda: self._where.is_file() and self._where.read_text().rstrip().endswith("}"), bool)
        assert written
        self._start("dask_worker", "--nthreads", "1", "--local-directory", str(folder), *of_workers)

    @property
    def address(self) -> str:
        return str(json.loads(self._where.read_text())["address"])

    def kill(self, nth: int) -> None:
        self.started[nth].kill()

    def end(self) -> None:
        for process in reversed(self.started):  # workers say goodbye to their scheduler
            process.terminate()
            process.wait(60)

    def _start(self, module: str, *arguments: str) -> None:
        common = ["--scheduler-file", str(self._where), "--no-dashboard"]
        command = [sys.executable, "-m", f"distributed.cli.{module}", *common, *arguments]
        quiet = subprocess.DEVNULL
        self.started.append(subprocess.Popen(command, cwd=_ROOT, stdout=quiet, stderr=quiet))


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address; it has two workers, which are started anew when they die."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"), "--nworkers", "2")
    try:
        yield cluster.address
    finally:
        cluster.end()


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Cluster]:
    """One worker, which nobody starts anew."""
    cluster = Cluster(tmp_path, "--no-nanny")
    try:
        yield cluster
    finally:
        cluster.end()


def test_the_shell_has_a_cluster_make_them(scheduler: str, tmp_path: Path) -> None:
    for rank in range(4):
        put(tmp_path / f"rank{rank}.1.pt.trace.json.gz", chrome_json(2, rank=rank) if rank != 2 else b"<html>")
    command = [sys.executable, "-m", "tb_plugin.doors.cli", "summarize", str(tmp_path), "--scheduler", scheduler]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stdout) == (1, "3 made, 0 there already, 1 cannot be made\n"), done.stderr
    assert "rank2.1.pt.trace.json.gz: " in done.stderr
    assert [beside(span.files) is not None for span in scan(tmp_path).spans()] == [True, True, False, True]


def test_a_worker_that_is_killed_loses_nothing(scheduler: str, tmp_path: Path) -> None:
    items = [str(tmp_path / f"{place}") for place in range(6)]
    for item in items[1:]:
        Path(item).touch()  # only the first kills
    assert dict(DaskCluster(scheduler).map_unordered(deadly.dies_once, items)) == {item: item for item in items}


def test_what_kills_every_worker_is_a_reason_and_the_rest_is_done(scheduler: str) -> None:
    found = dict(DaskCluster(scheduler).map_unordered(deadly.square, range(6)))
    assert {item: done for item, done in found.items() if isinstance(done, int)} == {0: 0, 2: 4, 4: 16, 5: 25}
    assert isinstance(found[deadly.FAILS], ValueError)
    assert type(found[deadly.KILLS]).__name__ == "KilledWorker"


def test_where_no_scheduler_answers_it_is_said() -> None:
    with pytest.raises(NotFoundError, match="no scheduler answers"):
        dict(DaskCluster("tcp://127.0.0.1:1", connect_s=0.2).map_unordered(deadly.square, [0]))


@pytest.mark.parametrize("address", ["nonsense", "tcp://nonsense", "other://127.0.0.1:1"])
def test_what_is_no_address_is_said_before_anything_is_started(address: str) -> None:
    before = set(threading.enumerate())
    with pytest.raises(NotFoundError, match=f"{address}: no scheduler answers"):
        dict(DaskCluster(address).map_unordered(deadly.square, [0]))
    assert set(threading.enumerate()) == before


@pytest.mark.parametrize(("nth", "why"), [(1, "its last worker is gone"), (0, "the scheduler is gone")])
def test_where_nobody_is_left_to_work_one_sentence_says_how_to_go_on(
    mortal: Cluster, nth: int, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    said: list[str] = []
    found = DaskCluster(mortal.address, said.append, without_worker_s=1.0).map_unordered(deadly.waits_after_first, range(3))
    assert next(found) == (0, 0)
    mortal.kill(nth)
    with pytest.raises(TbPluginError, match=f"{why}.*the same command goes on with the rest"):
        list(found)
    assert sum("no workers any more" in one for one in said) == nth
    assert caplog.records == []


def test_a_connection_that_breaks_under_an_answer_is_the_schedulers_end(mortal: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """`distributed` has an OSError for it, which was told as one of standard output."""

    def breaks(_future: object) -> None:
        raise distributed.comm.CommClosedError("in <TCP (closed) ConnectionPool.gather>: Stream is closed")

    monkeypatch.setattr(distributed.Future, "result", breaks)
    with pytest.raises(TbPluginError, match=r"the scheduler is gone.*the same command goes on with the rest"):
        list(DaskCluster(mortal.address).map_unordered(deadly.square, [0]))
