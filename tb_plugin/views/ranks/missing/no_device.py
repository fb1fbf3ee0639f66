"""Ranks of whose device nothing is recorded, and why, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.views.ranks.missing.lacking import named

if TYPE_CHECKING:
    from tb_plugin.job.ranks.ranks import Rank
    from tb_plugin.views.ranks.basis.analysed import Analysed

_CUT: Final = "cut"
_SAID: Final = {
    _CUT: ("its file is cut off before any device work", "their files are cut off before any device work"),
    "cpu": (
        "its file has activities of the CPU alone, and no device work",
        "their files have activities of the CPU alone, and no device work",
    ),
    "lost": ("no device work in its file", "no device work in their files"),
}


def on_no_device(of: Analysed) -> str | None:
    """Ranks whose files have no work of a device, where others have; or all of a job of devices."""
    lack = of.job.of.lack_device
    if not lack:
        return None
    by_why: dict[str, list[int]] = {}
    for place in lack:
        by_why.setdefault(_why(of.job.of.ranks[place]), []).append(place)
    said = [f"{named(of, places).capitalize()}: {_SAID[why][len(places) > 1]}" for why, places in by_why.items()]
    it_is = "it is" if len(lack) == 1 else "they are"
    then = f"{it_is} in no figure of a step, and all else is told as if {it_is} missing."
    if len(lack) == len(of.job.of.ranks):
        then = "how long a step is, who is late and why is not recorded."
    if len(said) > 1:
        return f"{'. '.join(said)}. {then[0].upper()}{then[1:]}"
    return f"{said[0]}; {then}"


def has_no_device_work(of: Analysed, numbers: list[int], *, are_many: bool) -> str:
    """Of files that lack it, behind "whose file", or "whose files": `is cut off before any device work`."""
    ranks = [rank for rank in of.job.of.ranks if rank.number in numbers]
    are, have = ("are", "have") if are_many else ("is", "has")
    if all(_why(rank) == _CUT for rank in ranks):
        return f"{are} cut off before any device work"
    return f"{have} no device work"


def _why(rank: Rank) -> str:
    if rank.summary.is_cut_off:
        return _CUT
    return "lost" if rank.summary.has_launches or rank.summary.damage else "cpu"
