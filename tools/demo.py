"""Trains a small model, then shows its profile in TensorBoard until Ctrl-C. Runs in `.venv` (`make demo`)."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGDIR = ROOT / "demo_logs"
FIRST_PORT = 6006
START_LIMIT_S = 120


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def free_port() -> int:
    for port in range(FIRST_PORT, FIRST_PORT + 100):
        with socket.socket() as probe:
            # As TensorBoard itself binds: a port that a closed server just left is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise SystemExit(f"no free port from {FIRST_PORT} to {FIRST_PORT + 99}")


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Returns when the server answers."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise SystemExit(f"TensorBoard ended with code {server.returncode}")
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    server.terminate()
    raise SystemExit(f"TensorBoard did not answer within {START_LIMIT_S} s")


def show(command: list[str], port: int) -> int:
    """Starts the server and waits for its end; who interrupts or terminates this ends the server, too."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `make` passes on what it is ended by
    with subprocess.Popen(command, cwd=ROOT) as server:
        try:
            address = f"http://127.0.0.1:{port}/"
            wait_for(address, server)
            say(f"\n  PyTorch Profiler: {address}#torch_profile\n  Ctrl-C ends it.\n")
            return server.wait()
        except KeyboardInterrupt:
            server.terminate()  # SIGINT would be ignored by what a shell started in the background
            return 0


def main() -> int:
    shutil.rmtree(LOGDIR, ignore_errors=True)
    say(f"training samples/train_cnn.py, recording into {LOGDIR.name}/")
    subprocess.run([sys.executable, str(ROOT / "samples" / "train_cnn.py"), str(LOGDIR / "train_cnn")], cwd=ROOT, check=True)
    port = free_port()
    words = ["tensorboard.main", "--logdir", str(LOGDIR), "--host", "127.0.0.1", "--port", str(port)]
    return show([sys.executable, "-m", *words], port)


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except (subprocess.CalledProcessError, KeyboardInterrupt) as error:
        raise SystemExit(str(error) or "interrupted") from None
