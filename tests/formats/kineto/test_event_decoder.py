"""Which words the decoder of events knows must not be seen in what it gives."""

from __future__ import annotations

import pickle
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.formats.interning import Labels, LabelsOnTracks, Strings, TrackIds
from tb_plugin.formats.kineto import event_decoder
from tb_plugin.formats.kineto.chunk import ChunkColumns
from tb_plugin.formats.kineto.event_decoder import EventDecoder
from tb_plugin.formats.kineto.events import Event

WORD = st.one_of(st.sampled_from(["cpu_op", "kernel", "", "X", "c\u00e9"]), st.text(max_size=60))
CHUNKS = st.lists(st.lists(st.fixed_dictionaries({"name": st.text(max_size=5)}, optional={"cat": WORD, "ph": WORD})), max_size=8)


def text_of(events: list[dict[str, str]]) -> bytes:
    return msgspec.json.encode(events)[1:-1]


def fields(events: list[Event]) -> list[tuple[str, str, str]]:
    return [(event.name, event.cat, event.ph) for event in events]


@given(chunks=CHUNKS)
def test_a_chunk_gives_the_same_events_whatever_came_before(chunks: list[list[dict[str, str]]]) -> None:
    decoder = EventDecoder()
    for chunk in chunks:
        expected = [(event["name"], event.get("cat", ""), event.get("ph", "")) for event in chunk]
        assert fields(decoder.decode(text_of(chunk))) == expected


def test_words_that_are_known_are_one_object() -> None:
    decoder = EventDecoder()
    decoder.decode(b'{"cat":"a_category"}')
    first, second = decoder.decode(b'{"cat":"a_category"},{"cat":"a_category"}')
    assert first.cat is second.cat


def test_a_file_of_many_words_has_no_decoder_made_for_each() -> None:
    decoder = EventDecoder()
    made: set[Any] = set()
    for place in range(3 * event_decoder._MOST_WORDS):
        (event,) = decoder.decode(b'{"cat":"word %d"}' % place)
        assert event.cat == f"word {place}"
        made.add(type(event))
        made.add(decoder._decoder)
    assert len(made) <= event_decoder._MOST_WORDS + 3


@pytest.mark.parametrize("text", [b'{"cat":1}', b'{"cat":"a"', b'{"ts":"x"}', b"1"])
def test_what_is_no_usual_event_is_said_after_known_words_too(text: bytes) -> None:
    decoder = EventDecoder()
    decoder.decode(b'{"cat":"a","ph":"X"}')
    with pytest.raises(msgspec.DecodeError):
        decoder.decode(text)


def test_labels_and_tracks_get_their_ids_in_the_order_of_events() -> None:
    labels, tracks = Labels(Strings()), TrackIds()
    rows = LabelsOnTracks(labels, tracks)
    on_track: list[tuple[str, int | str, int | str]] = [("a", 1, 2), ("b", 1, 2), ("a", 1, "3"), ("a", "1", "2")]
    numbers = np.array([rows[name, "cpu_op", "X", pid, tid] for name, pid, tid in on_track], np.int32)
    label, track = rows.of(numbers)
    assert (label.tolist(), track.tolist()) == ([0, 1, 0, 0], [0, 0, 1, 0])


def test_what_a_helper_has_read_travels_without_what_only_adds() -> None:
    columns = ChunkColumns()
    columns.add(columns.decoder.decode(b'{"name":"a","cat":"cpu_op","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}'))
    there = pickle.loads(pickle.dumps(columns))
    whole = ChunkColumns(0.0)
    whole.join(there)
    assert (whole.n_events, list(whole.labels)) == (1, [("a", "cpu_op", "X")])


def test_fields_stay_in_the_order_of_an_event_when_words_are_known() -> None:
    decoder = EventDecoder()
    decoder.decode(b'{"cat":"a","ph":"X"}')
    (event,) = decoder.decode(b'{"cat":"a","ph":"X","name":"n","pid":1,"tid":2,"ts":3,"dur":4,"args":{},"id":5}')
    assert type(event) is not Event
    assert msgspec.structs.astuple(event) == ("X", "a", "n", 1, 2, 3.0, 4.0, msgspec.Raw(b"{}"), 5)


def test_work_with_and_without_arguments_says_how_and_where_apart() -> None:
    """By row: nothing said, how it was launched, where it ran, both."""
    columns = ChunkColumns()
    said = ["", ',"args":{"grid":[1,2,3]}', ',"args":{"device":4,"stream":7}', ',"args":{"device":0,"stream":7,"block":[8,1,1]}']
    events = (
        f'{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{place},"dur":1{args}}}' for place, args in enumerate(said)
    )
    columns.add(columns.decoder.decode(",".join(events).encode()))
    work = columns.raw_trace({}, "t").work
    assert work.order.tolist() == [1, 3]
    assert work.columns["grid"].tolist() == [[1, 2, 3], [-1, -1, -1]]
    assert work.columns["block"].tolist() == [[-1, -1, -1], [8, 1, 1]]
    assert (work.place_order.tolist(), work.device.tolist(), work.stream.tolist()) == ([2, 3], [4, 0], [7, 7])
