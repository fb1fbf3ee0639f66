"""What is kept of a profile and mapped: remade where it is broken, whole where it was taken away, not counted as memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats import reader
from tb_plugin.formats.stored import column_file, mapped
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.store import ProfileStore, n_bytes
from tb_plugin.trace import compact
from tests.formats.same_trace import assert_same
from tests.runs.small import chrome_json, entries, loaded, put

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    "broken",
    [lambda data: b"", lambda data: data[:60], lambda data: data[:-1], lambda data: data[:999] + b"\xff" * 50 + data[1049:]],
    ids=["empty", "cut in its head", "cut", "other bytes"],
)
def test_a_broken_cache_entry_is_made_anew(
    store: ProfileStore, logdir: Path, cache_dir: Path, broken: Callable[[bytes], bytes]
) -> None:
    put(logdir / "w.1.pt.trace.json")
    first = loaded(store).value
    (entry,) = entries(cache_dir)
    whole = entry.read_bytes()
    entry.unlink()
    entry.write_bytes(broken(whole))
    again = ProfileStore(store.watch, cache=ProfileCache(cache_dir))
    second = loaded(again).value
    assert first is not None
    assert second is not None
    assert_same(second, first)
    assert entry.read_bytes() == whole
    again.close()


def test_what_is_open_stays_whole_when_its_entry_is_taken_away_and_made_anew(
    store: ProfileStore, logdir: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_file, "_LEAST_MAPPED", 0)
    put(logdir / "w.1.pt.trace.json", chrome_json(2000))
    opened = loaded(store).value
    assert opened is not None
    if not compact.is_mapped(opened.events.start_ns):
        pytest.skip("no file is mapped here")
    expected = reader.read(logdir / "w.1.pt.trace.json")
    (entry,) = entries(cache_dir)
    entry.unlink()
    again = ProfileStore(store.watch, cache=ProfileCache(cache_dir))
    second = loaded(again).value
    assert second is not None
    for trace in (opened, second):
        assert_same(trace, expected)
    again.close()


def test_what_is_mapped_is_not_counted_as_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = reader.read(put(tmp_path / "w.1.pt.trace.json", chrome_json(200_000)))
    path = tmp_path / "w.pt.columns"
    mapped.write(trace, path)
    opened = mapped.read(path)
    if not compact.is_mapped(opened.events.start_ns):
        pytest.skip("no file is mapped here")
    assert n_bytes(opened) == 16 << 20
    monkeypatch.setattr("tb_plugin.runs.store.MAPPED_BYTES", 0)
    assert n_bytes(opened) < 50 * len(trace.events)
    assert n_bytes(trace) > 80 * len(trace.events)
    monkeypatch.undo()
    few = reader.read(put(tmp_path / "few.1.pt.trace.json"))
    mapped.write(few, path)
    assert n_bytes(mapped.read(path)) < 1 << 20
    monkeypatch.setattr(column_file, "_LEAST_MAPPED", 0)
    assert n_bytes(mapped.read(path)) == 16 << 20
