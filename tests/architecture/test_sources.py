from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# A home or a work folder of one machine; /tmp and /usr/bin are everybody's.
MACHINE_PATH = re.compile(r"""(?<![\w.~$}])/(?:root|work|opt|home/\w+|Users/\w+)/[\w.-]+""")


def _committed() -> list[Path]:
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_path_of_one_machine() -> None:
    named = {}
    for path in _committed():
        if path == Path(__file__) or path.suffix in {".gz", ".pb", ".png"} or path.name == "package-lock.json":
            continue
        found = MACHINE_PATH.findall(path.read_text(encoding="utf-8", errors="replace"))
        if found:
            named[path.relative_to(ROOT).as_posix()] = found
    assert named == {}


def test_nothing_that_a_build_or_an_installation_makes_is_committed() -> None:
    wrong = ("tb_plugin/static/", "tb_plugin/formats/stored/profile_pb2", "frontend/node_modules/", ".venv/", "demo_logs/")
    assert [path for path in _committed() if path.relative_to(ROOT).as_posix().startswith(wrong)] == []


def test_no_large_file_is_committed() -> None:
    assert [path for path in _committed() if path.stat().st_size > 400_000] == []


def test_one_file_of_the_tests_looks_beside_the_checkout() -> None:
    """So that hiding what lies there shows what a clone with nothing beside it does."""
    here = [
        path for path in _committed() if path.is_relative_to(ROOT / "tests") and path.suffix == ".py" and path != Path(__file__)
    ]
    assert [path.name for path in here if '/ "shared"' in path.read_text(encoding="utf-8")] == ["profiles.py"]


def test_no_test_imports_a_test() -> None:
    """What two of them need lies beside them: else one cannot be collected where the other cannot."""
    imports = re.compile(r"^\s*(?:from tests\.[\w.]*\btest_\w+ import|from tests[\w.]* import \(?\s*test_\w+)", re.MULTILINE)
    files = [path for path in (ROOT / "tests").rglob("*.py") if imports.search(path.read_text(encoding="utf-8"))]
    assert [path.relative_to(ROOT).as_posix() for path in files] == []
