"""What is kept beside a profile: there for who opens it next, by any server of the same code, and never in the way."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.answers import bodies, questions
from tb_plugin.base.local_disk import is_local
from tb_plugin.formats import reader
from tb_plugin.formats.stored import column_file
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.shelf import Room
from tb_plugin.runs.store import ProfileStore
from tb_plugin.trace import compact
from tb_plugin.trace import kept as kept_of_trace
from tb_plugin.trace.times.operator_times import operator_tree
from tb_plugin.trace.work.taxonomy import category_by_row
from tb_plugin.views.timeline import index
from tb_plugin.views.timeline.index import index_of
from tests.profiles import sample
from tests.runs.small import loaded, put

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


@pytest.fixture
def opened(store: ProfileStore, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> Trace:
    monkeypatch.setattr("tb_plugin.runs.store.WORTH_IT_EVENTS", 4)
    monkeypatch.setattr("tb_plugin.compute.pyramid._FEW_BLOCKS", 8)  # a small profile has levels too
    put(logdir / "w.1.pt.trace.json.gz", sample("transformer").read_bytes())
    return open_again(store)


def open_again(store: ProfileStore) -> Trace:
    trace = loaded(store).value
    assert trace is not None
    return trace


def another(store: ProfileStore, cache_dir: Path) -> ProfileStore:
    return ProfileStore(store.watch, cache=ProfileCache(cache_dir))


def kept(cache_dir: Path) -> list[Path]:
    return list(cache_dir.glob("*.beside.columns"))


def window(trace: Trace) -> bytes:
    question = questions.of_one("view/timeline/window")
    params = question.params_from({"t0_ns": "0", "t1_ns": str(trace.info.end_ns), "width_px": "300"})
    return bodies.body(question, trace, params, "sent", None)


def never(_trace: Trace) -> Any:
    raise AssertionError("worked out again")


def test_the_timelines_index_is_there_when_the_profile_is_opened_again(
    store: ProfileStore, opened: Trace, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = index._built(opened)
    first = window(opened)
    assert len(kept(cache_dir)) == 1
    monkeypatch.setattr(index, "_built", never)
    trace = open_again(another(store, cache_dir))
    found = index_of(trace)
    for name in (field.name for field in fields(index.Index) if field.name != "pyramid"):
        np.testing.assert_array_equal(getattr(found, name), getattr(fresh, name), err_msg=name)
    assert len(fresh.pyramid.levels) > 1
    columns = found.pyramid.columns()
    assert columns.keys() == fresh.pyramid.columns().keys()
    for name, column in fresh.pyramid.columns().items():
        np.testing.assert_array_equal(columns[name], column, err_msg=name)
        assert columns[name].dtype == column.dtype
    assert window(trace) == first


def test_a_damaged_one_is_made_anew(store: ProfileStore, opened: Trace, cache_dir: Path) -> None:
    first = window(opened)
    (path,) = kept(cache_dir)
    whole = path.read_bytes()
    path.unlink()
    path.write_bytes(whole[:-1])
    assert window(open_again(another(store, cache_dir))) == first
    assert path.read_bytes() == whole


def test_where_nothing_can_be_written_it_is_worked_out(opened: Trace, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(column_file, "write", full)
    assert window(opened)
    assert kept(cache_dir) == []


def test_it_takes_no_memory_where_files_are_mapped(opened: Trace, cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "_LEAST_MAPPED", 0)
    found = index_of(opened)
    told = [
        compact.is_mapped(column) for column in (found.depth, found.paint, found.pyramid.row_at, found.pyramid.levels[0].first)
    ]
    assert told == [is_local(cache_dir)] * 4


WINDOWS = ("timeline/area", "timeline/calls")
VIEWS = ("overview", "operators", "kernels", "modules", "memory", "roofline", "advice", "whatif", "timeline", *WINDOWS)


@pytest.mark.parametrize("name", VIEWS)
def test_what_is_put_away_answers_as_what_is_in_memory(
    opened: Trace, logdir: Path, cache_dir: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_of_trace, "_LARGE_BYTES", 1)
    question = questions.of_one(f"view/{name}")
    given = {"t0_ns": "0", "t1_ns": str(opened.info.end_ns)} if name in WINDOWS else {}
    bare = reader.read(logdir / "w.1.pt.trace.json.gz")
    params = question.params_from(given)
    expected = bodies.body(question, bare, params, "sent", None)
    assert [bodies.body(question, opened, params, "sent", None) for _ in range(2)] == [expected] * 2


def test_large_columns_of_what_is_kept_lie_in_a_file_without_a_name(
    opened: Trace, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_of_trace, "_LARGE_BYTES", 1)
    before = sorted(cache_dir.iterdir())
    tree, category = operator_tree(opened), category_by_row(opened)
    assert [compact.is_mapped(column) for column in (tree.nests, tree.parent, category)] == [is_local(cache_dir)] * 3
    assert tree is operator_tree(opened)
    assert not category.flags.writeable or not is_local(cache_dir)
    assert sorted(cache_dir.iterdir()) == before


NUMBERS = {"wide": np.arange(6).reshape(3, 2), "bools": np.ones(60, np.bool_), "strided": np.arange(18)[::3]}


def test_columns_in_lists_tuples_and_last_answers_are_put_away_and_objects_stay(
    opened: Trace, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_of_trace, "_LARGE_BYTES", 1)
    tree = operator_tree(reader.read(sample("transformer")))
    last = kept_of_trace.LastAnswers[int, "np.ndarray[Any, Any]"](2)

    @kept_of_trace.once_per_trace
    def answer(_trace: Trace) -> tuple[list[Any], Any]:
        return [np.arange(3), "text"], (tree, last)

    columns, (found_tree, found_last) = answer(opened)
    assert found_tree is tree
    assert found_last is last
    every = (columns[0], tree.nests, last.get(1, lambda: np.arange(4)))
    assert [compact.is_mapped(column) for column in every] == [is_local(cache_dir)] * 3
    assert (columns[0].tolist(), columns[1], last.get(1, lambda: np.arange(0)).tolist()) == ([0, 1, 2], "text", [0, 1, 2, 3])


def test_a_packed_column_takes_no_memory_once_it_is_unpacked(
    opened: Trace, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_of_trace, "_LARGE_BYTES", 1)
    assert "sequence" not in opened.events.columns_here()
    assert compact.is_mapped(opened.events.sequence) == is_local(cache_dir)


@pytest.mark.parametrize("numbers", NUMBERS.values(), ids=NUMBERS)
def test_a_column_without_room_stays_where_it_is(tmp_path: Path, numbers: np.ndarray[Any, Any]) -> None:
    room = Room(tmp_path, 80)
    first, second = room.put(numbers), room.put(numbers)
    for column in (first, second):
        np.testing.assert_array_equal(column, numbers)
    assert (first is numbers) == (not is_local(tmp_path))
    assert second is numbers
    assert Room(tmp_path / "none", 100).put(numbers) is numbers


def test_a_trace_made_of_another_has_no_shelf_of_it(opened: Trace) -> None:
    made = replace(opened, issues=())
    assert not compact.is_mapped(kept_of_trace.kept_columns(made, "timeline index", lambda: {"a": np.arange(3)})["a"])
