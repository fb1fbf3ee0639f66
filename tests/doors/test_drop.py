"""A file dropped on the page: taken from the page alone, shown as a run, gone with the server."""

from __future__ import annotations

import argparse
import http.client
import json
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tensorboard.plugins import base_plugin
from werkzeug.test import Client

from tb_plugin.answers import bodies
from tb_plugin.doors.http import PAGE_HEADER, HttpApp
from tb_plugin.doors.tensorboard import TorchProfilePlugin
from tb_plugin.runs import dropped
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tests.doors.refused import error
from tests.doors.servers import get_json, serve
from tests.runs.small import LONG_S, chrome_json, put, until

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = chrome_json()
ADDRESS = "/api/v1/drop?name=mine.pt.trace.json"
OWN = {PAGE_HEADER: "1", "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}


def test_a_dropped_file_is_shown_as_a_run(client: Client, logdir: Path) -> None:
    put(logdir / "exp" / "w.1.pt.trace.json")
    where = json.loads(client.post(ADDRESS, data=CONTENT, headers=OWN).data)
    assert where == {"run": "dropped/mine", "worker": "mine", "span": "default"}
    reply = until(lambda: client.get("/api/v1/view/overview", query_string=where), lambda each: each.status_code != 202)
    assert reply.status_code == 200
    runs = json.loads(client.get("/api/v1/runs").data)
    assert "files dropped on the page" in runs["logdirs"]
    assert [run["name"] for run in runs["runs"]] == ["dropped/mine", "exp"]


FOREIGN_PAGES = pytest.mark.parametrize(
    "headers",
    [
        {**OWN, "Origin": "http://evil.example"},
        {**OWN, "Origin": "null"},
        {**OWN, "Origin": "http://[::1"},
        {**OWN, "Origin": "localhost"},
        {**OWN, "Sec-Fetch-Site": "cross-site"},
        {**OWN, "Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},  # as a form sends it
    ],
)


def test_an_opening_is_ended_from_the_page(client: Client, logdir: Path) -> None:
    put(logdir / "exp" / "w.1.pt.trace.json", chrome_json(300_000))
    where = {"run": "exp", "worker": "w", "span": "1"}
    assert json.loads(client.post("/api/v1/cancel", query_string=where, headers=OWN).data) == {"was_working": False}
    reply = client.get("/api/v1/view/overview", query_string=where)
    assert set(json.loads(reply.data)) == {"state", "progress", "stage", "seconds_left", "so_far"}
    assert json.loads(client.post("/api/v1/cancel", query_string=where, headers=OWN).data) == {"was_working": True}
    reply = until(lambda: client.get("/api/v1/view/overview", query_string=where), lambda each: each.status_code != 202)
    assert "opening it was cancelled" in error(reply, 422, "FormatError")
    error(client.post("/api/v1/cancel?run=other", headers=OWN), 404, "NotFoundError")
    error(client.get("/api/v1/cancel", query_string=where), 405, "UsageError")


def test_what_is_worked_out_is_told_meanwhile_and_ended_from_the_page(
    client: Client, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / "exp" / "w.1.pt.trace.json")
    where = {"run": "exp", "worker": "w", "span": "1"}
    until(lambda: client.get("/api/v1/choices", query_string=where), lambda each: each.status_code == 200)
    assert json.loads(client.get("/api/v1/work", query_string=where).data) == {"working": []}
    work_out, is_held, go_on = bodies.body, threading.Event(), threading.Event()

    def held_up(*what: Any) -> bytes:
        data = work_out(*what)
        is_held.set()
        while not go_on.wait(0.01):  # a stop comes between two lines
            pass
        return data

    monkeypatch.setattr(bodies, "body", held_up)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.get, "/api/v1/view/overview", query_string=where)
        try:
            assert is_held.wait(LONG_S)
            (working,) = json.loads(client.get("/api/v1/work", query_string=where).data)["working"]
            assert working["question"] == "view/overview"
            assert working["part"]
            assert working["n_parts"] > 10  # its own, and the checks that fit the file
            assert json.loads(client.post("/api/v1/cancel", query_string=where, headers=OWN).data) == {"was_working": True}
            assert "working it out was cancelled" in error(asked.result(LONG_S), 503, "OverBudgetError")
        finally:
            go_on.set()  # else what failed above would wait for it for ever
    assert client.get("/api/v1/view/overview", query_string=where).status_code == 200
    error(client.get("/api/v1/work?run=other"), 404, "NotFoundError")
    error(client.get("/api/v1/work?top=3"), 400, "UsageError")


@FOREIGN_PAGES
def test_another_sites_page_ends_nothing(client: Client, headers: dict[str, str]) -> None:
    error(client.post("/api/v1/cancel", headers=headers), 403, "NotAllowedError")


@FOREIGN_PAGES
def test_another_sites_page_drops_nothing(client: Client, headers: dict[str, str]) -> None:
    error(client.post(ADDRESS, data=CONTENT, headers=headers), 403, "NotAllowedError")
    assert json.loads(client.get("/api/v1/runs").data)["runs"] == []


def test_a_browser_that_asks_for_another_site_is_refused(client: Client) -> None:
    assert error(client.options(ADDRESS), 405, "UsageError")
    assert error(client.get(ADDRESS), 405, "UsageError")


def test_a_bad_file_says_why_in_one_line(client: Client) -> None:
    assert "not a PyTorch profile" in error(client.post(ADDRESS, data=b"no", headers=OWN), 422, "FormatError")
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
        headers = {PAGE_HEADER: "1", "Origin": address.rstrip("/"), "Content-Length": str(len(CONTENT))}
        connection.request("POST", ADDRESS, body=pieces, headers=headers)
        assert json.loads(connection.getresponse().read())["run"] == "dropped/mine"
        connection.close()
        assert list(temporary.rglob("mine.pt.trace.json"))
    assert list(temporary.iterdir()) == []


def test_a_server_that_takes_no_files_says_so_and_keeps_none(
    logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = ProfileStore(
        Watch(from_flags(str(put(logdir / "w.1.pt.trace.json").parent), None)), cache=ProfileCache(tmp_path / "cache")
    )
    client = Client(HttpApp(store, takes_files=False))
    assert "takes no files" in error(client.post(ADDRESS, data=CONTENT, headers=OWN), 403, "NotAllowedError")
    told = json.loads(client.get("/api/v1/runs").data)
    assert (told["takes_files"], [run["name"] for run in told["runs"]]) == (False, ["logs"])
    assert not list(tmp_path.glob("tb-plugin-dropped-*"))
    store.close()


@pytest.mark.parametrize(("words", "variable"), [(["--no-drop"], "0"), ([], "1")])
def test_files_are_refused_by_an_option_or_the_environment(
    words: list[str], variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "logs" / "w.1.pt.trace.json")
    monkeypatch.setenv(dropped.NOT_TAKEN_VARIABLE, variable)
    with serve(tmp_path, tmp_path / "logs", *words) as address:
        assert get_json(f"{address.rstrip('/')}/api/v1/runs")[1]["takes_files"] is False


def test_tensorboard_takes_them_unless_the_environment_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, is_taken in (("1", False), ("0", True), ("", True)):
        monkeypatch.setenv(dropped.NOT_TAKEN_VARIABLE, variable)
        plugin = TorchProfilePlugin(base_plugin.TBContext(logdir=str(tmp_path), flags=argparse.Namespace(logdir_spec="")))
        app = plugin._application()
        assert isinstance(app, HttpApp)
        assert app._takes_files is is_taken
