"""What the server of `tb-plugin serve` lets nobody do: a foreign page, a foreign name, a client that never ends its request."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from werkzeug.serving import make_server
from werkzeug.test import Client

from tb_plugin.doors import serve
from tb_plugin.doors.hosts import Hosts
from tb_plugin.doors.http import PAGE_HEADER, HttpApp
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tests.doors.refused import error
from tests.runs.small import no_thread_left, put, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCAL = ["localhost", "localhost:6007", "LOCALHOST.", "a.localhost:1", "127.0.0.1:6007", "127.8.9.1", "[::1]", "[::1]:6007"]
STRANGE = [
    "",
    "evil.example",
    "evil.example:6007",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "localhost:x",
    "a@localhost",
]


@pytest.fixture
def guarded(logdir: Path, tmp_path: Path) -> Iterator[Client]:
    put(logdir / "w.1.pt.trace.json")
    put(tmp_path / "static" / "index.html", b"<!doctype html>")
    with no_thread_left():
        store = ProfileStore(Watch(from_flags(str(logdir), None), min_age_s=0), cache=ProfileCache(tmp_path / "cache"))
        yield Client(HttpApp(store, page=tmp_path / "static", hosts=Hosts("127.0.0.1", ["box.example"])))
        store.close()


@pytest.mark.parametrize("host", [*LOCAL, "box.example", "BOX.example:80"])
def test_names_of_this_machine_and_those_allowed_are_answered_to(guarded: Client, host: str) -> None:
    assert guarded.get("/api/v1/runs", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", [*STRANGE, "192.168.1.5", "10.0.0.1:6007"])
@pytest.mark.parametrize("address", ["/", "/api/v1/runs", "/api/v1/view/overview", "/static/index.js"])
def test_a_name_that_somebody_points_at_this_machine_reads_nothing(guarded: Client, host: str, address: str) -> None:
    assert "--allow-host" in error(guarded.get(address, headers={"Host": host}), 403, "NotAllowedError")


def test_a_server_that_listens_to_others_answers_to_addresses_and_to_its_own_names() -> None:
    hosts = Hosts("0.0.0.0", ["box.example"])
    assert all(hosts.allow(host) for host in [*LOCAL, "192.168.1.5:6007", "[fe80::1]:6007", "box.example", socket.gethostname()])
    assert not any(hosts.allow(host) for host in STRANGE)
    assert Hosts("box.local").allow("box.local:6007")


def test_nobody_else_frames_the_page(guarded: Client) -> None:
    page = guarded.get("/")
    assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Frame-Options"] == guarded.get("/api/v1/runs").headers["X-Frame-Options"] == "SAMEORIGIN"


def test_a_page_of_another_site_asks_for_nothing(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    error(client.get("/api/v1/view/operators", headers=image), 403, "NotAllowedError")
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("/api/v1/runs", headers=link).status_code == 200
    assert client.get("/api/v1/runs", headers={**image, "Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_a_parameter_given_twice_is_refused(client: Client, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    said = error(client.get("/api/v1/view/operators?group_by=name&steps=1&group_by=module"), 400, "UsageError")
    assert said == "group_by is given 2 times"


@pytest.fixture
def port(guarded: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A real server whose clients have half a second to ask."""
    monkeypatch.setattr(serve, "ASK_WITHIN_S", 0.5)
    server = make_server("127.0.0.1", 0, guarded.application, threaded=True, request_handler=serve._QuietHandler)
    running = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    running.start()
    yield server.port
    server.shutdown()
    running.join()
    server.server_close()


def test_half_requests_end_and_others_are_answered_meanwhile(port: int) -> None:
    before = threading.active_count()
    half = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
    for connection in half:
        connection.sendall(b"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nX-")
    whole = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    whole.request("GET", "/api/v1/runs")
    assert whole.getresponse().status == 200
    whole.close()
    ended = until(lambda: threading.active_count(), lambda n: n <= before)
    assert ended <= before
    for connection in half:
        connection.settimeout(120)
        assert connection.recv(1) == b""
        connection.close()


DROP = f"POST /api/v1/drop?name=a.json HTTP/1.1\r\nHost: localhost\r\n{PAGE_HEADER}: 1\r\n".encode()


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        (b"Content-Length: 20\r\n", "a.json did not arrive whole"),
        (b"Content-Length: 5\r\nContent-Length: 6\r\n", ""),
        (b"Content-Length: 99999999999999999999999\r\n", "what is dropped may have"),
        (b"Content-Length: -5\r\n", ""),
    ],
)
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_file_that_is_shorter_than_was_said_is_an_error_of_who_sends_it(
    port: int, lengths: bytes, said: str, is_closed: bool
) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(DROP + lengths + b"\r\nhello")
        if is_closed:
            connection.shutdown(socket.SHUT_WR)
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        assert reply.status in (400, 422), reply.read()
        assert said in json.loads(reply.read())["error"]["message"]


def test_a_method_that_is_long_is_not_repeated(guarded: Client) -> None:
    assert len(error(guarded.open("/api/v1/runs", method="A" * 5000, headers={"Host": "localhost"}), 405, "UsageError")) < 100


def test_a_byte_now_and_then_buys_no_time(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as slow, pytest.raises(OSError):  # noqa: PT012 - the send that fails
        for byte in b"GET /api/v1/runs HTTP/1.1\r\nX-Slow: " + b"a" * 10_000:  # eight minutes, if nobody ends it
            slow.sendall(bytes([byte]))
            time.sleep(0.05)


TOO_LONG = 65_537  # exactly what is read: a connection that is closed with more in it may lose the reply
BROKEN = {
    "a line that is too long": (b"GET /".ljust(TOO_LONG, b"a"), 414),
    "a header that is too long": (b"GET / HTTP/1.1\r\n" + b"X: ".ljust(TOO_LONG, b"a"), 431),
    "many headers": (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431),
    "no version": (b"GET / HTTP/x\r\n\r\n", 400),
    "a later version": (b"GET / HTTP/3.0\r\n\r\n", 505),
    "four words": (b"GET / / HTTP/1.1\r\n\r\n", 400),
    "one word": (b"rubbish\r\n\r\n", 400),
    "a post of the oldest version": (b"POST /\r\n", 400),
    "angle brackets": (b"<script>alert(1)</script> / / /\r\n\r\n", 400),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_the_server_itself_refuses_has_the_shape_of_all_errors(port: int, name: str) -> None:
    asked, status = BROKEN[name]
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(asked)
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        assert (reply.status, reply.headers["Content-Type"]) == (status, "application/json")
        found = json.loads(reply.read())
    assert found.keys() == {"error"}
    assert found["error"]["kind"] == "UsageError"
    assert found["error"]["message"]
