"""Ranks whose files lack work, and the steps that are not told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.views.ranks.names import counted

if TYPE_CHECKING:
    from tb_plugin.views.ranks.analysed import Analysed


def cut_off(of: Analysed) -> list[int]:
    return [place for place, rank in enumerate(of.job.of.ranks) if rank.summary.is_cut_off]


def with_holes(of: Analysed) -> list[int]:
    """Places of ranks whose files lack work, not at their end."""
    return [
        place
        for place, rank in enumerate(of.job.of.ranks)
        if rank.summary.damage or (not rank.summary.is_cut_off and (rank.steps["complete"] == NONE).any())
    ]


def lacked(of: Analysed, places: list[int]) -> list[int]:
    """Numbers of the steps that are not told of some of these ranks."""
    lacks: list[int] = of.own.number[np.isnan(of.own.step[places]).any(axis=0)].tolist()
    return lacks


def lacking(of: Analysed, places: list[int], whom: str) -> str | None:
    """Steps that these ranks have not recorded whole, and what that leaves; None where they lack none."""
    lacks = lacked(of, places)
    if not lacks:
        return None
    steps = f"{counted('step', lacks)} {'are' if len(lacks) > 1 else 'is'}"
    whole = np.setdiff1d(of.own.number, lacks).tolist()
    replayed = f"; what a step would be is told of {counted('step', whole)}" if whole else ""
    return f"{steps} not told of {whom}, nor who waited for {whom} then{replayed}"


def named(of: Analysed, places: list[int]) -> str:
    return counted("rank", [of.job.of.ranks[place].number for place in places])
