"""A real TensorBoard, as a user starts it, on a port of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
START_LIMIT_S = 90


@contextlib.contextmanager
def tensorboard(logdir: Path, scratch: Path, *words: str, path_prefix: str = "") -> Iterator[str]:
    """Yields the address, ending in a slash. What the server said is in `scratch`/tensorboard.log."""
    port = _free_port()
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir), "--host", "127.0.0.1", "--port", str(port)]
    # Its own cache: a test must neither read nor leave anything in the user's.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(scratch / "cache")}
    said = scratch / "tensorboard.log"
    with said.open("wb") as log:
        prefix = ["--path_prefix", path_prefix] if path_prefix else []
        server = subprocess.Popen([*command, *prefix, *words], stdout=log, stderr=subprocess.STDOUT, env=environment)
        try:
            address = f"http://127.0.0.1:{port}{path_prefix}/"
            _wait_for(f"{address}data/plugins_listing", server, said)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, server: subprocess.Popen[bytes], said: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        assert server.poll() is None, f"TensorBoard ended:\n{said.read_text()}"
        try:
            urllib.request.urlopen(address, timeout=10).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"TensorBoard did not answer within {START_LIMIT_S} s:\n{said.read_text()}")
