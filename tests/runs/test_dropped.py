from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import FormatError, UsageError
from tb_plugin.formats import reader
from tb_plugin.formats.perfetto import write
from tb_plugin.runs import discover
from tb_plugin.runs import dropped as bounds
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.dropped import Dropped
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tests.runs.small import chrome_json, no_thread_left
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "w.1.pt.trace.json"
CONTENT = chrome_json()


@pytest.fixture
def dropped() -> Iterator[Dropped]:
    made = Dropped(max_bytes=1 << 20)
    yield made
    made.close()


def take(dropped: Dropped, name: str = NAME, content: bytes = CONTENT) -> Path:
    return dropped.take(name, len(content), io.BytesIO(content).read)[1]


def left(dropped: Dropped) -> list[str]:
    assert dropped._folder is not None
    return sorted(path.name for path in Path(dropped._folder.name).iterdir())


def test_a_file_is_kept_until_the_server_ends(dropped: Dropped) -> None:
    path = take(dropped)
    assert path.read_bytes() == CONTENT
    top = path.parent.parent
    dropped.close()
    assert not top.exists()


def test_a_file_dropped_twice_is_two_runs(dropped: Dropped) -> None:
    assert take(dropped).parent != take(dropped).parent


def ranked(rank: int, size: int = 4) -> bytes:
    return json.dumps({**json.loads(CONTENT), "distributedInfo": {"rank": rank, "world_size": size}}).encode()


def test_ranks_of_one_job_that_come_together_are_one_run(dropped: Dropped) -> None:
    """And what is not of it is not: another size, the same rank once more, no rank."""
    runs: list[str] = []
    for name, content in [
        ("rank0", ranked(0)),
        ("rank1", ranked(1)),
        ("other", json.dumps({**json.loads(CONTENT), "distributedInfo": {}}).encode()),
        ("rank2", ranked(2)),
        ("again", ranked(2)),
        ("eight", ranked(3, 8)),
    ]:
        beside = f"dropped/{runs[0]}" if runs else ""
        read = io.BytesIO(content).read
        logdir, path = dropped.take(f"{name}.pt.trace.json", len(content), read, beside)
        assert path.read_bytes() == content
        assert path.parent.parent == Path(logdir.path)
        runs.append(path.parent.name)
    assert runs == ["4_ranks", "4_ranks", "other", "4_ranks", "again", "eight"]
    assert left(dropped) == sorted(set(runs))


def test_a_run_that_is_named_is_no_way_out_of_the_folder(dropped: Dropped) -> None:
    content = ranked(1)
    first = take(dropped, content=ranked(0))
    outside = first.parent.parent.parent
    _, path = dropped.take("rank1.1.pt.trace.json", len(content), io.BytesIO(content).read, f"../{outside.name}/..")
    assert path.parent.parent == first.parent.parent


def test_a_rank_that_comes_alone_is_a_run_by_its_name(dropped: Dropped) -> None:
    assert [take(dropped, f"rank{rank}.pt.trace.json", ranked(rank)).parent.name for rank in (0, 1)] == ["rank0", "rank1"]


@pytest.mark.parametrize(
    "name", ["../../x.pt.trace.json", "/etc/x.pt.trace.json", r"C:\a\x.pt.trace.json", ".x.pt.trace.json", "-x.pt.trace.json"]
)
def test_a_name_is_no_way_out_of_the_folder(dropped: Dropped, name: str) -> None:
    path = take(dropped, name)
    assert path.name == "x.pt.trace.json"
    assert path.parent.parent == Path(str(dropped._folder and dropped._folder.name))


@pytest.mark.parametrize(
    ("name", "content", "kind", "reason"),
    [
        ("notes.txt", CONTENT, UsageError, "profiles are called"),
        (NAME, b"", FormatError, f"{NAME}: .* the file is empty"),
        (NAME, b"\x7fELF" * 99, FormatError, f"{NAME}: .* none of the formats that are read"),
        (NAME, b"PK\x03\x04" * 99, FormatError, "a zip archive; unpack it first"),
        ("trace.json", b'{"a": 1}', FormatError, r"trace\.json: .* JSON that does not begin as a trace does"),
        (NAME, CONTENT + b" " * (1 << 20), UsageError, "may have 1.00 MiB"),
    ],
)
def test_what_is_no_profile_leaves_nothing(
    dropped: Dropped, name: str, content: bytes, kind: type[Exception], reason: str
) -> None:
    take(dropped)
    with pytest.raises(kind, match=reason):
        take(dropped, name, content)
    assert left(dropped) == ["w.1"]


@pytest.mark.parametrize("name", ["w.pftrace", "w.PFTRACE.gz"])
def test_a_perfetto_trace_that_the_page_saved_is_a_profile_again(dropped: Dropped, tmp_path: Path, name: str) -> None:
    pytest.importorskip("perfetto", reason="the extra `perfetto` is not installed")
    write.write(trace_from_text("thread 1 | aten::mm 0-10"), saved := tmp_path / "saved.pftrace")
    content = gzip.compress(saved.read_bytes()) if name.endswith(".gz") else saved.read_bytes()
    logdir, path = dropped.take(name, len(content), io.BytesIO(content).read)
    (run,) = discover.search([logdir]).runs
    assert (run.name, [worker.name for worker in run.workers]) == ("dropped/w.pftrace", ["w.pftrace"])
    trace = reader.read(path)
    assert [trace.text(name_id) for name_id in trace.events.name_id] == ["aten::mm"]
    with pytest.raises(FormatError, match=f"^{name}: not a PyTorch profile"):
        take(dropped, name, b"no trace")


def test_a_perfetto_trace_that_cannot_be_read_says_how_to_get_what_reads_it(
    dropped: Dropped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "perfetto.protos.perfetto.trace", None)
    with pytest.raises(UsageError, match=r"pip install 'torch-tb-plugin\[perfetto\]'"):
        take(dropped, "w.pftrace", b"\n")


def test_a_file_that_ends_early_leaves_nothing(dropped: Dropped) -> None:
    take(dropped)
    with pytest.raises(UsageError, match="did not arrive whole"):
        dropped.take(NAME, len(CONTENT) + 1, io.BytesIO(CONTENT).read)
    assert left(dropped) == ["w.1"]


def test_there_is_an_end_to_files_and_bytes(dropped: Dropped, monkeypatch: pytest.MonkeyPatch) -> None:
    take(dropped)
    monkeypatch.setattr(bounds, "MAX_BYTES_IN_ALL", 2 * len(CONTENT) - 1)
    with pytest.raises(UsageError, match="no room"):
        take(dropped)
    monkeypatch.setattr(bounds, "MAX_FILES", 1)
    with pytest.raises(UsageError, match="it takes 1 and"):
        take(dropped)


def test_one_file_arrives_at_a_time(dropped: Dropped) -> None:
    def while_another_arrives(n_bytes: int) -> bytes:
        with pytest.raises(UsageError, match="another file is arriving"):
            take(dropped)
        return CONTENT[:n_bytes]

    assert dropped.take(NAME, len(CONTENT), while_another_arrives)[1].exists()


def test_a_dropped_file_is_a_run_beside_those_of_the_log_directory(tmp_path: Path) -> None:
    logdir = tmp_path / "logs"
    (logdir / "exp").mkdir(parents=True)
    (logdir / "exp" / "w.2.pt.trace.json").write_bytes(CONTENT)
    with no_thread_left():
        # A scan has just ended: the next one would be an hour later.
        store = ProfileStore(Watch(from_flags(str(logdir), None), min_age_s=3600), cache=ProfileCache(tmp_path / "cache"))
        assert [run.name for run in store.catalogue(10).runs] == ["exp"]
        for run in ("dropped/w.1", "dropped/w.1-2"):
            assert store.drop(NAME, len(CONTENT), io.BytesIO(CONTENT).read) == (run, "w", "1")
            assert run in [each.name for each in store.watch.known.runs]
        store.close()
