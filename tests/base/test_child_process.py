from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base import child_process

if TYPE_CHECKING:
    from pathlib import Path


def test_files_of_the_current_directory_do_not_shadow_modules(tmp_path: Path) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit('shadowed')")
    done = subprocess.run(
        child_process.command("tb_plugin.formats.convert", "--help"), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "IN OUT" in done.stdout


@pytest.mark.parametrize(
    ("code", "said"),
    [(0, None), (1, None), (-15, "SIGTERM"), (-9, "SIGKILL, often because memory ran out"), (-4000, None)],
)
def test_only_a_signal_has_a_name(code: int, said: str | None) -> None:
    assert child_process.killed_by(code) == said


def _ends_with(tmp_path: Path, code: str) -> tuple[int, str]:
    """Exit code and last words of a child that reads a small file and does this instead."""
    (tmp_path / "small.json").write_text("{}")
    program = f"""
from pathlib import Path
from tb_plugin.base import child_process
child_process._CPU_S = 1.0
def work(_on_progress):
    child_process.limit(Path("small.json"))
    {code}
child_process.exit_with(lambda: child_process.report(work, "small.json"))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_a_child_says_all_and_ends_without_freeing_what_it_read(tmp_path: Path) -> None:
    program = """
import sys
from tb_plugin.base import child_process
class Large:
    def __del__(self):
        print("freed")
kept = Large()
def main():
    sys.stdout.write("1.00 opening")
    sys.stderr.write("and why")
    return 1
child_process.exit_with(main)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "1.00 opening", "and why")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")
def test_a_small_file_cannot_take_gigabytes_or_minutes(tmp_path: Path) -> None:
    code, said = _ends_with(tmp_path, "bytearray(3 << 30)")
    assert (code, said.splitlines()) == (
        1,
        ["small.json: reading it takes more memory than there is, or than is reasonable for a file of its size"],
    )
    code, said = _ends_with(tmp_path, "while True: pass")
    assert (code, said.splitlines()) == (
        1,
        ["small.json: reading it takes more than 1 s of processor time, too much for its size"],
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")
def test_a_shell_is_limited_while_it_reads_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "small.json").write_text("{}")
    program = """
from pathlib import Path
from tb_plugin.base import child_process
child_process._CPU_S = 1.0
for forget in ("bytearray(3 << 30)", "while True: pass"):
    try:
        with child_process.limited(child_process.most_for_reading(Path("small.json"))):
            exec(forget)
    except (MemoryError, child_process.TooMuchError) as error:
        print(type(error).__name__)
bytearray(3 << 30)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["MemoryError", "TooMuchError"], "")
