"""Builds the page: `frontend/` to `tb_plugin/static/`, unless what stands there is current."""

from __future__ import annotations

import subprocess
from pathlib import Path

import digest
import node

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "tb_plugin" / "static"
STAMP = STATIC / ".sources.sha256"


def sources() -> list[Path]:
    """What the bundle is made from: the files of `frontend/` itself, `src/` and `public/`, without notes and tests."""
    top = [file for file in FRONTEND.iterdir() if file.is_file() and not file.name.startswith(".")]
    deep = [file for folder in ("src", "public") for file in (FRONTEND / folder).rglob("*") if file.is_file()]
    return [file for file in top + deep if file.suffix not in {".md", ".tsbuildinfo"} and ".test." not in file.name]


def source_digest() -> str:
    return digest.of_files(FRONTEND, sources())


def is_current() -> bool:
    if not FRONTEND.is_dir():
        return False
    return STAMP.is_file() and STAMP.read_text().strip() == source_digest() and (STATIC / "index.js").is_file()


def build_requirements() -> list[str]:
    return [] if is_current() or node.system_npm() is not None else [node.REQUIREMENT]


def install_packages(*, tools: bool) -> None:
    """`npm ci`, unless `node_modules` is at least as new as the lock file; `tools` adds what only checks and tests need, and
    where they are they stay."""
    has_tools = (FRONTEND / "node_modules" / "vitest").is_dir()
    lock, installed = FRONTEND / "package-lock.json", FRONTEND / "node_modules" / ".package-lock.json"
    fresh = installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime
    if fresh and (has_tools or not tools):
        return
    # No package we use needs an install script, so none may run on a user's machine.
    run_npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", *([] if tools or has_tools else ["--omit=dev"]))


def run_npm(*arguments: str) -> None:
    command, environment = node.npm_command()
    subprocess.run([*command, *arguments], cwd=FRONTEND, env=environment, check=True)


def ensure() -> None:
    if is_current():
        return
    install_packages(tools=False)
    stamp = source_digest()  # before the build: a file edited meanwhile must count as not built
    run_npm("run", "build")
    if not (STATIC / "index.js").is_file():
        raise SystemExit(f"`npm run build` left no {STATIC.relative_to(ROOT)}/index.js")
    STAMP.write_text(stamp + "\n")
