"""A file system takes any bytes for a name; one that is no UTF-8 is shown, found and asked for, and takes nothing else down."""

from __future__ import annotations

import base64
import functools
import gzip
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec
import pytest

from tb_plugin.answers.bounded import json_of
from tb_plugin.base.readable import readable, readable_name
from tb_plugin.doors import static_files
from tb_plugin.doors.cli import main
from tests.doors.servers import ROOT
from tests.runs.small import put, until

if TYPE_CHECKING:
    from werkzeug.test import Client

needs_bytes = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are Unicode there")
RUNS = ["fine", "x\\x5cxff", "x\\xff"]


def named(logdir: Path) -> None:
    put(Path(os.fsdecode(bytes(logdir) + b"/x\xff/w.1.pt.trace.json.gz")))
    put(Path(os.fsdecode(bytes(logdir) + b"/fine/f\xfe.2.pt.trace.json.gz")))
    put(logdir / "x\\xff" / "w.1.pt.trace.json.gz")


def test_two_names_are_never_read_as_one() -> None:
    letters = ["\\", "x", "5", "c", "f", "u", "d", "\udcff", "\ud800", "\udc5c"]
    made = {"".join(name) for n in range(5) for name in itertools.product(letters, repeat=n)}
    assert len({readable_name(name) for name in made}) == len(made)
    assert (readable_name("plain é \\x"), readable("a\udcffb\ud800")) == ("plain é \\x", "a\\xffb\\ud800")


def test_what_is_sent_takes_any_text() -> None:
    class Reply(msgspec.Struct):
        texts: list[str]
        by_name: dict[str, float]
        args: msgspec.Raw

    sent = json.loads(json_of(Reply(["\udcff"], {"\udcfe": float("nan")}, msgspec.Raw(b'{"a": 1}'))))
    assert sent == {"texts": ["\\xff"], "by_name": {"\\xfe": None}, "args": {"a": 1}}


@needs_bytes
def test_the_page_shows_them_and_all_others(client: Client, logdir: Path) -> None:
    named(logdir)
    body = until(lambda: client.get("/api/v1/runs").get_json(), lambda body: len(body["runs"]) == 3)
    assert [run["name"] for run in body["runs"]] == RUNS
    assert body["runs"][0]["workers"][0]["spans"][0]["files"] == ["f\\xfe.2.pt.trace.json.gz"]
    for run, worker in (("x\\xff", "w"), ("x\\x5cxff", "w"), ("fine", "f\\xfe")):
        address = f"/api/v1/view/overview?{urlencode({'run': run, 'worker': worker})}"
        reply = until(functools.partial(client.get, address), lambda reply: reply.status_code != 202)
        assert reply.status_code == 200, reply.data


@needs_bytes
def test_an_unknown_run_is_refused_in_the_one_shape(client: Client, logdir: Path) -> None:
    named(logdir)
    until(lambda: client.get("/api/v1/runs").get_json(), lambda body: len(body["runs"]) == 3)
    reply = client.get("/api/v1/view/overview?run=nosuch")
    assert (reply.status_code, reply.content_type) == (404, "application/json")
    assert reply.get_json()["error"]["message"] == f"there is no run 'nosuch' here; there is {', '.join(RUNS)}"


@needs_bytes
def test_the_shell_writes_them_as_json(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named(logdir)
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    command = [sys.executable, "-m", "tb_plugin.doors.cli", "runs", str(logdir)]
    for form in ("json", "text", "csv"):
        done = subprocess.run([*command, "--format", form], cwd=ROOT, env=strict, capture_output=True, check=True, timeout=240)
        assert b"x\\" in done.stdout
    for run in ("x\\xff", "x\udcff"):  # as it is listed, and as a shell completes it
        assert main(["overview", str(logdir), "--run", run, "--format", "json"]) == 0
    assert main(["overview", str(logdir), "--run", "fine", "--format", "json"]) == 0
    assert "--run fine --worker f\\xfe --span 2" in capsys.readouterr().err
    assert main(["overview", f"{logdir}/\udcff"]) == 1
    assert capsys.readouterr().err.endswith("/\\xff: no such file\n")


@needs_bytes
def test_a_report_names_them(tmp_path: Path, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "report.html").write_text("<!-- title --><!-- answers -->")
    monkeypatch.setattr(static_files, "FOLDER", tmp_path / "page")
    named(logdir)
    for words, run, title in (
        ([f"{logdir}/x\udcff"], "x\\xff", "w.1.pt"),
        ([str(logdir), "--run", "x\\xff"], "x\\xff", "w.1.pt"),
        ([f"{logdir}/fine"], "fine", "f\\xfe.2.pt"),
    ):
        assert main(["report", *words, "-o", str(tmp_path / "r.html")]) == 0
        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert f"<title>{title}" in page
        found = re.search(r'id="tb-plugin-answers">(.*?)</script>', page)
        assert found is not None
        index = json.loads(gzip.decompress(base64.b64decode(json.loads(found[1])[0])))
        assert index["runs"]["opens"] == run
