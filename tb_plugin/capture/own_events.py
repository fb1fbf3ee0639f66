"""Finds the events of our own threads in torch's JSON: a recording of all threads holds them, and nobody asked for them.

Most carry the system's number of the thread. One that did nothing but wait during the whole recording has the number 0, as
others that waited; it is known by the frames that were on its stack when the recording began.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FRAME: Final = re.compile(
    rb'"cat": "python_function",\s+"name": "(.*)",\s+"pid": \d+,\s+"tid": 0,[^{]*'
    rb'"args": {\s+"Python parent id": (\d+|null), "Python id": (\d+)'
)
_OURS: Final = re.compile(rb"tb_plugin/capture/background\.py\(\d+\): _run\Z")


class OwnEvents:
    """Those of `threads`, the system's numbers, in a text that is given in `blocks` of whole events."""

    def __init__(self, threads: Sequence[int], blocks: Iterable[bytes]) -> None:
        frames = _without_a_number(blocks)
        numbers = b"|".join(b"%d" % thread for thread in threads)
        pattern = rb'"pid": \d+,\s+"tid": (?:%b),' % numbers
        if frames:
            pattern += rb'|"tid": 0,[^{]*"args": {[^}]*"Python id": (?:%b),' % b"|".join(frames)
        self._pattern = re.compile(pattern)

    def are_in(self, text: bytes) -> bool:
        return self._pattern.search(text) is not None


def _without_a_number(blocks: Iterable[bytes]) -> list[bytes]:
    """Python ids of the frames of those of our threads that have no number: all that hang on one root with our `_run`."""
    root_of: dict[bytes, bytes] = {}
    ours: set[bytes] = set()
    for block in blocks:
        if b'"tid": 0,' not in block:
            continue
        for name, parent, frame in _FRAME.findall(block):
            root_of[frame] = root_of.get(parent, frame)  # a caller stands before whom it called
            if _OURS.search(name):
                ours.add(root_of[frame])
    return [frame for frame, root in root_of.items() if root in ours]
