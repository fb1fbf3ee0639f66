"""A file dropped on the page: taken from the page alone, shown as a run, gone with the server."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tb_plugin.doors.http import DROP_HEADER
from tests.doors.refused import error
from tests.doors.servers import serve
from tests.runs.small import chrome_json, put, until

if TYPE_CHECKING:
    from pathlib import Path

    from werkzeug.test import Client

CONTENT = chrome_json()
ADDRESS = "/api/v1/drop?name=mine.pt.trace.json"
OWN = {DROP_HEADER: "1", "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}


def test_a_dropped_file_is_shown_as_a_run(client: Client, logdir: Path) -> None:
    put(logdir / "exp" / "w.1.pt.trace.json")
    where = json.loads(client.post(ADDRESS, data=CONTENT, headers=OWN).data)
    assert where == {"run": "dropped/mine", "worker": "mine", "span": "default"}
    reply = until(lambda: client.get("/api/v1/view/overview", query_string=where), lambda each: each.status_code != 202)
    assert reply.status_code == 200
    runs = json.loads(client.get("/api/v1/runs").data)
    assert "files dropped on the page" in runs["logdirs"]
    assert [run["name"] for run in runs["runs"]] == ["dropped/mine", "exp"]


@pytest.mark.parametrize(
    "headers",
    [
        {**OWN, "Origin": "http://evil.example"},
        {**OWN, "Origin": "null"},
        {**OWN, "Sec-Fetch-Site": "cross-site"},
        {**OWN, "Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},  # as a form sends it
    ],
)
def test_another_sites_page_drops_nothing(client: Client, headers: dict[str, str]) -> None:
    error(client.post(ADDRESS, data=CONTENT, headers=headers), 403, "NotAllowedError")
    assert json.loads(client.get("/api/v1/runs").data)["runs"] == []


def test_a_browser_that_asks_for_another_site_is_refused(client: Client) -> None:
    assert error(client.options(ADDRESS), 405, "UsageError")
    assert error(client.get(ADDRESS), 405, "UsageError")


def test_a_bad_file_says_why_in_one_line(client: Client) -> None:
    assert "not a profile" in error(client.post(ADDRESS, data=b"no", headers=OWN), 422, "FormatError")
    text = error(client.post("/api/v1/drop?name=a.txt", data=CONTENT, headers=OWN), 400, "UsageError")
    assert text.startswith("a.txt: profiles are called")


def test_serve_takes_a_file_in_pieces_and_forgets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary, logs = tmp_path / "temporary", tmp_path / "logs"
    temporary.mkdir()
    logs.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    with serve(tmp_path, logs) as address:
        host = urlsplit(address).netloc
        connection = http.client.HTTPConnection(host)
        pieces = (CONTENT[at : at + 1000] for at in range(0, len(CONTENT), 1000))
        headers = {DROP_HEADER: "1", "Origin": address.rstrip("/"), "Content-Length": str(len(CONTENT))}
        connection.request("POST", ADDRESS, body=pieces, headers=headers)
        assert json.loads(connection.getresponse().read())["run"] == "dropped/mine"
        connection.close()
        assert list(temporary.rglob("mine.pt.trace.json"))
    assert list(temporary.iterdir()) == []
