"""Where in the user's code an event comes from: the innermost Python frame around it that is not torch's own.

    thread 1 | train.py(10): step 0-90 | torch/nn/modules/linear.py(114): forward 5-40 | aten::linear 10-30
               aten::linear comes from "train.py(10): step"

The line is where the function begins, as torch's frames have it. A backward operator, and all it calls, comes from where its
forward operator does; device work from where it was launched. Files without Python frames may hold "Call stack" texts.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array, IntArray
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.compact import compact, nothing
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_FRAME: Final = re.compile(r"(?P<file>.+)\((?P<line>\d+)\): (?P<function>.+)\Z", re.DOTALL)
_INTERNAL: Final = re.compile(
    r"(?:.*[/\\])?(?:torch[/\\]|<|(?:contextlib|functools|threading|runpy|selectors|queue|enum|typing|re|abc)\.py\Z)"
)
"""Files of torch, frozen modules, and what of Python's own library wraps user code. Sample: `torch/optim/optimizer.py`."""

_INSTALLED: Final = re.compile(r"(?:.*[/\\])?(?:site-packages|dist-packages|python3[.\d]*)[/\\]")
"""Samples: `python3.12/subprocess.py`, `venv/lib/python3.12/site-packages/yaml/reader.py`."""


@dataclass(frozen=True, kw_only=True)
class CallSites:
    """`of_row[row]` is a place in `texts`, or NONE.

    place  texts                 row  of_row
        0  model.py(12): forward   0      -1   ProfilerStep#1
        1  train.py(30): step      1       0   aten::linear
    """

    of_row: IntArray
    texts: tuple[str, ...]  # each once


@lru_cache(maxsize=1 << 16)
def is_user_frame(name: str) -> bool:
    """Whether a frame `file(line): function` is of the user's own code."""
    found = _FRAME.match(name)
    return found is not None and not _INTERNAL.match(found["file"])


@lru_cache(maxsize=1 << 16)
def is_own_frame(name: str) -> bool:
    """Whether a frame is of the user's own code, nor of any of Python's library, nor of a package where its path tells that."""
    found = _FRAME.match(name) if is_user_frame(name) else None
    if found is None or _INSTALLED.match(found["file"]):
        return False
    first, *_ = re.split(r"[/\\]", found["file"])
    return first.removesuffix(".py") not in sys.stdlib_module_names


def split_frame(name: str) -> tuple[str, int, str]:
    """(file, line, function) of a frame's name; ValueError when it is no frame."""
    found = _FRAME.match(name)
    if found is None:
        raise ValueError(f"{name!r} is no Python frame")
    return found["file"], int(found["line"]), found["function"]


@once_per_trace
def call_sites(trace: Trace) -> CallSites:
    """The call site of every row."""
    events = trace.events
    frames = np.flatnonzero(events.kind == Kind.PYTHON)
    is_user = np.zeros(len(events), np.bool_)
    is_user[frames] = rows_named(trace, frames, is_user_frame)
    if is_user.any():
        frame = _nearest(trace, is_user)
        found = distinct(events.name_id[frame[frame != NONE]])
        place = np.full(len(trace.strings) + 1, NONE, np.int32)
        place[found] = np.arange(len(found), dtype=np.int32)
        of_row = np.where(frame == NONE, NONE, place[events.name_id[frame]])
        return CallSites(of_row=_narrow(of_row), texts=tuple(trace.strings[i] for i in found.tolist()))
    return _from_recorded_stacks(trace)


def _from_recorded_stacks(trace: Trace) -> CallSites:
    """From "Call stack" texts (`a.py(3): f;b.py(9): g`, innermost first): profiles of 2021, TorchScript, verbose ones."""
    events = trace.events
    if trace.info.with_stack is False:
        return CallSites(of_row=nothing((len(events),), np.dtype(np.int32), NONE), texts=())
    recorded, stacks = trace.args.texts(events.order, np.flatnonzero(is_kind(events.kind, HOST_KINDS)), "Call stack")
    sites = [next(filter(is_user_frame, stack.split(";")), "") for stack in stacks]
    texts = sorted(set(filter(None, sites)))
    place = {text: number for number, text in enumerate(texts)}
    of_stack = np.array([*(place.get(site, NONE) for site in sites), NONE], np.int32)
    own = of_stack[recorded]
    has_site = own != NONE
    if not has_site.any():
        return CallSites(of_row=nothing((len(events),), np.dtype(np.int32), NONE), texts=())
    nearest = _nearest(trace, has_site)
    return CallSites(of_row=_narrow(np.where(nearest == NONE, NONE, own[nearest])), texts=tuple(texts))


def _narrow(of_row: Int64Array) -> IntArray:
    """Kept as long as the trace."""
    return compact(of_row.astype(np.int32), NONE, np.dtype(np.int16))


def _nearest(trace: Trace, has_site: BoolArray) -> Int64Array:
    """For each row the nearest row around it (itself included) that has a site, or NONE."""
    events = trace.events
    forward = forward_backward(trace).forward
    nearest = nearest_marked(events.parent, has_site | (forward != NONE)).astype(np.int64)
    anchor = np.where(events.launch != NONE, events.launch, events.owner)
    nearest = np.where(anchor == NONE, nearest, nearest[anchor]).astype(np.int64)
    return _through_forward(trace, nearest, has_site, forward)


def _through_forward(trace: Trace, nearest: Int64Array, is_end: BoolArray, forward: Int32Array) -> Int64Array:
    """`nearest` with rows of backward operators replaced by what is nearest to their forward operators, until none is left.

    The forward operator of a second-order backward operator is in one of first order. Only earlier rows follow, so that a
    damaged file cannot lead in a circle.
    """
    start_ns = trace.events.start_ns
    found: Int64Array = nearest.copy()
    asked = np.flatnonzero((found != NONE) & ~is_end[found])
    while len(asked):
        now = found[asked]
        then = nearest[forward[now]]
        found[asked] = np.where((then != NONE) & (is_end[then] | (start_ns[then] < start_ns[now])), then, NONE)
        asked = asked[(found[asked] != NONE) & ~is_end[found[asked]]]
    return found
