"""Collapsed stacks for flame graph tools: `thread;outer;inner 12`, a line per distinct stack of the host with its self time.

Times are summed in ns per stack and then rounded to whole µs, which is all these tools read; a stack below half a µs has
no line.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.formats import slices, whole_file
from tb_plugin.formats.flat.host_stacks import host_stacks

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_LONGEST = 1 << 14  # characters
_IN_FRAME = str.maketrans(";\t\r\n\v\f\x85\u2028\u2029", ":        ")  # separators of stacks and lines


def write(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """Writes the file, compressed when the name ends in .gz, and says what it cannot hold."""
    stacks = host_stacks(trace)
    on_stack = stacks.of_row != NONE
    spent_ns = np.bincount(stacks.of_row[on_stack], weights=stacks.self_ns[on_stack], minlength=len(stacks)).astype(np.int64)
    texts: list[str] = []
    columns = (stacks.above, stacks.name_id, stacks.track, spent_ns)
    with whole_file.written_text(Path(path)) as file:
        for above, name_id, track, ns in zip(*(column.tolist() for column in columns), strict=True):
            outer = _frame(slices.track_title(trace, track)) if above == NONE else texts[above]
            text = f"{outer};{_frame(trace.text(name_id))}"
            # Each stack says all that it is in: deep ones count for the one around them, or they would grow as a square.
            texts.append(text if len(text) <= _LONGEST else outer)
            if (microseconds := (ns + 500) // 1000) > 0:
                file.write(f"{texts[-1]} {microseconds}\n")
    return ("all but names, stacks and self times of the host in whole µs",)


def _frame(text: str) -> str:
    return text.translate(_IN_FRAME) or "(no name)"
