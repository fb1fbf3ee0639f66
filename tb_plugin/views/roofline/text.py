"""The roofline for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.devices_file import NAME
from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns, format_rate, with_prefix
from tb_plugin.question.figure_text import text_table
from tb_plugin.views.roofline.result import RooflineRow

if TYPE_CHECKING:
    from tb_plugin.views.roofline.result import Roofline

_SHOWN: Final = ("lost_ns", "total_ns", "share", "count", "roof_share", "bound", "flops_per_s", "bytes_per_s", "shapes", "name")
_MOST_ROWS: Final = 40


_COVERS: Final = {"steps": "in the chosen steps", "recording": "in all of the recording"}


def text(result: Roofline) -> str:
    """Rows by time lost; then what is covered, and what the device is held against."""
    rows = text_table(
        RooflineRow,
        result.rows[:_MOST_ROWS],
        _SHOWN,
        left=("name", "shapes", "bound"),
        values={"flops_per_s": _rate, "shapes": lambda row: row.shapes or ""},
    )
    more = len(result.rows) - _MOST_ROWS
    rest = f"\n{more} more rows; --csv has all" if more > 0 else ""
    return f"{rows}{rest}\n{coverage(result)}\n{_peaks(result)}"


def coverage(result: Roofline) -> str:
    """How much of the device time the figures are about."""
    if result.coverage is None:
        return "no device work"
    known = (
        f"work is known for {percent(result.coverage)} of {format_ns(result.total_ns)} of device time, {_COVERS[result.covers]}"
    )
    twins = f", {percent(result.twin_ns / result.total_ns)} of it by kernels alike" if result.twin_ns else ""
    paged = (
        f". Not known: {format_ns(result.paged_ns)} of paged attention, whose context lengths are data and in no file"
        if result.paged_ns
        else ""
    )
    lost = "" if result.lost_ns is None else f"; lost to the roof: {format_ns(result.lost_ns)}"
    return f"{known}{twins}{lost}{paged}"


def _peaks(result: Roofline) -> str:
    if result.peak is None:
        return f"the device's peaks are unknown: give them, as --peak bf16=989,bandwidth=3350, or for all views in {NAME}"
    roofs = [
        f"{roof.rate_type} {'unknown' if roof.flops_per_s is None else f'{with_prefix(roof.flops_per_s)}FLOP/s'}"
        + ("" if roof.best_flops_per_s is None else f" (best row {with_prefix(roof.best_flops_per_s)}FLOP/s)")
        for roof in result.roofs
    ]
    memory = [] if result.bytes_per_s is None else [f"memory {format_rate(result.bytes_per_s)}"]
    guess = "a guess by units and memory: " if result.is_guess else ""
    return f"{guess}{result.peak}: {', '.join([*roofs, *memory])}"


def _rate(row: RooflineRow) -> str | None:
    """With what is only a bound marked."""
    if not row.flops_per_s:
        return None
    return f"{'≤ ' if row.is_most else ''}{with_prefix(row.flops_per_s)}FLOP/s"
