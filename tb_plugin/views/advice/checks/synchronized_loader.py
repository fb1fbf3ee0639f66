"""torch's SynchronizedDataLoaderPattern: a DataLoader without worker processes.

torch/utils/data/dataloader.py(..): __iter__ > _get_iterator > anything but check_worker_number_rationality
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import FRAMES
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_FILES: Final = ("torch/utils/data/dataloader.py", "torch\\utils\\data\\dataloader.py")


def find(facts: Facts) -> Seen | None:
    rows = matches(facts)
    if len(rows) == 0:
        return None
    loading_ns = facts.window_part(facts.union_of(facts.loader_rows))
    return Seen(
        title="Load batches in worker processes: DataLoader(num_workers=...)",
        what=f"{counted(len(rows), 'data loader')} opened without worker processes.",
        evidence=[Evidence(text="time in enumerate(DataLoader)", value=loading_ns, unit="ns")],
        rows=rows,
        gain_ns=None,
        gain_how="unknown; time that steps wait for batches is a finding of its own where it is more than 5 %.",
        confidence="likely",
    )


def matches(facts: Facts) -> Int64Array:
    """Rows of `__iter__`, as torch's pattern finds them."""
    frames = facts.named(lambda name: _is_frame(name, "__iter__"), Kind.PYTHON)
    return np.array([row for row in frames.tolist() if _is_synchronous(facts, row)], np.int64)


def _is_synchronous(facts: Facts, row: int) -> bool:
    child = facts.family.first_child(row)
    if child == NONE or not _is_frame(facts.name(child), "_get_iterator"):
        return False
    grandchild = facts.family.first_child(child)
    return grandchild != NONE and not _is_frame(facts.name(grandchild), "check_worker_number_rationality")


def _is_frame(name: str, function: str) -> bool:
    return name.startswith(_FILES) and name.endswith(function)


CHECK: Final = Check(id="synchronized_loader", looks_for="data loaders without worker processes", needs=(FRAMES,), find=find)
