"""What is told of a stage, host or replica: what its members commonly have more in a late step.

            step 10   11   12    mean
rank 4 more     3.1  2.8  3.6    3.2
rank 5          2.9  3.5  2.6    3.0
rank 6          3.3  3.0  3.3    3.2
the least       2.9  2.8  2.6    2.8    late where this is over the limit; less than any of them has in the mean
the median      3.1  3.0  3.3    3.1    told
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.job.late.limits import median

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array


def common_excess(
    work: Float64Array,
    members: Sequence[int],
    least: Float64Array,
    others: Sequence[tuple[Sequence[int], Float64Array]],
) -> Float64Array:
    """Of each step, 0 where it is not late. `least`: what the least of its members has; `others`: members of who is blamed beside
    it, and what that explains of each, which is not the unit's. A rank outside that is late is no measure.
    """
    left, is_member = work.copy(), np.isin(np.arange(len(work)), members)
    for its, explained in others:
        if len(its) > 1 or is_member[its[0]]:
            left[list(its)] -= explained
        else:
            left[its[0]] = np.where(explained[0] > 0, np.nan, left[its[0]])
    more = median(left[is_member]) - median(left[~is_member])
    return np.where(least > 0, np.fmax(more, least), 0.0)
