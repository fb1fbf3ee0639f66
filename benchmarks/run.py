"""Runs the benchmarks and compares their figures with their budgets, or with those of another checkout.

    python benchmarks/run.py [NAME ...]                    all, or some; exit code 1 when a gate is missed
    python benchmarks/run.py --base ../other [NAME ...]    new / old, for each figure of both, in turns

With `--base` each checkout runs its own benchmark files on its own package, one after the other and then the other way round;
of each figure the least of the rounds counts on either side. What is compared is what ours took (CPU seconds, or bytes), not
the ratio to the baseline, which has the noise of two measurements. What would make it lie: a benchmark that measures something
else there, or a machine whose load changes faster than the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from budget import FILE, Figure, fails, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
NAMES = (
    "views",
    "replay",
    "timeline",
    "frames",
    "read_json",
    "open_profile_pb",
    "key_averages",
    "trace_handler",
    "clients",
    "large",
    "ranks",
    "ranks_cold",
    "trends",
    "compare_large",
    "compare_in_ci",
)
NOTHING = 2
"""The exit code of a benchmark that found nothing here to measure on, and said so."""

SLOWER = 1.03
"""What counts as slower than the base."""


def run(name: str, tree: Path) -> list[Figure]:
    """The figures of one benchmark of a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "figures"
        target.touch()
        environment = {**os.environ, "PYTHONPATH": str(tree), FILE: str(target)}
        command = [sys.executable, str(tree / "benchmarks" / f"{name}.py")]
        print(f"== {name}{'' if tree == ROOT else f' of {tree}'}", flush=True)
        subprocess.run(command, cwd=tree, env=environment, check=True)
        return [Figure(**json.loads(line)) for line in target.read_text(encoding="utf-8").splitlines()]


def table(rows: Sequence[tuple[str, ...]]) -> None:
    """Text to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numeric = [column[-1][:1].isdigit() for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, numeric, strict=True)
        print("  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells).rstrip())


def against_budgets(names: list[str], *, explain: bool) -> int:
    begun = time.monotonic()
    figures, died = [], []
    for name in names:
        try:
            figures += run(name, ROOT)
        except subprocess.CalledProcessError as error:
            if error.returncode != NOTHING:
                died.append(f"{name} ended with code {error.returncode}")
    print(f"\nafter {time.monotonic() - begun:.0f} s\n")
    head = ("figure", "is", "budget", "unit", "kind", "verdict")
    if figures:
        cells = [(each.name, f"{each.value:.3g}", f"{each.budget:g}", each.unit, each.kind, verdict(each)) for each in figures]
        table([head, *cells])
    if explain:
        print("\nwhat would make them lie:")
        for lies, name in {each.lies: each.name for each in figures}.items():
            print(f"  {name}: {lies}")
    missed = [each.name for each in figures if fails(each)]
    for said in (*died, *(f"{name} is over its budget" for name in missed)):
        print(said, file=sys.stderr)
    return 1 if died or missed else 0


def against(base: Path, names: list[str], rounds: int) -> int:
    """1 when a figure is more than 3 % slower."""
    least: dict[Path, dict[str, float]] = {ROOT: {}, base: {}}
    for number in range(rounds):
        for name in names:
            for tree in (ROOT, base) if number % 2 == 0 else (base, ROOT):
                for figure in run(name, tree):
                    known = least[tree].get(figure.name, float("inf"))
                    least[tree][figure.name] = min(known, figure.cost)
    both = [name for name in least[ROOT] if name in least[base]]
    ratios = {name: least[ROOT][name] / least[base][name] for name in both}
    print(f"\nnew / old, least of {rounds} rounds\n")
    rows = [("figure", "new", "old", "new/old", "")]
    for name, ratio in ratios.items():
        said = "SLOWER" if ratio > SLOWER else ""
        rows.append((name, f"{least[ROOT][name]:.4g}", f"{least[base][name]:.4g}", f"{ratio:.3f}", said))
    table(rows)
    alone = sorted(least[ROOT].keys() ^ least[base].keys())
    if alone:
        print(f"in one of the two only: {', '.join(alone)}")
    return 1 if any(ratio > SLOWER for ratio in ratios.values()) else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; default: all")
    parser.add_argument("--base", type=Path, help="another checkout, with this file's benchmarks in it")
    parser.add_argument("--rounds", type=int, default=3, help="with --base")
    parser.add_argument("--explain", action="store_true", help="say what would make each figure lie")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    names = options.names or list(NAMES)
    if options.base is not None:
        return against(options.base.resolve(), names, options.rounds)
    return against_budgets(names, explain=options.explain)


if __name__ == "__main__":
    sys.exit(main())
