"""How a benchmark says what it found: a name, a figure, its budget, and what would make it lie.

A `gate` fails the run (`make bench`) when it is over its budget. An `informational` figure is shown beside its budget and
fails nothing: what it measures depends on the machine. A budget that is known to be missed says by how much (`missed`): it is
shown as missed, and a gate fails only when it got worse than that by 5 %.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

FILE = "TB_PLUGIN_BENCHMARK_FIGURES"
"""The file to which `run.py` has each figure appended, one JSON object a line."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured figure, as it travels to `run.py`."""

    name: str
    value: float
    cost: float
    """What ours took, in seconds of the processor where nothing else is said, bytes for sizes: to compare two checkouts."""
    budget: float
    unit: str
    kind: Literal["gate", "informational"]
    missed: float | None
    lies: str


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The most that a figure may be."""

    name: str
    budget: float
    unit: str
    kind: Literal["gate", "informational"]
    lies: str
    """What would make the figure lie."""
    missed: float | None = None
    """The figure when it was last known to be over its budget."""

    def measured(self, value: float, *, of: str = "", cost: float | None = None) -> Figure:
        """States the figure: a line for who reads along, and one for `run.py`. `of`: which of several inputs."""
        own = {name: content for name, content in asdict(self).items() if name != "name"}
        figure = Figure(name=f"{self.name} {of}".strip(), value=value, cost=value if cost is None else cost, **own)
        print(f"-> {figure.name}: {value:.3g} {self.unit}, budget {self.budget:g} ({verdict(figure)})", flush=True)
        target = os.environ.get(FILE)
        if target:
            with Path(target).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(figure)) + "\n")
        return figure


def verdict(figure: Figure) -> str:
    """A word on a figure; `fails` goes by the same limits."""
    was = "" if figure.missed is None else f", was {figure.missed:g}"
    if figure.value <= figure.budget:
        return f"good{was}"
    return ("MISSED" if fails(figure) else "missed") + was


def fails(figure: Figure) -> bool:
    limit = max(figure.budget, 1.05 * (figure.missed or 0.0))
    return figure.kind == "gate" and figure.value > limit
