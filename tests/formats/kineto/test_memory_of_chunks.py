"""Memory of a chunk, which the next one uses."""

from __future__ import annotations

import platform
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_FAULTS = """
import resource, sys
from tb_plugin.formats.kineto import kineto_json
kineto_json.read(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for place in range(100):  # each larger than the largest one that was freed
    bytearray(b"x") * ((1 << 20) + (place << 13))
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators keep what is freed, or do not, by other rules")
def test_memory_of_a_chunk_is_used_for_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1}]}')
    run = subprocess.run([sys.executable, "-c", _FAULTS, str(path)], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 2000  # 35 000 where each is asked for anew
