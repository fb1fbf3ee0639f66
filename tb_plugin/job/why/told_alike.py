"""Whom a late rank's cause is told against: peers of whom all of its late steps are told.

In a step that is cut off in its file a peer did less than it is known to have done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.job.own.own_time import told_numbers

if TYPE_CHECKING:
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler


def told_alike(job: Job, straggler: Straggler) -> Straggler:
    """Held against these alone, where there are such."""
    late = straggler.late_steps
    peers = tuple(at for at in straggler.peers if np.isin(late, told_numbers(job.of.ranks[at])).all())
    return replace(straggler, peers=peers) if 0 < len(peers) < len(straggler.peers) else straggler
