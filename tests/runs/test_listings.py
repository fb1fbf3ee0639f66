"""A large log directory: what did not change is not read again, and what did is seen at once."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tests.runs.small import LONG_S, chrome_json, no_thread_left, put, until

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.runs.catalogue import Catalogue

LONG_AGO = 10**9


def old(*folders: Path) -> None:
    for folder in folders:
        os.utime(folder, (LONG_AGO, LONG_AGO))


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Directories that were listed, in order."""
    found, scandir = list[str](), os.scandir

    def counted(path: str) -> object:
        found.append(os.path.basename(path))  # noqa: PTH119 - a text, as it came
        return scandir(path)

    monkeypatch.setattr("os.scandir", counted)
    return found


def names(watch: Watch) -> list[str]:
    """By a scan that begins now."""
    watch.catalogue(LONG_S)
    return sorted(run.name for run in watch.look_again(LONG_S).runs)


def test_only_directories_that_changed_are_listed_again(tmp_path: Path, listed: list[str]) -> None:
    for run in "abc":
        put(tmp_path / "logs" / run / "w.1.pt.trace.json")
        put(tmp_path / "logs" / run / "checkpoint.bin", b"x")
    old(tmp_path / "logs", *(tmp_path / "logs" / run for run in "abc"))
    with no_thread_left():
        watch = Watch(from_flags(str(tmp_path / "logs"), None), min_age_s=0)
        assert names(watch) == ["a", "b", "c"]
        listed.clear()
        assert names(watch) == ["a", "b", "c"]
        assert listed == []
        put(tmp_path / "logs" / "b" / "w.2.pt.trace.json")
        put(tmp_path / "logs" / "d" / "w.1.pt.trace.json")
        assert names(watch) == ["a", "b", "c", "d"]
        assert set(listed) == {"logs", "b", "d"}
        assert [len(run.workers[0].spans) for run in watch.known.runs] == [1, 2, 1, 1]
        (tmp_path / "logs" / "a" / "w.1.pt.trace.json").unlink()
        assert names(watch) == ["b", "c", "d"]
        watch.close()


def test_a_file_that_grows_in_a_directory_that_stays_is_seen(tmp_path: Path) -> None:
    path = put(tmp_path / "logs" / "w.1.pt.trace.json")
    old(tmp_path / "logs")
    with no_thread_left():
        watch = Watch(from_flags(str(tmp_path / "logs"), None), min_age_s=0)
        names(watch)
        with path.open("ab") as file:
            file.write(b" " * 100)
        names(watch)
        (span,) = watch.known.spans()
        assert span.files[0].size_bytes == path.stat().st_size
        watch.close()


def test_a_run_that_is_named_is_looked_for_though_the_last_scan_is_young(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a" / "w.1.pt.trace.json")
    with no_thread_left():
        store = ProfileStore(
            Watch(from_flags(str(tmp_path / "logs"), None), min_age_s=0.2), cache=ProfileCache(tmp_path / "cache")
        )
        store.watch.catalogue(LONG_S)
        store.watch._rest_until = time.monotonic() + 600  # as after a scan of two minutes
        time.sleep(0.2)
        put(tmp_path / "logs" / "b" / "w.1.pt.trace.json")
        assert store.find("b", None, None).span.name == "1"
        with pytest.raises(NotFoundError):
            store.find("c", None, None)
        store.close()


def test_other_content_of_the_same_size_and_time_is_another_profile(tmp_path: Path) -> None:
    path = put(tmp_path / "logs" / "w.1.pt.trace.json", chrome_json(2).replace(b"aten::mm", b"aten::aa"))
    with no_thread_left():
        store = ProfileStore(Watch(from_flags(str(tmp_path / "logs"), None), min_age_s=0), cache=ProfileCache(tmp_path / "cache"))
        before = path.stat()

        def shown() -> tuple[str, ...]:
            asked = store.find(None, None, None)
            value = until(lambda: store.ask(asked), lambda now: now.state in ("ready", "failed")).value
            assert value is not None
            return value.strings

        assert "aten::aa" in shown()
        path.write_bytes(chrome_json(2).replace(b"aten::mm", b"aten::bb"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        assert "aten::bb" in shown()
        store.close()


def test_two_servers_of_one_cache_convert_a_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "logs" / "w.1.pt.trace.json", chrome_json(200))
    with no_thread_left():
        stores = [
            ProfileStore(Watch(from_flags(str(tmp_path / "logs"), None), min_age_s=0), cache=ProfileCache(tmp_path / "cache"))
            for _ in range(2)
        ]
        converted = list[str]()
        for store in stores:
            convert = store.children.convert

            def counted(source: Path, *others: object, convert: object = convert) -> None:
                converted.append(source.name)
                convert(source, *others)  # type: ignore[operator]

            monkeypatch.setattr(store.children, "convert", counted)
        asked = [store.find(None, None, None) for store in stores]
        for store, each in zip(stores, asked, strict=True):
            store.ask(each)
        for store, each in zip(stores, asked, strict=True):
            state = until(lambda store=store, each=each: store.ask(each), lambda now: now.state in ("ready", "failed")).state  # type: ignore[misc]
            assert state == "ready"
        assert converted == ["w.1.pt.trace.json"]
        for store in stores:
            store.close()


def test_ranks_read_of_an_older_scan_never_take_the_place_of_a_newer_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of ranks publishes what it has just after a new scan has: once it put the old catalogue back."""
    put(tmp_path / "logs" / "a" / "w.1.pt.trace.json")
    with no_thread_left():
        watch = Watch(from_flags(str(tmp_path / "logs"), None), min_age_s=0)
        assert names(watch) == ["a"]
        publish, late = Watch._publish, False

        def then_ranks(self: Watch, catalogue: Catalogue) -> None:
            nonlocal late
            publish(self, catalogue)
            if not late:
                late = True
                self._publish_ranks()

        put(tmp_path / "logs" / "b" / "w.1.pt.trace.json")
        monkeypatch.setattr(Watch, "_publish", then_ranks)
        assert names(watch) == ["a", "b"]
        watch.close()
