"""SynchronizedDataLoaderPattern: a DataLoader without worker processes.

torch/utils/data/dataloader.py(..): __iter__ > _get_iterator > anything but check_worker_number_rationality
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.pattern import TUNING_GUIDE, Pattern

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.patterns.call_tree import CallTree

_FILES: Final = ("torch/utils/data/dataloader.py", "torch\\utils\\data\\dataloader.py")


class SynchronizedLoader(Pattern):
    """Rows of `__iter__`."""

    torch_name = "SynchronizedDataLoaderPattern"
    name = "Synchronized DataLoader Pattern"
    description = (
        "Detected DataLoader running with synchronized implementation. "
        "Please enable asynchronous dataloading by setting num_workers > 0 when initializing DataLoader."
    )
    url = f"{TUNING_GUIDE}#enable-async-data-loading-and-augmentation"

    def rows(self, tree: CallTree) -> Int64Array:
        frames = tree.named(lambda name: _is_frame(name, "__iter__"), Kind.PYTHON)
        return np.array([row for row in frames.tolist() if _is_synchronous(tree, row)], np.int64)


def _is_synchronous(tree: CallTree, row: int) -> bool:
    child = tree.first_child(row)
    if child == NONE or not _is_frame(tree.name(child), "_get_iterator"):
        return False
    grandchild = tree.first_child(child)
    return grandchild != NONE and not _is_frame(tree.name(grandchild), "check_worker_number_rationality")


def _is_frame(name: str, function: str) -> bool:
    return name.startswith(_FILES) and name.endswith(function)
