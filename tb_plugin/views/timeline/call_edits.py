"""A call tree without some of its calls: what one asks of a flame graph that shows too much.

main 100 > net 60 > act 20 > exp 15        focus:net     net 60 > act 20 > exp 15
                  > mm 40                                       > mm 40
         > act 40                          merge:act     main 100 > net 60 > exp 15      its own time is its caller's
                                                                           > mm 40
                                           drop:act      main 40 > net 40 > mm 40        and without all it calls
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.nesting import depths, has_marked_ancestor, nearest_marked, sum_over_subtree
from tb_plugin.views.timeline.area_calls import AreaCalls
from tb_plugin.views.timeline.call_names import call_names, class_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace

_Action = Literal["focus", "merge", "drop"]
_ACTIONS: Final[tuple[_Action, ...]] = get_args(_Action)
_MOST: Final = 20
_SHOWN: Final = 60  # characters of what is refused

FORMS: Final = "focus:NAME, merge:NAME or drop:NAME"


class CallEdit(NamedTuple):
    """`name` may be that of a class; blanks and ends of lines in it are one blank, so that it has a line of its own."""

    action: _Action
    name: str


def parse_all(text: str) -> list[CallEdit]:
    """Edits, one a line; empty lines are none. Raises UsageError."""
    found = []
    for line in filter(str.strip, text.splitlines()):
        word, _, name = line.partition(":")
        action = next((each for each in _ACTIONS if each == word.strip()), None)
        if action is None or not name.strip():
            raise UsageError(f"edit={line[:_SHOWN]!r}: it is written {FORMS}")
        found.append(CallEdit(action, _one_line(name)))
    if len(found) > _MOST:
        raise UsageError(f"edit: {len(found)} are more than {_MOST}")
    return found


def edited(trace: Trace, calls: AreaCalls, edits: Sequence[CallEdit], *, by_class: bool) -> AreaCalls:
    """With these edits, one after the other; `by_class`: with all modules of a class as one call."""
    if not edits and not by_class:
        return calls
    names = call_names(trace)
    parent, self_ns = calls.parent.astype(np.int32), calls.self_ns.copy()
    is_left = np.ones(len(parent), np.bool_)
    for action, name in edits:
        meant = is_left & names.judged(calls.key, partial(_is_meant, class_text(name) if by_class else name))
        inside = meant | has_marked_ancestor(parent, meant)
        if action == "focus":
            parent[meant & ~has_marked_ancestor(parent, meant)] = NONE
            is_left &= inside
        elif action == "drop":
            is_left &= ~inside
        else:
            caller = np.append(nearest_marked(parent, ~meant), np.int32(NONE))  # itself, of what stays
            told = meant & (caller[:-1] != NONE)
            np.add.at(self_ns, caller[:-1][told], self_ns[told])
            parent = caller[parent]
            is_left &= ~meant
    key = names.class_of[calls.key] if by_class else calls.key
    return _grown(trace, calls._replace(parent=parent, key=key, self_ns=self_ns), is_left)


def _is_meant(asked: str, name: str) -> bool:
    return asked in (_one_line(name), _one_line(class_text(name)))


def _one_line(name: str) -> str:
    return " ".join(name.split())


def _grown(trace: Trace, calls: AreaCalls, is_left: BoolArray) -> AreaCalls:
    """Of what is left: calls of one caller, kind and name are one."""
    kind = trace.events.kind[calls.row]
    left = np.flatnonzero(is_left)
    depth = depths(calls.parent.astype(np.int32))[left]
    levels = np.split(left[np.argsort(depth, kind="stable")], np.cumsum(np.bincount(depth)))
    of = np.full(len(is_left) + 1, NONE)  # one entry more: NONE falls on it
    firsts, n_nodes = [left[:0]], 0
    for level in levels:
        alike = group_by(of[calls.parent[level]], kind[level], calls.key[level])
        of[level] = alike.of + n_nodes
        firsts.append(level[alike.first])
        n_nodes += len(alike)
    first, node = np.concatenate(firsts), of[left]
    parent = of[calls.parent[first]].astype(np.int32)
    self_ns, n_calls = (np.bincount(node, each[left], n_nodes).astype(np.int64) for each in (calls.self_ns, calls.n_calls))
    longest = np.empty(n_nodes, np.int64)
    by_length = left[np.argsort(calls.longest_ns[left], kind="stable")]
    longest[of[by_length]] = by_length  # of several that are written to one place the last stays
    return AreaCalls(
        parent=parent,
        row=calls.row[first],
        key=calls.key[first],
        time_ns=sum_over_subtree(parent, depths(parent), self_ns),
        self_ns=self_ns,
        n_calls=n_calls,
        longest_row=calls.longest_row[longest],
        longest_ns=calls.longest_ns[longest],
    )
