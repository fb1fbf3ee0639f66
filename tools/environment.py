"""Makes `.venv` and keeps it current: `python3 tools/environment.py demo|test`.

torch goes in first and alone: an index may offer a CPU build under the pinned version only, and a plain `torch`
pulled in by something else would be the newest one with gigabytes of CUDA. `TORCH` (words for pip) chooses another.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "_build")]

import debian  # noqa: E402 -- beside this file, which no package holds
import node  # noqa: E402 -- of the build backend
import page  # noqa: E402
import proto_code  # noqa: E402

from tests.browser import chromium  # noqa: E402

VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
PYPROJECT = ROOT / "pyproject.toml"
TORCH = os.environ.get("TORCH", "torch==2.13.0")
WANTED = {"demo": "-e .", "test": "-e .[test]"}


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def pip(*words: str) -> None:
    subprocess.run([str(PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check", *words], cwd=ROOT, check=True)


def fingerprint() -> str:
    """What an environment is made from: the Python and the place, which only a new one can change, and the packages."""
    # Not the whole of pyproject: a new ruff rule needs no new environment.
    packages = re.findall(r"^\[(?:build-system|project.*)\]\n(?:(?!\[[a-z]).*\n)*", PYPROJECT.read_text(), re.MULTILINE)
    return "\n".join(hashlib.sha256(said.encode()).hexdigest() for said in (f"{sys.version}\n{ROOT}", TORCH + "".join(packages)))


def stamps() -> list[str]:
    """What `.venv` was made from, by the kinds that were finished."""
    return [file.read_text() for file in VENV.glob("*.stamp")] if PYTHON.exists() else []


def is_current(kind: str) -> bool:
    # What tests need includes what the demo needs.
    files = [VENV / f"{name}.stamp" for name in {kind, "test"}]
    return PYTHON.exists() and any(file.is_file() and file.read_text() == fingerprint() for file in files)


def create() -> None:
    """An empty environment; Debian's Python needs a package for that."""
    for attempt in (1, 2):
        shutil.rmtree(VENV, ignore_errors=True)
        done = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        if attempt == 2 or not debian.install("python3-venv"):
            raise SystemExit(
                f"{sys.executable} makes no environment (Debian: apt-get install python3-venv):\n{done.stdout}{done.stderr}"
            )


def make(kind: str) -> None:
    say(f".venv: making the environment for `make {kind}` (once; torch is the large part)")
    # Kept when only the packages changed: then pip has little to do.
    if not any(stamp.split()[0] == fingerprint().split()[0] for stamp in stamps()):
        create()
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


def find_chromium() -> None:
    """Without one the browser tests skip, which must be seen before they do."""
    if chromium.find() is None:
        debian.install("chromium", "fonts-dejavu-core")
    say(f"browser tests: {chromium.find() or f'skipped, {chromium.MISSING}'}")


def main(kind: str) -> None:
    if sys.version_info < (3, 10):  # noqa: UP036 -- whatever `python3` is runs this file
        raise SystemExit(
            f"Python 3.10 or newer is needed, {sys.executable} is {sys.version.split()[0]}; try: make PYTHON=python3.11"
        )
    if not is_current(kind):
        make(kind)
    generate()
    if kind == "test":
        find_chromium()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"failed: {shlex.join(map(str, error.cmd))}") from None
