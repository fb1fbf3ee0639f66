"""A fresh clone, built once on a machine without node: sdist, and wheel from the sdist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What an install may expect of any machine; node is not among it.
TOOLS = ("bash", "cat", "env", "git", "ldd", "ls", "sh", "uname")
OFFLINE = re.compile(r"name resolution|Connection(?: refused|Error)|No matching distribution found for setuptools|Max retries")


@dataclass(frozen=True)
class Built:
    checkout: Path
    environment: dict[str, str]
    sdist: Path
    wheel: Path


def build(checkout: Path, environment: dict[str, str], target: Path, *words: str) -> list[Path]:
    """What `python -m build` makes of a checkout, in an isolated environment of its own."""
    command = [sys.executable, "-m", "build", "--outdir", str(target), *words, str(checkout)]
    done = subprocess.run(command, env=environment, cwd=target.parent, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        said = done.stdout + done.stderr
        if OFFLINE.search(said):
            pytest.skip("no package index answers, and a build in isolation needs one")
        raise AssertionError(said[-4000:])
    return sorted(target.iterdir())


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    top = tmp_path_factory.mktemp("packaging")
    checkout = _clone(top / "checkout")
    environment = _without_node(top / "bin")
    wheel, sdist = sorted(build(checkout, environment, top / "dist"), key=lambda path: path.name.endswith(".tar.gz"))
    return Built(checkout, environment, sdist, wheel)


def _clone(target: Path) -> Path:
    """The files git would carry, changed ones as they are now."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    for name in filter(None, done.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def _without_node(folder: Path) -> dict[str, str]:
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        if found is not None:
            (folder / tool).symlink_to(found)
    # PYTHONPATH could lend the build what its isolated environment must bring itself.
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME"}}
    return {**kept, "PATH": str(folder)}
