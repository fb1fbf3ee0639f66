"""What anybody who reaches the port can send, to a real TensorBoard: it goes on answering, within its memory."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.parse
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.doors.servers import get, get_json, tensorboard
from tests.runs.small import chrome_json, put
from tests.trace.scope.bombs import BOMBS

if TYPE_CHECKING:
    from collections.abc import Iterator

API = "data/plugin/torch_profile/api/v1"
RANGES = ",".join(["0-999999999999999999", *(f"{n}-999999" for n in range(200))])


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logs = tmp_path_factory.mktemp("home") / "logs"
    profile = json.loads(chrome_json(3000))
    for n, event in enumerate(profile["traceEvents"]):
        event["name"] += f"{'a' * 300}{n}!" * (event["name"] == "aten::mm")
    put(logs / "exp" / "w.1.pt.trace.json.gz", json.dumps(profile).encode())
    return logs


@pytest.fixture(scope="module")
def address(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with tensorboard(tmp_path_factory.mktemp("tb"), "--logdir", str(logs)) as found:
        get_json(f"{found}/{API}/view/overview")
        yield found


def asked(address: str, question: str, **words: str) -> int:
    return get(f"{address}/{API}/{question}?{urllib.parse.urlencode(words)}")[0]


@pytest.mark.parametrize("question", ["view/operators", "view/timeline/search", "view/timeline/hits", "view/memory/allocations"])
def test_regular_expressions_that_explode_hold_nobody_up(address: str, question: str) -> None:
    key = {"view/operators": "inside"}.get(question, "q")
    more = {"regex": "true"} if question.startswith("view/timeline") else {}
    attack = [
        threading.Thread(target=asked, args=(address, question), kwargs={key: pattern, **more})
        for pattern in (*BOMBS, "(a{0,100}){7}", "[^x]{0,140}y")
    ]
    for thread in attack:
        thread.start()
    while any(thread.is_alive() for thread in attack):
        # A route of TensorBoard's own. Within 0.2 s where nothing else runs; one that is held up gets no answer at all.
        assert get(f"{address}/data/environment")[0] == 200


@pytest.mark.parametrize("name", ["steps", "devices", "streams"])
def test_two_hundred_long_ranges_take_no_memory(address: str, logs: Path, name: str) -> None:
    before = memory_mb(logs)
    for _ in range(3):
        assert asked(address, "view/operators", **{name: RANGES}) in (200, 404)
    assert memory_mb(logs) - before < 64


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("view/overview", {"steps": "9" * 22}),
        ("view/overview", {"devices": "9" * 22}),
        ("view/overview", {"streams": "9" * 5000}),
        ("view/timeline/window", {"t0_ns": "0", "t1_ns": "9" * 20}),
        ("view/timeline/window", {"tracks": "9" * 20}),
        ("view/timeline/window", {"width_px": "999999999"}),
        ("view/timeline/area", {"t0_ns": "-" + "9" * 20, "t1_ns": "5"}),
        ("view/timeline/search", {"q": "a", "limit": "-1"}),
        ("view/timeline/search", {"q": "a", "limit": "999999999"}),
        ("view/timeline/hits", {"q": "a", "limit": "999999999"}),
        ("view/timeline/hits", {"q": "a", "sort": "lane"}),
        ("view/timeline/hits", {"q": "a", "among": "(a{1000}){1000}"}),
        ("view/memory", {"points": "-5"}),
        ("view/memory", {"top": "9" * 30}),
        ("view/memory/allocations", {"offset": "-1"}),
        ("view/operators", {"inside": "(" * 1000}),
        ("view/operators", {"inside": "(a{1000}){1000}"}),
        ("view/overview", {"top": "-1"}),
    ],
)
def test_numbers_and_patterns_that_no_profile_has_are_400(address: str, question: str, words: dict[str, str]) -> None:
    assert asked(address, question, **words) == 400


def test_times_far_outside_the_recording_are_answered(address: str) -> None:
    for t0, t1 in ((-(1 << 62), 1 << 62), (1 << 61, 1 << 62), (-(1 << 62), -(1 << 61))):
        assert asked(address, "view/timeline/window", t0_ns=str(t0), t1_ns=str(t1)) in (200, 400)
        assert asked(address, "view/timeline/area", t0_ns=str(t0), t1_ns=str(t1)) in (200, 400)
        assert asked(address, "view/memory", t0_ns=str(t0), t1_ns=str(t1)) == 200


def test_who_closes_the_connection_ends_the_work(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    for n in range(12):  # four times as many as are worked out at a time
        words = urllib.parse.urlencode({"inside": f"([^x]{{0,9}}){{13}}y{n}"})
        with socket.create_connection((host, int(port))) as leaving:
            leaving.sendall(f"GET /{API}/view/operators?{words} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            time.sleep(0.05)
    began = time.monotonic()
    assert asked(address, "view/kernels", steps="0") == 200
    assert time.monotonic() - began < 60  # if they went on: 120 s of processor time, one after the other


def memory_mb(logs: Path) -> float:
    """Of the TensorBoard that shows this log directory."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"tensorboard.main" in words and str(logs).encode() in words:
                return int((folder / "statm").read_text().split()[1]) * 4096 / 2**20
        except OSError:
            continue
    pytest.skip("the memory of another process is told on Linux alone")
