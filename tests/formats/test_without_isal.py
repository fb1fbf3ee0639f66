"""Where there is no wheel of `isal` the standard library reads and writes the same."""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base import fast_gzip
from tb_plugin.formats import whole_file
from tb_plugin.formats.kineto import kineto_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

N_EVENTS = 20_000  # 2 MB, in several chunks, that pack to a hundredth


@pytest.fixture(params=["isal", "standard library"], autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param != "isal":
        monkeypatch.setitem(sys.modules, "isal", None)
    importlib.reload(fast_gzip)
    assert (request.param == "isal") == fast_gzip.HAS_ISAL
    yield request.param
    monkeypatch.undo()
    importlib.reload(fast_gzip)


@pytest.fixture
def text() -> bytes:
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "dur": 5}
    return json.dumps({"traceEvents": [{**event, "ts": 10 * place} for place in range(N_EVENTS)]}).encode()


def n_events(path: Path) -> int:
    return len(kineto_json.read(path).events)


def test_what_is_written_is_read_again(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    with whole_file.written(path) as file:
        file.write(text)
    assert gzip.decompress(path.read_bytes()) == text
    assert path.stat().st_size < len(text) / 5
    assert n_events(path) == N_EVENTS


def test_a_reply_is_gzip(text: bytes) -> None:
    assert gzip.decompress(fast_gzip.compress(text)) == text


def test_a_gzip_of_several_members_is_one_file(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(text[:300_000], mtime=0) + gzip.compress(text[300_000:], mtime=0))
    assert n_events(tmp_path / "a.json.gz") == N_EVENTS


@pytest.mark.parametrize("flip", [False, True])
def test_damage_gives_what_came_before(text: bytes, tmp_path: Path, *, flip: bool) -> None:
    packed = bytearray(gzip.compress(text, mtime=0))
    middle = len(packed) // 2
    packed = packed[:middle] + (bytes(64) + packed[middle + 64 :] if flip else b"")
    (tmp_path / "a.json.gz").write_bytes(packed)
    trace = kineto_json.read(tmp_path / "a.json.gz")
    assert 0.2 * N_EVENTS < len(trace.events) < N_EVENTS
    assert {"truncated", "checksum"} & {issue.kind for issue in trace.issues}
