"""Rows with few arguments are decoded apart, which must not be seen in what is read."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.formats.kineto import arguments, chunk
from tb_plugin.formats.kineto.chunk import ChunkColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.raw import RawTrace

NUMBER = st.one_of(st.integers(-1, 3), st.sampled_from([2**63, 2**64 - 1, 2**70]))
PLACE = st.one_of(st.none(), st.integers(0, 2), st.sampled_from(["7", 1.5]))
FEW = dict.fromkeys(("External id", "external id", "Sequence number", "Fwd thread id", "cbid", "Ev Idx", "correlation"), NUMBER)
ODD = {
    "Input Dims": st.sampled_from([[[2, 3]], [[]], "x"]),
    "Input type": st.just(["float"]),
    "grid": st.sampled_from([[1, 2, 3], "[4, 5, 6]"]),
    "bytes": st.sampled_from([4, "8", None]),
    "finished": st.booleans(),
    "correlation": st.sampled_from(["9", 2.0, 2.5, None]),
    "kind": st.sampled_from(["DtoD", 1]),
}
ARGS = st.one_of(
    st.none(),
    st.fixed_dictionaries({}, optional=FEW | {"device": PLACE, "stream": PLACE}),
    st.fixed_dictionaries({}, optional=FEW | ODD),
)
EVENT = st.fixed_dictionaries(
    {"ph": st.just("X"), "name": st.sampled_from("abc"), "ts": st.integers(0, 50), "dur": st.integers(0, 9), "args": ARGS},
    optional={"cat": st.sampled_from(["cpu_op", "cuda_runtime", "kernel", "user_annotation"])},
)
CHUNKS = st.lists(st.lists(EVENT, min_size=1, max_size=6), min_size=1, max_size=6)


def read(chunks: list[list[dict[str, Any]]]) -> tuple[RawTrace, ChunkColumns]:
    columns = ChunkColumns()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk, "_LEAST_APART", 1)
        for events in chunks:
            columns.add(columns.decoder.decode(msgspec.json.encode(events)[1:-1]))
    return columns.raw_trace({}, "x.json"), columns


def as_lists(raw: RawTrace) -> dict[str, Any]:
    """Of what arguments say; no row in an order that it has not in the file."""
    of_work = {name: column.tolist() for name, column in raw.work.columns.items()}
    said = {**asdict(raw.events), "unfinished": raw.unfinished_order, **{name: getattr(raw.work, name) for name in PLACES}}
    return {name: repr(value) for name, value in of_work.items()} | {
        name: np.asarray(value).tolist() for name, value in said.items()
    }


PLACES = ("order", "place_order", "device", "stream")


def all_labels(_raw: object, _rows: object, label: Sequence[int], _shape: object) -> list[int]:
    return [*{int(each) for each in label}]


@given(chunks=CHUNKS)
def test_columns_are_those_of_decoding_all_that_there_may_be(chunks: list[list[dict[str, Any]]]) -> None:
    found, _ = read(chunks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arguments, "few_columns", lambda _raw, rows, _shape: None if len(rows) else {})
        patch.setattr(arguments, "labels_with_others", all_labels)
        expected, _ = read(chunks)
    assert as_lists(found) == as_lists(expected)
    assert found.strings == expected.strings


def event(name: str, **args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "ts": 1, "dur": 1, "args": args}


def test_only_names_that_once_had_other_arguments_are_decoded_with_all() -> None:
    _, columns = read([[event("few"), event("many", **{"Input Dims": []})], [event("few"), event("many"), event("new")]])
    assert columns._actions.tolist() == [chunk._FEW_OF_OPERATOR, chunk._OPERATOR, chunk._FEW_OF_OPERATOR]


def test_counters_with_ids_beside_other_arguments_are_counters_of_their_own() -> None:
    counter = {"ph": "C", "name": "bytes", "id": 7, "ts": 1, "args": {"value": 1}}
    raw, _ = read([[counter, event("few"), event("many", **{"Input Dims": []})]])
    assert [raw.strings[name] for name in raw.events.name_id] == ["bytes [7]", "few", "many"]


def test_a_file_with_shapes_is_not_searched_for_names_without_for_long() -> None:
    _, columns = read([[event(f"{place}", **{"Input Dims": []})] for place in range(3 * chunk._MOST_SEARCHES)])
    assert set(columns._actions.tolist()) == {chunk._OPERATOR}
    assert max(columns._n_searches.values()) == chunk._MOST_SEARCHES
