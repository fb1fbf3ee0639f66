"""Names and metadata that torch's own writer breaks arrive as they were given, in JSON that every reader takes."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.capture import json_text
from tests.capture.recording import json_of, names_in, record, small_step

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

HARD_NAMES = [
    'say "hi"',
    '{"a":1}',
    "C:\\tmp\\x",
    "line1\nline2",
    "tab\there",
    "épÖch",
    "😀",
    "null\x01x",
    "del\x7f",
    "kernel",
    "unknown",
    "ends with \\",
    '"',
    "",
    '"name": "x", "pid": 3',
    '", "pid": 7, "tid": 8,\n    "ts": 1',
]


def test_hard_names_come_back(tmp_path: Path) -> None:
    from torch.profiler import record_function

    def step() -> None:
        for name in HARD_NAMES:
            with record_function(name):
                small_step()

    handler = tensorboard_trace_handler(tmp_path, 'wörker "1"')
    record(handler, step=step)
    assert handler.flush(timeout=240)
    (path,) = tmp_path.glob("*.json.gz")
    written = [name for name in names_in(path) if not name.startswith("ProfilerStep#")]
    assert written == HARD_NAMES * 2
    trace = tb_plugin.load(next(tmp_path.glob("*.pb"))).trace
    assert set(HARD_NAMES) <= set(trace.strings)
    assert trace.issues == ()


def test_hard_metadata_comes_back(tmp_path: Path) -> None:
    from torch.profiler import ProfilerActivity, profile

    handler = tensorboard_trace_handler(tmp_path, "w")
    texts = {"quoted": 'a "quoted" value', "lines": "one\ntwo\\x \té", "path": "C:\\new\\table"}
    with profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler) as prof:
        small_step()
        for key, text in texts.items():
            prof.add_metadata(key, text)
        prof.add_metadata_json("config", json.dumps({"name": 'the "best"', "layers": [1, 2], "note": "é"}))
    assert handler.flush(timeout=240)
    (path,) = tmp_path.glob("*.json.gz")
    head = json_of(path)
    assert {key: head[key] for key in texts} == texts
    assert head["config"] == {"name": 'the "best"', "layers": [1, 2], "note": "é"}
    assert tb_plugin.load(next(tmp_path.glob("*.pb"))).trace.info.metadata["quoted"] == 'a "quoted" value'


def test_a_sound_file_passes_unchanged_but_for_its_name(tmp_path: Path) -> None:
    record(lambda prof: prof.export_chrome_trace(str(tmp_path / "stock.json")), record_shapes=True, with_stack=True)
    text = (tmp_path / "stock.json").read_bytes()
    mended = json_text.Mended()
    made = b"".join(json_text.mend(io.BytesIO(text), (), {}, "/logs/new.json", mended))
    assert made == text.replace(json.dumps(str(tmp_path / "stock.json")).encode(), b'"/logs/new.json"')
    assert mended == json_text.Mended()


EVENT = b"""
  {
    "ph": "X",
    "cat": "cpu_op",
    "name": "%s",
    "pid": 7,
    "tid": 7,
    "ts": %s,
    "dur": 6.479
    ,
    "args": {
      %s
    }
  }"""


def _file(*events: bytes, end: bytes = b'\n  ],"traceName": "/tmp/x.json" }') -> bytes:
    head = b' {\n    "schemaVersion": 1,\n    "deviceProperties": [],\n    "baseTimeNanoseconds": 1000000,'
    return head + b'\n    "traceEvents": [\n    ' + b",".join(events) + end


def _mend(text: bytes, harmed: list[tuple[int, str]] | None = None) -> tuple[list[dict[str, object]], json_text.Mended]:
    mended = json_text.Mended()
    made = json.loads(b"".join(json_text.mend(io.BytesIO(text), harmed or [], {}, "t", mended)))
    return made["traceEvents"], mended


@pytest.mark.parametrize(
    "arguments",
    [
        b'"kw": "a "quoted" string", "Ev Idx": 5',
        b'"kw": "back\\slash \x01", "Ev Idx": 5',
        b'"occupancy": nan, "Ev Idx": 5',
        b'"n": "\xff", "Ev Idx": 5',
    ],
)
def test_broken_arguments_are_repaired_one_event_at_a_time(arguments: bytes) -> None:
    events, mended = _mend(
        _file(EVENT % (b"a", b"1.000", b""), EVENT % (b"b", b"2.000", arguments), EVENT % (b"c", b"3.000", b""))
    )
    assert [event["name"] for event in events] == ["a", "b", "c"]
    assert isinstance(events[1]["args"], dict)
    assert events[1]["args"]["Ev Idx"] == 5
    assert mended.events == 1


def test_arguments_beyond_repair_are_kept_as_text() -> None:
    events, _ = _mend(_file(EVENT % (b"a", b"1.000", b'"x": [1, {"y" 2'), EVENT % (b"b", b"2.000", b"")))
    assert [event["name"] for event in events] == ["a", "b"]
    assert '[1, {"y" 2' in str(events[0]["args"])


def test_events_that_start_together_keep_their_own_names() -> None:
    text = _file(EVENT % (b"unknown", b"1.000", b""), EVENT % (b"a/b", b"1.000", b""), EVENT % (b"unknown", b"1.000", b""))
    harmed = [(1_001_000, "ä"), (1_001_000, "a\\b"), (1_001_000, "ö"), (1_002_000, "ü")]
    events, mended = _mend(text, harmed)
    assert [event["name"] for event in events] == ["ä", "a\\b", "ö"]
    assert mended.names == 3


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.95])
def test_a_file_that_was_cut_off_gives_its_whole_events(kept: float) -> None:
    text = _file(*(EVENT % (b"e%d" % n, b"%d.000" % n, b'"Ev Idx": %d' % n) for n in range(40)))
    events, _ = _mend(text[: int(len(text) * kept)])
    whole = [event["name"] for event in events if event["ph"] == "X"]
    assert whole == [f"e{n}" for n in range(len(whole))]
    assert len(whole) >= 40 * kept - 2


def test_another_layout_passes_through() -> None:
    text = b'{"traceEvents":[{"ph":"X","name":"a","ts":1,"pid":1,"tid":1}]}'
    assert b"".join(json_text.mend(io.BytesIO(text), [], {}, "t", json_text.Mended())) == text
