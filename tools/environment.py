"""Makes `.venv` and keeps it current: `python3 tools/environment.py demo|test`.

torch goes in first and alone: an index may offer a CPU build under the pinned version only, and a plain `torch`
pulled in by something else would be the newest one with gigabytes of CUDA. `TORCH` (words for pip) chooses another.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "_build"))

import node  # noqa: E402 -- beside the build backend, which is no package
import page  # noqa: E402
import proto_code  # noqa: E402

VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
TORCH = os.environ.get("TORCH", "torch==2.13.0")
WANTED = {"demo": "-e .", "test": "-e .[test]"}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def pip(*words: str) -> None:
    subprocess.run([str(PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *words], cwd=ROOT, check=True)


def fingerprint() -> str:
    """What an environment was made from; the place counts too, for a venv cannot be moved."""
    said = f"{sys.version}\n{ROOT}\n{TORCH}\n{(ROOT / 'pyproject.toml').read_text()}"
    return hashlib.sha256(said.encode()).hexdigest()


def is_current(kind: str) -> bool:
    # What tests need includes what the demo needs.
    stamps = [VENV / f"{name}.stamp" for name in {kind, "test"}]
    return PYTHON.exists() and any(stamp.is_file() and stamp.read_text() == fingerprint() for stamp in stamps)


def make(kind: str) -> None:
    say(f".venv: making the environment for `make {kind}` (once; torch is the large part)")
    # Kept when only the list of packages changed: then pip has little to do.
    if not PYTHON.exists() or not any(VENV.glob("*.stamp")):
        shutil.rmtree(VENV, ignore_errors=True)
        try:
            venv.create(VENV, with_pip=True)
        except subprocess.CalledProcessError:
            raise SystemExit("python3 cannot make environments; on Debian: apt-get install python3-venv") from None
    for stamp in VENV.glob("*.stamp"):
        stamp.unlink()
    pip(*shlex.split(TORCH))
    pip(*shlex.split(WANTED[kind]))
    (VENV / f"{kind}.stamp").write_text(fingerprint())


def generate() -> None:
    """Brings the page and the protobuf code up to date; at once when they are."""
    if node.system_npm() is None:
        pip(node.REQUIREMENT)
    if not proto_code.is_current():
        # In an environment of pip's own: grpcio-tools in ours would pull its protobuf down.
        pip("--no-deps", "-e", ".")
    elif not page.is_current():
        subprocess.run([str(PYTHON), str(ROOT / "_build" / "generate.py")], cwd=ROOT, check=True)


def main(kind: str) -> None:
    if sys.version_info < (3, 10):  # noqa: UP036 -- whatever `python3` is runs this file
        raise SystemExit(
            f"Python 3.10 or newer is needed, {sys.executable} is {sys.version.split()[0]}; try: make PYTHON=python3.11"
        )
    if not is_current(kind):
        make(kind)
    generate()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"failed: {shlex.join(map(str, error.cmd))}") from None
