"""`make demo` ends with all that it started."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
SHOW = """
import sys
sys.path.insert(0, sys.argv[1])
import demo
port = demo.free_port()
raise SystemExit(demo.show([sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"], port))
"""


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_who_ends_the_demo_ends_its_server(by: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SHOW, str(TOOLS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tmp_path) as demo:
        assert demo.stdout is not None
        address = next(line for line in demo.stdout if "PyTorch Profiler" in line).split()[-1]
        demo.send_signal(by)
        assert demo.wait(60) == 0
    port = int(address.split(":")[2].split("/")[0])
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 5)
