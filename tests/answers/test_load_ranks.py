"""`tb_plugin.load_ranks` as a user's script calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.job_files import Job

_SCRIPT = """
import sys
import tb_plugin
from tb_plugin.runs import engines
engines._READ_HERE_BYTES = 0  # as if these files were large
print("begins")
print(tb_plugin.load_ranks(sys.argv[1]).ranks["rank"].tolist())
"""


def test_a_plain_script_has_large_files_read_by_processes_and_runs_once(tmp_path: Path) -> None:
    """Without `if __name__ == "__main__"`."""
    (tmp_path / "run").mkdir()
    Job(n_ranks=2).write(tmp_path / "run")
    script = tmp_path / "plain.py"
    script.write_text(_SCRIPT, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, check=False, timeout=120, env=environment
    )
    assert (done.returncode, done.stdout.split("\n"), done.stderr) == (0, ["begins", "[0, 1]", ""], "")
