"""The files to measure on: real traces beside the checkout, else the samples in it, copied to a size that counts."""

from __future__ import annotations

from pathlib import Path

from replicate import replicate

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "traces"
# A ResNet-50 of 2021 without stacks and a model of 2025 with Python stacks: the two ends of what a reader has to do.
REAL_TO_COPY = ("v100_resnet50_workers0_a.json.gz", "h100_owlv2.json.gz")
SAMPLES_TO_COPY = ("compiled", "transformer")


def copies(folder: Path, megabytes: float) -> list[Path]:
    """Two traces of different kinds, one after the other in time until each has this size."""
    sources = [REAL / name for name in REAL_TO_COPY]
    if not REAL.is_dir():
        sources = [next((ROOT / "samples" / "recordings" / name).glob("*.json.gz")) for name in SAMPLES_TO_COPY]
    made = []
    for number, source in enumerate(sources):
        name = source.name.partition(".")[0] if REAL.is_dir() else SAMPLES_TO_COPY[number]
        made.append(folder / f"{name}_{megabytes:g}MB.json")
        replicate(source, made[-1], int(megabytes * 1e6))
    return made


def largest(folder: Path) -> list[Path]:
    """The three largest real traces as they are; copies where there are none."""
    real = sorted(REAL.glob("*.json.gz"), key=lambda path: path.stat().st_size)[-3:]
    return real or copies(folder, 20)
