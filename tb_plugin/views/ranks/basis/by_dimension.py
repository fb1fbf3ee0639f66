"""What no kernel hides of one rank's communication, by dimension: the one division that all who tell of the rank take.

Exposures of rows are no division: what waits in two collectives at once is in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.job.own.own_time import told_shares

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed


def exposed_of(of: Analysed, place: int) -> Float64Array:
    """[dimension, (wait, transfer, not told apart)]: means over its steps, ns; NaN of a rank without one."""
    shares = told_shares(of.job, of.exposed)[place]
    means: Float64Array = shares.sum(axis=0) / (len(shares) or np.nan)
    return means


def wait_between_two(of: Analysed, place: int, rows: Int64Array) -> float:
    """Of its exposed wait what it waits in sends and receives, a mean over its steps, ns. `rows`: its own of these steps. Of a
    dimension with collectives too its part of what its rows wait.
    """
    wait, is_pair = of.exposed.wait[rows], of.job.rows.is_between_two[rows]
    dimension, n = of.dimensions.of_rows(of.job.rows.group[rows]), len(of.dimensions.names)
    of_all, of_pairs = (np.bincount(dimension, each, n) for each in (wait, np.where(is_pair, wait, 0)))
    return float((exposed_of(of, place)[:, 0] * of_pairs / np.maximum(of_all, 1)).sum())
