"""Plain-text tables for a terminal: aligned columns, one line a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.units import rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDEST = 100


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[str] = ("name",)) -> str:
    """Columns named in `left` are aligned left, numbers right; what is longer than 100 characters is cut."""
    cells = [[_cut(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = []
    for row in cells:
        parts = [c.ljust(w) if name in left else c.rjust(w) for c, w, name in zip(row, widths, columns, strict=True)]
        lines.append("  ".join(parts).rstrip())
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines)


def _cut(cell: str) -> str:
    cell = " ".join(cell.split())  # a name from a trace may hold line breaks
    return cell if len(cell) <= _WIDEST else cell[: _WIDEST - 3] + "..."


def percent(share: float) -> str:
    """`0.123` as `12.3 %`."""
    return f"{rounded(100 * share, 1)} %"
