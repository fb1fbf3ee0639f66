"""Which calls of A and of B are the same: by the closest key that both sides have, each call once.

module, shapes    Net_0/Linear_1 · linear · [[8,4],[2,4]] · float
module            Net_0/Linear_1 · linear                       other shapes: another batch
replaced          Net_0/Attention_0: bmm, softmax -> scaled_dot_product_attention
shapes            linear · [[8,4],[2,4]] · float                wherever it is called
operator          linear
category          work without operators: matrix multiply
compiled          operators of one side against what torch.compile made of them
added, removed    what is left
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from tb_plugin.views.compare.joined.side import CallKey, OneCall, Side
    from tb_plugin.views.compare.result import Matched

_NUMBER: Final = re.compile(r"_\d+(?=/|$)")
_SEPARATOR: Final = "/"
_SHOWN: Final = 4  # names of what is replaced


@dataclass(frozen=True, kw_only=True)
class Match:
    """Calls of both sides that are one row, by their places; `module` is the innermost that holds them all."""

    a: tuple[int, ...]
    b: tuple[int, ...]
    matched: Matched
    module: str
    operator: str  # or what is replaced by what
    shapes: str


def align(a: Side, b: Side) -> list[Match]:
    """Each call of each side is in exactly one."""
    return _Aligner(a, b).matches


class _Aligner:
    def __init__(self, a: Side, b: Side) -> None:
        self._calls = (a.calls, b.calls)
        self._module = without_numbers([{call.key.module for call in side.calls if call.key.module} for side in (a, b)])
        self._left = ([*range(len(a.calls))], [*range(len(b.calls))])
        self.matches: list[Match] = []
        self._pair(lambda _, call: None if call.key.operator else "", lambda _: "category")
        self._pair(self._of_module, _words)
        self._pair(lambda side, call: self._of_module(side, call)[:2], lambda key: _words(key._replace(shapes="")))
        self._pair(self._in_one_module, lambda _: "replaced")
        self._pair(lambda _, call: call.key[1:] if call.key.operator else None, lambda key: _words(key._replace(module="")))
        self._pair(lambda _, call: call.key.operator or None, lambda _: "operator")
        if a.sums[0].recorded.is_compiled != b.sums[0].recorded.is_compiled and all(self._left):
            self._add(*self._left, "compiled")
            self._left = ([], [])
        self._between_neighbours()
        for call in self._left[0]:
            self._add([call], [], "removed")
        for call in self._left[1]:
            self._add([], [call], "added")

    def _of_module(self, side: int, call: OneCall) -> CallKey:
        return call.key._replace(module=self._module[side].get(call.key.module, call.key.module))

    def _in_one_module(self, side: int, call: OneCall) -> str | None:
        return (self._of_module(side, call).module or None) if call.key.operator else None

    def _pair(self, key_of: Callable[[int, OneCall], Hashable | None], matched: Callable[[CallKey], Matched]) -> None:
        """What is left and has a key that the other side has too."""
        found: tuple[dict[Hashable, list[int]], dict[Hashable, list[int]]] = ({}, {})
        for side in (0, 1):
            for call in self._left[side]:
                key = key_of(side, self._calls[side][call])
                if key is not None:
                    found[side].setdefault(key, []).append(call)
        both = [key for key in found[0] if key in found[1]]
        for key in both:
            first = self._of_module(0, self._calls[0][found[0][key][0]])
            self._add(found[0][key], found[1][key], matched(first))
        for side in (0, 1):
            gone = {call for key in both for call in found[side][key]}
            self._left[side][:] = [call for call in self._left[side] if call not in gone]

    def _between_neighbours(self) -> None:
        """Operators that only one side has, in the order of their first calls: those between the same two that both have."""
        runs = tuple(self._runs(side) for side in (0, 1))
        for between in [key for key in runs[0] if key in runs[1] and key != (None, None)]:
            self._add(runs[0][between], runs[1][between], "replaced")
            for side in (0, 1):
                self._left[side][:] = [call for call in self._left[side] if call not in runs[side][between]]

    def _runs(self, side: int) -> dict[tuple[str | None, str | None], list[int]]:
        left = set(self._left[side])
        matched_names = {call.key.operator for place, call in enumerate(self._calls[side]) if place not in left}
        found: dict[tuple[str | None, str | None], list[int]] = {}
        before: str | None = None
        run: list[int] = []
        order = sorted(
            range(len(self._calls[side])), key=lambda place: (self._calls[side][place].first_ns, self._calls[side][place].key)
        )
        for place in order:
            call = self._calls[side][place]
            if place in left and call.key.operator and call.key.operator not in matched_names:
                run.append(place)
            elif place not in left and call.key.operator:
                if run:
                    found.setdefault((before, call.key.operator), []).extend(run)
                before, run = call.key.operator, []
        if run:
            found.setdefault((before, None), []).extend(run)
        return found

    def _add(self, a: list[int], b: list[int], matched: Matched) -> None:
        keys = [self._of_module(side, self._calls[side][place]) for side, places in ((0, a), (1, b)) for place in places]
        operators = ([self._calls[0][place] for place in a], [self._calls[1][place] for place in b])
        is_one = matched not in ("replaced", "compiled")
        shapes = {key.shapes for key in keys}
        self.matches.append(
            Match(
                a=tuple(a),
                b=tuple(b),
                matched=matched,
                module=_common(key.module for key in keys),
                operator=keys[0].operator if is_one else " → ".join(_named(side) for side in operators),
                shapes=(next(iter(shapes)) if len(shapes) == 1 else "") if is_one else "",
            )
        )


def _words(key: CallKey) -> Matched:
    """What of this key there is."""
    if key.shapes:
        return "module, shapes" if key.module else "shapes"
    return "module" if key.module else "operator"


def _named(calls: list[OneCall]) -> str:
    names = list(dict.fromkeys(call.key.operator for call in sorted(calls, key=lambda call: (call.first_ns, call.key))))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return " · ".join(names[:_SHOWN]) + more


def _common(modules: Iterable[str]) -> str:
    """The innermost module around all of these."""
    paths = [module.split(_SEPARATOR) if module else [] for module in modules]
    shared: list[str] = []
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return _SEPARATOR.join(shared)


def without_numbers(paths: Sequence[set[str]]) -> list[dict[str, str]]:
    """For each side what its modules are called here: without the numbers of classes where only these differ."""
    if not all(paths) or all(side == paths[0] for side in paths):
        return [{} for _ in paths]
    plain = [{path: _NUMBER.sub("", path) for path in side} for side in paths]
    are_alike = all(set(side.values()) == set(plain[0].values()) for side in plain)
    return plain if are_alike else [{} for _ in paths]
