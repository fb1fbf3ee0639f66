"""The files that tests read: our own samples, and real traces that may lie beside the checkout.

@over(SAMPLES + real("h100_qwen"))      # our samples, and that one where it is there
def test_...(path: Path) -> None: ...

`TB_PLUGIN_TRACES=none` hides the real ones, a path says where they are; else they are looked for in `../shared/traces`.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tb_plugin.formats import reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _pytest.mark.structures import ParameterSet

    from tb_plugin.trace.model import Trace

_ROOT = Path(__file__).resolve().parents[1]
RECORDINGS: Final = _ROOT / "samples" / "recordings"
TRACES: Final = Path(os.environ.get("TB_PLUGIN_TRACES", _ROOT.parent / "shared" / "traces"))
"""Recorded by others on real hardware; never part of the project."""


def sample(name: str, worker: str = "node1_1") -> Path:
    """The Chrome JSON of a sample."""
    (path,) = (RECORDINGS / name).glob(f"{worker}.*.json.gz")
    return path


TRAINED: Final = (sample("cnn"), sample("compiled"), sample("ddp", "rank0"), sample("ddp", "rank1"), sample("transformer"))
"""Recorded by torch on a CPU."""

DEVICES: Final = tuple(map(sample, ("cuda", "rocm", "xpu", "mtia")))
"""With work on a device, one of each vendor."""

GPUS: Final = DEVICES[:2]
"""Whose kernels say by their names what they do."""

SAMPLES: Final = (*TRAINED, *DEVICES)


def real(*names: str) -> tuple[Path, ...]:
    """The real traces of these names that are there; without names all of them."""
    found = sorted(TRACES.glob("*.json.gz"))
    return tuple(path for path in found if not names or path.name.removesuffix(".json.gz") in names)


def job(name: str) -> tuple[Path, ...]:
    """The ranks' files of a real or simulated job, in the order of ranks; none where they are not there."""
    found = (TRACES / "distributed" / name).glob("*.trace.json.gz")
    return tuple(sorted(found, key=lambda path: int(re.search(r"\d+", path.name)[0])))  # type: ignore[index]


@functools.lru_cache(maxsize=64)
def trace_of(path: Path) -> Trace:
    """One of these files, read once for all tests of a process: a Trace does not change, and keeps what is worked out of it."""
    return reader.read(path)


def small(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Those that a slow reader or writer is tried on."""
    return tuple(path for path in paths if path.stat().st_size < 400_000)


def over(paths: Sequence[Path]) -> pytest.MarkDecorator:
    """The test's `path` is each of these."""
    return pytest.mark.parametrize("path", params(paths))


def params(paths: Sequence[Path]) -> list[ParameterSet]:
    """The same for a fixture. Files of more than 700 kB make their tests slow; cases of samples are the same anywhere."""
    marks = {path: [pytest.mark.slow] if path.stat().st_size > 700_000 else [] for path in paths}
    for path in set(paths).intersection(real()):
        marks[path].append(pytest.mark.beside)
    return [pytest.param(path, marks=marks[path], id=name_of(path)) for path in paths]


def name_of(path: Path) -> str:
    """`h100_qwen` of a real trace; of a sample `cuda`, or `ddp-rank0` where there are several."""
    if path.parent == TRACES:
        return path.name.removesuffix(".json.gz")
    worker = path.name.split(".")[0]
    return path.parent.name if worker == "node1_1" else f"{path.parent.name}-{worker}"
