"""Events of our own threads are found in torch's JSON, and nobody else's with them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tb_plugin.capture import json_text
from tb_plugin.capture.json_text import Mended


def frame(name: str, tid: int, number: int, parent: int | None) -> str:
    """As torch writes it."""
    arguments = f'"Python parent id": {json.dumps(parent)}, "Python id": {number}, "Ev Idx": {number}'
    return (
        f'\n  {{\n    "ph": "X",\n    "cat": "python_function",\n    "name": "{name}",\n    "pid": 7,\n    "tid": {tid},\n'
        f'    "ts": {number}.000,\n    "dur": 1.000\n    ,\n    "args": {{\n      {arguments}\n    }}\n  }}'
    )


def left_of(events: list[str], own: tuple[int, ...]) -> tuple[list[str], Mended]:
    text = '{\n  "schemaVersion": 1,\n  "traceEvents": [' + ",".join(events) + "\n  ]}"
    mended = Mended()
    decoded: dict[str, Any] = json.loads(b"".join(json_text.mend(io.BytesIO(text.encode()), (), {}, "x", mended, own)))
    return [event["name"] for event in decoded["traceEvents"]], mended


RUN = "lib/tb_plugin/capture/background.py(12): _run"
WAITING = [
    frame("threading.py(9): _bootstrap", 0, 1, None),
    frame(RUN, 0, 2, 1),
    frame("wait", 0, 3, 2),
    frame("threading.py(9): _bootstrap", 0, 4, None),
    frame("loader.py(3): _run", 0, 5, 4),
    frame("last", 7, 6, None),
]


@pytest.mark.parametrize(
    ("own", "left", "dropped"),
    [
        ((), ["a", "b", "c"], 0),
        ((12,), ["a", "c"], 1),
        ((12, 7), ["c"], 2),  # the last one has no comma behind it
        ((1,), ["a", "b", "c"], 0),
    ],
)
def test_events_of_a_thread_with_a_number_go(own: tuple[int, ...], left: list[str], dropped: int) -> None:
    found, mended = left_of([frame("a", 7, 1, None), frame("b", 12, 2, None), frame("c", 7, 3, None)], own)
    assert (found, mended.dropped) == (left, dropped)
    assert bool(mended) == bool(dropped)


def test_a_thread_without_a_number_is_known_by_its_stack() -> None:
    assert left_of(WAITING, (12,))[0] == ["threading.py(9): _bootstrap", "loader.py(3): _run", "last"]


def test_where_none_of_ours_ran_nothing_goes() -> None:
    assert len(left_of(WAITING, ())[0]) == len(WAITING)
