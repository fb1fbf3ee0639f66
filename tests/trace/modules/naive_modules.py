"""Modules by a walk up torch's call tree, event by event. Slow, and simple enough to be right."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.trace.modules.forward_backward import forward_backward

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

PREFIX = "nn.Module: "


class Naive:
    """Walks up `events.parent` from each event. Knows nothing of modules that are recomputed in the backward pass."""

    def __init__(self, trace: Trace) -> None:
        self.names = [trace.text(i) for i in trace.events.name_id.tolist()]
        self.parent = trace.events.parent.tolist()
        self.start, self.end = trace.events.start_ns.tolist(), trace.events.end_ns.tolist()
        self.forward = forward_backward(trace).forward.tolist()
        self.trace = trace

    def above(self, row: int) -> list[int]:
        """The row and what is around it, innermost first."""
        found = []
        while row >= 0:
            found.append(row)
            row = self.parent[row]
        return found

    def is_frame(self, row: int) -> bool:
        return self.names[row].startswith(PREFIX)

    def path(self, row: int) -> str:
        """The modules around a row, and whether it is backward of them: that of the first frame or backward operator above."""
        for place in self.above(row):
            if self.forward[place] >= 0:
                return self.path(self.forward[place]).removesuffix(" backward") + " backward"
            if self.is_frame(place):
                frames = [self.names[up].removeprefix(PREFIX) for up in self.above(place) if self.is_frame(up)]
                return "/".join(reversed(frames))
        return ""

    def calls(self) -> Counter[str]:
        return Counter(self.path(row) for row in range(len(self.names)) if self.is_frame(row))

    def host_self(self) -> dict[str, int]:
        own: defaultdict[str, int] = defaultdict(int)
        for row in range(len(self.names)):
            if self.is_frame(row) or self.forward[row] >= 0:
                ns = self.end[row] - self.start[row]
                own[self.path(row)] += ns
                around = self.path(self.parent[row]) if self.parent[row] >= 0 else ""
                own[around] -= ns
        return {path: ns for path, ns in own.items() if path and path != " backward"}

    def device_self(self) -> dict[str, int]:
        events = self.trace.events
        own: defaultdict[str, int] = defaultdict(int)
        for row in np.flatnonzero(np.isin(events.kind, DEVICE_KINDS)).tolist():
            anchor = int(events.launch[row]) if events.launch[row] >= 0 else int(events.owner[row])
            path = self.path(anchor) if anchor >= 0 else "not attributed"
            own[path if path.removesuffix(" backward") else "not in a module"] += self.end[row] - self.start[row]
        return dict(own)
