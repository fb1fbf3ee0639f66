"""Makes what a release is made of and proves it; uploads nothing. Runs in `.venv` (`make release`).

1. The changes name the version, and a commit holds every file.
2. sdist and wheel into `dist/`: the wheel is built from the sdist, in an environment that pip makes for it.
3. `twine check --strict` on both.
4. The wheel is installed into an empty environment, with no node on PATH and none of this checkout on it. There the
   command tells its version and answers on a recorded sample, and a TensorBoard lists the plugin and serves its page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
SAMPLE = ROOT / "samples" / "recordings" / "cnn"
# In an environment of its own: its twenty packages are nobody else's business.
TWINE = "twine==7.0.0"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"

# What TensorBoard itself does when it starts, on a free port, asked over HTTP.
IN_TENSORBOARD = """
import json, sys, urllib.request
from tensorboard import program
server = program.TensorBoard()
server.configure(argv=["tensorboard", "--logdir", sys.argv[1], "--port", "0", "--load_fast", "false"])
address = server.launch()
get = lambda path: urllib.request.urlopen(address + path, timeout=60).read()
assert "torch_profile" in json.loads(get("data/plugins_listing")), "the plugin is not listed"
page = "data/plugin/torch_profile/static/"
assert b"render" in get(page + "index.js"), "the page is not there"
assert b"preact" in get(page + "THIRD_PARTY_NOTICES.txt"), "the licences are not there"
"""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def version() -> str:
    """The one place where it is written."""
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "tb_plugin" / "__init__.py").read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit("tb_plugin/__init__.py has no __version__")
    return found[1]


def check_tree(number: str) -> None:
    heading = next(line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## "))
    if heading.removeprefix("## ").partition(",")[0] != number:
        raise SystemExit(f"CHANGELOG.md begins with {heading!r}, but the version is {number}")
    if "not released" in heading:
        say(f"note: CHANGELOG.md says {heading!r}; write the date there before these files are published")
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if changed:
        raise SystemExit(f"a release is made from a commit; not in one:\n{changed}")


def build(number: str) -> tuple[Path, Path]:
    """(wheel, sdist)"""
    shutil.rmtree(DIST, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)], stdout=subprocess.DEVNULL, check=True)
    wheel, sdist = DIST / f"torch_tb_plugin-{number}-py3-none-any.whl", DIST / f"torch_tb_plugin-{number}.tar.gz"
    made = {wheel, sdist}
    if set(DIST.iterdir()) != made:
        raise SystemExit(f"expected {sorted(path.name for path in made)}, got {sorted(path.name for path in DIST.iterdir())}")
    return wheel, sdist


def environment(folder: Path, *packages: str) -> Path:
    """The folder of programs of a new environment with these packages."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    subprocess.run([str(folder / SCRIPTS / "python"), *words], env=outside(folder), cwd=folder, check=True)
    return folder / SCRIPTS


def outside(folder: Path) -> dict[str, str]:
    """The variables of somebody who has neither this checkout nor node: nothing but the environment itself is on PATH."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}}
    return {**kept, "PATH": str(folder / SCRIPTS), "TB_PLUGIN_CACHE_DIR": str(folder / "cache")}


def try_out(wheel: Path, number: str, folder: Path) -> None:
    programs = environment(folder, str(wheel))

    def run(*words: str) -> str:
        command = [str(programs / words[0]), *words[1:]]
        return subprocess.run(command, env=outside(folder), cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout

    said = run("tb-plugin", "--version").strip()
    if said != f"tb-plugin {number}":
        raise SystemExit(f"the installed command says {said!r}")
    overview = run("tb-plugin", "overview", str(SAMPLE))
    if "ProfilerStep" not in overview:
        raise SystemExit(f"the installed command shows no step of {SAMPLE.name}:\n{overview}")
    run("python", "-c", IN_TENSORBOARD, str(SAMPLE.parent))


def main() -> None:
    number = version()
    check_tree(number)
    say(f"{number}: building in {DIST.name}/")
    wheel, sdist = build(number)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        say("twine check --strict")
        twine = environment(folder / "twine", TWINE) / "twine"
        subprocess.run([str(twine), "check", "--strict", str(wheel), str(sdist)], check=True)
        say("trying the wheel in an empty environment without node")
        try_out(wheel, number, folder / "empty")
    for path in (wheel, sdist):
        say(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1e6:.2f} MB")
    say("good; nothing was uploaded")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"failed: {error}") from None
