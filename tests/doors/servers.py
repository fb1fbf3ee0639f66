"""Real servers, as a user starts them: TensorBoard and `tb-plugin serve`, each on a free port with a cache of its own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.runs.small import until

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
_TOLD = re.compile(r"^TensorBoard \S+ at (http://\S+) ", re.MULTILINE)
_ENTRY = "[tensorboard_plugins]\ntorch_profile = tb_plugin.doors.tensorboard:TorchProfilePlugin\n"


def environment(scratch: Path) -> dict[str, str]:
    """Where the plugin is visible: installed, or else by a minimal description of it that is found on the path."""
    path = [str(ROOT)]
    try:
        metadata.distribution("torch-tb-plugin")
    except metadata.PackageNotFoundError:
        described = scratch / "installed" / "torch_tb_plugin-0.0.0.dist-info"
        described.mkdir(parents=True, exist_ok=True)
        (described / "METADATA").write_text("Metadata-Version: 2.1\nName: torch-tb-plugin\nVersion: 0.0.0\n")
        (described / "entry_points.txt").write_text(_ENTRY)
        path.append(str(described.parent))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "TB_PLUGIN_CACHE_DIR": str(scratch / "cache")}


@contextlib.contextmanager
def tensorboard(scratch: Path, *words: str, path_prefix: str = "", cwd: Path | None = None) -> Iterator[str]:
    """Yields the address, without a slash at its end."""
    command = [sys.executable, "-m", "tensorboard.main", "--host", "127.0.0.1", "--port", "0", *words]
    if path_prefix:
        command += ["--path_prefix", path_prefix]
    with _running(command, scratch, cwd) as (server, said):
        # It chooses its port itself: one that is looked for here may be another's by the time that it is used.
        found = until(lambda: server.poll() is not None or _TOLD.search(said.read_text(errors="replace")), bool)
        assert isinstance(found, re.Match), said.read_text()
        address = found[1].rstrip("/")
        until(lambda: server.poll() is not None or get(f"{address}/data/environment")[0] == 200, bool)
        assert server.poll() is None, said.read_text()
        yield address


@contextlib.contextmanager
def serve(scratch: Path, logdir: Path | str, *words: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tb_plugin.doors.cli", "serve", str(logdir), "--port", "0", *words]
    with _running(command, scratch, None) as (server, said):
        line = until(lambda: said.read_text() or (server.poll() is not None and "ended"), bool)
        assert str(line).startswith("http://127.0.0.1:"), line
        yield str(line).split()[0].rstrip("/")


@contextlib.contextmanager
def _running(command: list[str], scratch: Path, cwd: Path | None) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    scratch.mkdir(parents=True, exist_ok=True)
    said = scratch / "said.log"
    with said.open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment(scratch), cwd=cwd)
    try:
        yield server, said
    finally:
        server.terminate()
        try:
            server.wait(timeout=60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def get(address: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """(status, headers in lower case, body); status 0 when nobody listens."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=120) as reply:
            return reply.status, {key.lower(): value for key, value in reply.headers.items()}, reply.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {key.lower(): value for key, value in error.headers.items()}, error.read()
    except OSError:
        return 0, {}, b""


def get_json(address: str) -> tuple[int, Any]:
    """Asks until loading is over."""
    status, headers, body = until(lambda: get(address), lambda reply: reply[0] != 202)
    assert headers.get("content-type") == "application/json", (status, headers, body[:200])
    return status, json.loads(body)
