"""How long does a comparison of two large JSON profiles take, read for the first time and from the cache?

    python benchmarks/compare_large.py [MEGABYTES]        of each file; default 200

The files are copies of two real traces of one training, one after the other in time. `tb-plugin compare` runs as a user types it,
with an empty cache and then again: CPU time of the command and of the children that read, start of the interpreter included.
"Joined" is what a page pays once both profiles have answered: decoding both answers and comparing them.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from budget import Budget
from inputs import REAL, copies
from replicate import replicate

from tb_plugin.formats import reader
from tb_plugin.views.compare import SUMS
from tb_plugin.views.compare.joined.join import Given, compared
from tb_plugin.views.compare.result import CompareParams
from tb_plugin.views.compare.sums.result import ProfileSums, SumsParams

_LIES = "a cache on a slow disk; copies whose calls all are alike, so that there are few rows"
FIRST = Budget(name="compare of two large files, read", budget=60, unit="CPU s", kind="informational", lies=_LIES)
AGAIN = Budget(name="compare of two large files, from the cache", budget=3, unit="CPU s", kind="informational", lies=_LIES)
JOINED = Budget(name="answers of two large files, joined", budget=0.3, unit="CPU s", kind="informational", lies=_LIES)
SOURCES = ("v100_resnet50_workers0_a.json.gz", "v100_resnet50_workers4_a.json.gz")


def pair(folder: Path, megabytes: float) -> list[Path]:
    if not REAL.is_dir():
        return copies(folder, megabytes)
    made = [folder / name.replace(".json.gz", ".json") for name in SOURCES]
    for source, target in zip(SOURCES, made, strict=True):
        replicate(REAL / source, target, int(megabytes * 1e6))
    return made


def shell_s(paths: list[Path], cache: Path) -> float:
    """CPU seconds of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "tb_plugin.doors.cli", "compare", *map(str, paths)]
    environment = {**os.environ, "TB_PLUGIN_CACHE_DIR": str(cache)}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def joined_s(paths: list[Path]) -> tuple[float, int]:
    """CPU seconds of decoding and comparing, and how many bytes both answers have."""
    answers = [msgspec.msgpack.encode(SUMS.answer(reader.read(path), SumsParams())) for path in paths]
    begun = time.process_time()
    sums = [msgspec.msgpack.decode(answer, type=ProfileSums) for answer in answers]
    compared([Given(path.stem, [], [one]) for path, one in zip(paths, sums, strict=True)], CompareParams(), [])
    return time.process_time() - begun, sum(map(len, answers))


def main(megabytes: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = pair(folder, megabytes)
        of = f"{megabytes:g} MB each"
        FIRST.measured(shell_s(paths, folder / "cache"), of=of)
        AGAIN.measured(min(shell_s(paths, folder / "cache") for _ in range(2)), of=of)
        seconds, n_bytes = joined_s(paths)
        print(f"both answers: {n_bytes / 1e6:.2f} MB")
        JOINED.measured(seconds, of=of)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 200)
