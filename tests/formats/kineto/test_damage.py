"""Damaged, oddly shaped and foreign files: what is readable is read, what is odd is counted, what is foreign is one error."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tb_plugin.answers.notes import on_answer
from tb_plugin.base.errors import FormatError
from tb_plugin.base.units import format_bytes
from tb_plugin.formats.kineto import kineto_json
from tb_plugin.formats.kineto.json_stream import CHUNK_BYTES
from tb_plugin.trace.check import check
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recording import about_all, is_cut_off
from tb_plugin.views.kernels.result import KernelsParams

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def event(name: str, ts: float, dur: float = 5, **more: Any) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": "cpu_op",
        "name": name,
        "pid": 1,
        "tid": 2,
        "ts": ts,
        "dur": dur,
        "args": {"External id": 7},
        **more,
    }


EVENTS = [event(f"op{n}", 10 * n) for n in range(6)]
HEAD = '{"schemaVersion": 1, "traceEvents": ['


def read(tmp_path: Path, text: str | bytes, name: str = "x.json") -> Trace:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    trace = kineto_json.read(path)
    check(trace)
    return trace


def names(trace: Trace) -> list[str]:
    by_order = trace.events.order.argsort()
    return [trace.text(trace.events.name_id[row]) for row in by_order]


def issue_kinds(trace: Trace) -> dict[str, int]:
    return {issue.kind: issue.count for issue in trace.issues}


@pytest.mark.parametrize("gzipped", [False, True])
@pytest.mark.parametrize("shape", ["object", "list", "events first"])
def test_object_and_list_plain_and_gzip_are_read_alike(tmp_path: Path, shape: str, gzipped: bool) -> None:
    whole: Any = {
        "object": {"traceName": "t", "traceEvents": EVENTS},
        "list": EVENTS,
        "events first": {"traceEvents": EVENTS, "a": [{"name": 1}]},
    }
    data = json.dumps(whole[shape], indent=1).encode()
    trace = read(tmp_path, gzip.compress(data, mtime=0) if gzipped else data)
    assert names(trace) == [f"op{n}" for n in range(6)]
    assert issue_kinds(trace) == {}


def test_a_gzip_of_several_members_is_one_file(tmp_path: Path) -> None:
    data = json.dumps({"traceEvents": EVENTS}).encode()
    assert len(names(read(tmp_path, gzip.compress(data[:200], mtime=0) + gzip.compress(data[200:], mtime=0)))) == 6


@pytest.mark.parametrize("cut", [3, 40, 150, 300])
def test_a_truncated_file_gives_the_whole_events_and_one_issue(tmp_path: Path, cut: int) -> None:
    data = json.dumps({"traceEvents": EVENTS})[:-cut]
    trace = read(tmp_path, data)
    assert names(trace) == [f"op{n}" for n in range(data.count("}}"))]
    assert issue_kinds(trace) == {"truncated": 1}


def test_a_truncated_gzip_gives_what_could_be_unpacked(tmp_path: Path) -> None:
    events = [event(f"op{n % 9}", 10 * n, dur=n * 7919 % 997) for n in range(9000)]
    packed = gzip.compress(json.dumps({"traceEvents": events}).encode(), mtime=0)
    trace = read(tmp_path, packed[: len(packed) * 2 // 3])
    assert 3000 < len(trace.events) < 9000
    assert issue_kinds(trace) == {"truncated": 1}


def test_a_damaged_gzip_gives_what_came_before_the_damage(tmp_path: Path) -> None:
    events = [event(f"op{n % 9}", 10 * n, dur=n * 7919 % 997) for n in range(90000)]
    packed = bytearray(gzip.compress(json.dumps({"traceEvents": events}).encode(), mtime=0))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = bytes(40)
    trace = read(tmp_path, bytes(packed))
    assert 1000 < len(trace.events) < 90000
    assert "truncated" in issue_kinds(trace)


@pytest.mark.parametrize(
    ("written", "name", "repair"),
    [
        ('say "hi"', 'say "hi"', "bare quotes"),
        ('{"a":1}', '{"a":1}', "bare quotes"),
        ("line1\nline2", "line1\nline2", "control characters"),
        ("bell\x07", "bell\x07", "control characters"),
        ("C:\\Users\\x", "C:\\Users\\x", "backslashes"),
        ("\\ud800 \\\\ud800 \\ud83d\\ude00 \\uDC00", "\ufffd \\ud800 \U0001f600 \ufffd", "half characters"),
    ],
)
def test_names_that_break_json_are_repaired_and_counted(tmp_path: Path, written: str, name: str, repair: str) -> None:
    broken = f'{{"ph": "X", "cat": "cpu_op", "name": "{written}", "pid": 1, "tid": 2, "ts": 5, "dur": 1}}'
    sound = json.dumps(EVENTS)[1:-1]
    trace = read(tmp_path, f"{HEAD}{sound}, {broken}, {sound}]}}")
    assert name in names(trace)
    assert len(trace.events) == 13
    assert issue_kinds(trace) == {f"repaired: {repair}": 1}


@pytest.mark.parametrize(
    ("args", "repair"),
    [
        ('{"x": NaN}', "not numbers"),
        ('{"x": -Infinity, "y": N/A}', "not numbers"),
        ('{"x": [1, 2,],}', "trailing commas"),
        ('{"x": "a /"quoted/" value"}', "bare quotes"),
        ('{"x": ["\\ud800 and more"]}', "half characters"),
    ],
)
def test_values_that_are_no_json_are_repaired_and_counted(tmp_path: Path, args: str, repair: str) -> None:
    broken = f'{{"ph": "X", "cat": "cpu_op", "name": "odd", "pid": 1, "tid": 2, "ts": 5, "dur": 1, "args": {args}}}'
    trace = read(tmp_path, f"{HEAD}{json.dumps(EVENTS)[1:-1]}, {broken}]}}")
    assert "odd" in names(trace)
    assert issue_kinds(trace) == {f"repaired: {repair}": 1}


def test_bytes_that_are_not_utf8_are_replaced_and_counted(tmp_path: Path) -> None:
    broken = json.dumps(event("caf#", 5)).encode().replace(b"#", b"\xe9")
    trace = read(tmp_path, HEAD.encode() + broken + b"]}")
    assert names(trace) == ["caf\ufffd"]
    assert issue_kinds(trace) == {"repaired: encoding": 1}


def test_an_event_beyond_repair_costs_only_itself(tmp_path: Path) -> None:
    sound = json.dumps(EVENTS)[1:-1]
    trace = read(tmp_path, f'{HEAD}{sound}, {{"ph": "X", "name": : }}, {sound}]}}')
    assert len(trace.events) == 12
    assert issue_kinds(trace) == {"unreadable event": 1}
    assert trace.issues[0].first.startswith("byte ")
    at = HEAD.index("[") + 1 + len(sound) + 2
    lost = f"1 event or more, 23 B that are not JSON, are left out, at byte {at:,} of its text"
    assert about_all(trace) == [f"Every figure is of the part that could be read (12 events): {lost}."]


@pytest.mark.parametrize("n_bytes", [1, 200])
def test_a_gzip_that_is_damaged_inside_is_one_sentence_with_where_why_and_how_much_was_read(tmp_path: Path, n_bytes: int) -> None:
    """What unpacks behind the damage is garbage: its events without a name or a time are no news of their own."""
    text = json.dumps({"traceEvents": [event(f"op{n * n % 9973}", 10 * n) for n in range(9000)]}).encode()
    packed = bytearray(gzip.compress(text, mtime=0))
    for place in range(len(packed) // 2, len(packed) // 2 + n_bytes):
        packed[place] ^= 0x55
    trace = read(tmp_path, bytes(packed))
    (said,) = about_all(trace)
    assert said.startswith(f"Every figure is of the part that could be read ({len(trace.events):,} events): the ")
    assert re.search(r"byte [\d,]+ of the file", said)
    assert is_cut_off(trace)


@pytest.mark.parametrize("torn", ['{"ph": "X", "cat": "cpu_op", "name": "tor', '{"ph": "X", "cat": "cpu_op", "name": "torn",'])
def test_text_cut_out_from_one_event_into_the_next_is_said_and_the_next_is_read(tmp_path: Path, torn: str) -> None:
    """A repair of quotes would make one event of the two, and of a hole a name."""
    listed = [json.dumps(each) for each in EVENTS]
    trace = read(tmp_path, HEAD + ", ".join([*listed[:2], torn + listed[3], *listed[4:]]) + "]}")
    assert names(trace) == ["op0", "op1", "op3", "op4", "op5"]
    assert issue_kinds(trace) == {"unreadable event": 1}


@pytest.mark.parametrize("inside", [b'"name": "op', b'"args": {', b'"ts": '])
def test_what_is_lost_is_said_in_bytes_as_nobody_knows_how_many_events_it_was(tmp_path: Path, inside: bytes) -> None:
    text = json.dumps({"traceEvents": [event(f"op{n}", 10 * n) for n in range(9000)]}).encode()
    third = text.index(inside, len(text) // 3) + len(inside)
    trace = read(tmp_path, text[:third] + bytes(third) + text[2 * third :])
    (said,) = on_answer(trace, KernelsParams(), None)
    assert "1 event or more" in said
    (amount,) = re.findall(r"([\d.]+) KiB that are not JSON", said)
    assert abs(float(amount) * 1024 - third) < 0.01 * third  # the events at both ends of it
    assert 5800 < len(trace.events) < 6200


@pytest.mark.parametrize("between", [b"", b"\n"])
@pytest.mark.parametrize("n_events", [6, 9000])
@pytest.mark.parametrize("is_object", [True, False])
def test_a_second_profile_behind_the_first_is_said(tmp_path: Path, is_object: bool, n_events: int, between: bytes) -> None:
    events = [event(f"op{n}", 10 * n) for n in range(n_events)]
    text = json.dumps({"traceEvents": events, "traceName": "{"} if is_object else events).encode()
    trace = read(tmp_path, gzip.compress(text + between) + gzip.compress(text))
    assert len(trace.events) == n_events
    (said,) = about_all(trace)
    assert f"behind the end of the JSON {format_bytes(len(between) + len(text))} follow that are not shown" in said
    assert about_all(read(tmp_path, text + b"\n" + bytes(700))) == []  # as tapes pad


def test_zeros_between_two_events_are_said_too(tmp_path: Path) -> None:
    sound = json.dumps(EVENTS)[1:-1].encode()
    trace = read(tmp_path, HEAD.encode() + sound + b"," + bytes(5000) + sound + b"]}")
    (said,) = about_all(trace)
    assert "4.88 KiB" in said


def test_arguments_that_look_like_events_do_not_cut_one(tmp_path: Path) -> None:
    nested = event("outer", 5, args={"list": [{"ph": "X", "name": "in"}, {"ph": "X"}, {"name": "b"}], "External id": 3})
    events = [copy for n in range(3000) for copy in (event(f"op{n}", 10 * n), {**nested, "ts": 10 * n + 1, "dur": 1})]
    trace = read(tmp_path, json.dumps({"traceEvents": events}))
    assert len(trace.events) == 6000
    assert issue_kinds(trace) == {}
    outer = next(row for row in range(6000) if trace.text(trace.events.name_id[row]) == "outer")
    assert trace.args.get(int(trace.events.order[outer]))["list"][1] == {"ph": "X"}


def test_fields_of_odd_types_do_not_cost_the_event(tmp_path: Path) -> None:
    events: list[Any] = [
        event("text time", 0) | {"ts": "12.5", "dur": "3"},
        event("text id", 20, args={"External id": "41"}),
        event("float pid", 30, pid=1.0),
        event("no args", 40) | {"args": None},
        event("nothing", 50) | {"args": {"External id": None, "Sequence number": 2**64 - 1}},
        {"name": "no category", "ph": "X", "pid": 1, "tid": 2, "ts": 60, "dur": 1},
        {"ph": "X", "cat": "cpu_op", "ts": 70, "dur": 1},
        17,
    ]
    trace = read(tmp_path, json.dumps({"traceEvents": events}))
    assert names(trace) == ["text time", "text id", "float pid", "no args", "nothing", "no category", ""]
    by_name = {trace.text(trace.events.name_id[row]): row for row in range(len(trace.events))}
    text_time = by_name["text time"]
    assert int(trace.events.end_ns[text_time] - trace.events.start_ns[text_time]) == 3000
    assert int(trace.events.external_id[by_name["text id"]]) == 41
    assert int(trace.events.sequence[by_name["nothing"]]) == -1


def test_ranges_without_a_category_are_operators_and_counted(tmp_path: Path) -> None:
    """What `EventList.export_chrome_trace` writes."""
    events = [{"name": "aten::mm", "ph": "X", "ts": 1.5, "dur": 2.25, "tid": 1, "pid": "CPU functions", "args": {}}]
    trace = read(tmp_path, json.dumps(events))
    assert trace.events.kind.tolist() == [Kind.OPERATOR]
    assert issue_kinds(trace) == {"no category": 1}


def test_ranges_written_as_begin_and_end_are_joined(tmp_path: Path) -> None:
    events = [
        {"ph": "B", "cat": "cpu_op", "name": "outer", "pid": 1, "tid": 1, "ts": 0},
        {"ph": "B", "cat": "cpu_op", "name": "inner", "pid": 1, "tid": 1, "ts": 2},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 5},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 9},
        {"ph": "E", "pid": 1, "tid": 1, "ts": 10},
    ]
    trace = read(tmp_path, json.dumps(events))
    assert names(trace) == ["outer", "inner"]
    assert trace.events.end_ns.tolist() == [9000, 5000]
    assert issue_kinds(trace) == {"end without begin": 1}


def test_an_empty_list_of_events_is_a_profile_without_events(tmp_path: Path) -> None:
    assert len(read(tmp_path, '{"schemaVersion": 1, "traceEvents": []}').events) == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "not a PyTorch profile"),
        (b'{"a": 1}', "not a PyTorch profile"),
        (b"[1, 2, 3]", "not a PyTorch profile"),
        (b'[{"id": 1}, {"id": 2}]', "not a PyTorch profile"),
        (b"hello", "not a PyTorch profile"),
        (gzip.compress(b"hello", mtime=0), "not a PyTorch profile"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"{", "cut off after 1 bytes, before any event: too little to tell"),
        (b'{"note": "{}"', "cut off after 13 bytes, before any event: too little to tell"),
        (b'{"schemaVersion": 1, "deviceProperties": [{"id": 0}', "cut off after 51 bytes, before any event: a profile"),
        (b'{"schemaVersion": 1}', "not a PyTorch profile"),
    ],
)
def test_an_empty_or_foreign_file_is_one_clear_error(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        read(tmp_path, content, "odd.json")
    assert "odd.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_broken_head_keeps_the_events_and_the_time_base(tmp_path: Path) -> None:
    head = '{"note": "a /"quoted/" value", "baseTimeNanoseconds": 1000000000, "x": oops, "traceEvents": ['
    trace = read(tmp_path, head + json.dumps([event("a", 2.5)])[1:] + "}")
    assert trace.info.base_ns == 1_000_000_000 + 2500
    assert "metadata" in issue_kinds(trace)


def _one_of_each() -> bytes:
    """A small file with an event of every shape."""
    kernel = event("k", 12, cat="kernel", pid=0, tid=7, args={"correlation": 4, "grid": [1, 2, 3], "device": 0, "stream": 7})
    launch = event("cudaLaunchKernel", 11, 1, cat="cuda_runtime", args={"correlation": 4})
    where = {"pid": 1, "tid": 2, "ts": 4}
    memory = {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", **where, "args": {"Bytes": 5}}
    named = {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}}
    flow = {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 4, "pid": 1, "tid": 2, "ts": 11}
    events = [*EVENTS[:2], kernel, launch, memory, named, flow]
    return json.dumps({"baseTimeNanoseconds": 10**18, "traceEvents": events, "traceName": "t"}).encode()


WHOLE = _one_of_each()
# Where a token starts or ends, and one byte into it: all other bytes of a token are alike to a reader.
PLACES = sorted(
    {place for token in re.finditer(rb'[{}\[\]:,]|"[^"]*"|[\d.]+', WHOLE) for place in (*token.span(), token.start() + 1)}
)
DAMAGE = [b"", b'"', b"{", b"}", b"[", b"]", b",", b"\\", b"\x00", b"\xff", b"9", b"null"]


def _is_sound_or_one_error(tmp_path: Path, text: bytes) -> None:
    """`read` checks the trace; whatever else than a FormatError comes out fails the test."""
    with contextlib.suppress(FormatError):
        assert read(tmp_path, text).info.source == "x.json"


def test_a_file_that_ends_anywhere_is_a_sound_trace_or_one_error(tmp_path: Path) -> None:
    for place in PLACES:
        _is_sound_or_one_error(tmp_path, WHOLE[:place])


@settings(max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(DAMAGE)), min_size=1, max_size=6))
def test_any_damage_ends_in_a_sound_trace_or_one_error(tmp_path: Path, edits: list[tuple[int, bytes]]) -> None:
    text = WHOLE
    for place, what in edits:
        text = text[:place] + what + text[place + 1 :]
    _is_sound_or_one_error(tmp_path, text)


def test_a_member_of_a_gzip_that_ends_where_a_block_is_read_is_not_the_last(tmp_path: Path) -> None:
    data = json.dumps({"traceEvents": EVENTS}).encode()
    first = bytearray(gzip.compress(data[:200], mtime=0))
    first[3] |= 8  # it has a file name, which may be as long as it likes
    name = b"n" * (CHUNK_BYTES - len(first) - 1) + b"\0"
    padded = bytes(first[:10]) + name + bytes(first[10:])
    for length in (CHUNK_BYTES - 1, CHUNK_BYTES):
        cut = padded[:10] + padded[10 + CHUNK_BYTES - length :]
        assert len(names(read(tmp_path, cut + gzip.compress(data[200:], mtime=0)))) == 6


def test_grids_in_any_writing_are_read_and_odd_ones_cost_no_other_event(tmp_path: Path) -> None:
    as_written: list[Any] = [[1, 2, 3], "[1, 2, 3]", "1x2x3", [1.0, 2.0, 3.0], ["1", "2", "3"]]
    odd: list[Any] = [[1, 2], [1, [2], 3], [1, {"y": 2}, 3], {"x": 1}, "wide", True, None, [2**70, 1, 1]]
    for strange in [None, *odd]:  # one that is odd makes a decoder of usual types refuse all that are beside it
        grids = [*as_written, strange]
        kernels = [event(f"k{n}", 10 * n, cat="kernel", args={"grid": grid, "stream": n}) for n, grid in enumerate(grids)]
        work = read(tmp_path, json.dumps({"traceEvents": kernels})).work
        grid_of = dict(zip(work.row.tolist(), work.grid.tolist(), strict=True))
        assert [grid_of.get(row, [-1, -1, -1]) for row in range(6)] == [[1, 2, 3]] * 5 + [[-1, -1, -1]]


def test_arrows_named_by_text_lie_beside_numbered_ones(tmp_path: Path) -> None:
    arrows = [
        {"ph": phase, "id": name, "name": "ac2g", "cat": "ac2g", "pid": 1, "tid": 2, "ts": 1}
        for name in (7, "7", "0x7", -3, "seven")
        for phase in "sf"
    ]
    ids = read(tmp_path, json.dumps({"traceEvents": [*EVENTS, *arrows]})).flows.flow_id.tolist()
    assert ids[:8] == [7, 7, 7, 7, 7, 7, -3, -3]
    assert ids[8] == ids[9] < 0
    assert ids[8] != -3
