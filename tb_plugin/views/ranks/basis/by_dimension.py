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


def wait_of_parts(of: Analysed, place: int, rows: Int64Array, part: Int64Array, n_parts: int) -> Float64Array:
    """[part] of its exposed wait, a mean over its steps, ns: they sum to it. `rows`: its own of these steps; `part`: of each. A
    dimension that several share is divided by what the rows of each wait.
    """
    n, dimension = len(of.dimensions.names), of.dimensions.of_rows(of.job.rows.group[rows])
    waits = np.bincount(dimension * n_parts + part, of.exposed.wait[rows], n * n_parts).reshape(n, n_parts)
    found: Float64Array = exposed_of(of, place)[:, 0] @ (waits / np.maximum(waits.sum(axis=1, keepdims=True), 1))
    return found
