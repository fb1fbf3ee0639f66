"""Traces with launch shapes, for the tests of this view."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.trace.model import Trace, Work

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_work(trace: Trace, name: str, **columns: Sequence[object]) -> Trace:
    """The trace with launch shapes for the kernels of this name, in row order."""
    rows = [row for row in range(len(trace.events)) if trace.text(int(trace.events.name_id[row])) == name]
    arrays = {key: np.array(values) for key, values in columns.items()}
    return dataclasses.replace(trace, work=Work.from_columns({"row": np.array(rows), **arrays}))
