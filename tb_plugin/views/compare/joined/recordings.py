"""How two recordings differ beside the program that they are of, and what their differences therefore do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tb_plugin.base.text_table import percent
from tb_plugin.views.compare.result import Difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.views.compare.joined.side import OneCall, Side
    from tb_plugin.views.compare.sums.result import ProfileSums

_UNLINKED: Final = 0.05
_DROPPED: Final = ("dropped",)
_ONE_PROGRAM: Final = 0.2
"""Of the busy time of each side: two recordings that have less alike on both sides are of two programs."""
_NOTHING, _HALF = 0.05, 0.5
"""The same where one side has next to nothing alike, and the other less than half. (Slow work that is new leaves A whole.)"""


class _Fact(NamedTuple):
    what: str
    of: Callable[[ProfileSums], Any]
    spoils: str = "nothing"


_FACTS: Final = (
    _Fact("device", lambda sums: sums.recorded.device),
    _Fact("devices", lambda sums: sums.recorded.n_devices),
    _Fact("job size", lambda sums: sums.recorded.world_size),
    _Fact("rank", lambda sums: sums.recorded.rank),
    _Fact("torch", lambda sums: sums.recorded.torch_version),
    _Fact("runtime", lambda sums: sums.recorded.runtime),
    _Fact("figures are per", lambda sums: sums.per or sums.unit, "everything"),
    _Fact("rows are of", lambda sums: f"time of the {sums.basis}", "everything"),
    _Fact("host operators", lambda sums: sums.recorded.has_operators, "rows"),
    _Fact("Python stacks", lambda sums: sums.recorded.has_stacks, "host"),
    _Fact("input shapes", lambda sums: sums.recorded.has_shapes, "host"),
    _Fact("memory", lambda sums: sums.recorded.has_memory),
    _Fact("numbers in the first product's input", lambda sums: sums.recorded.batch_elements),
    _Fact("compiled", lambda sums: sums.recorded.is_compiled),
    _Fact("graphs", lambda sums: sums.recorded.has_graphs),
    _Fact("file is cut off", lambda sums: sums.recorded.is_cut_off, "rows"),
    _Fact("dropped events", lambda sums: any(issue in _DROPPED for issue in sums.recorded.issues), "rows"),
)
_SAID_ALIKE: Final = ("device", "torch", "runtime", "figures are per", "numbers in the first product's input")


def differences(a: Side, b: Side) -> list[Difference]:
    """Only what differs."""
    of_a, of_b = a.sums[0], b.sums[0]
    found = []
    for fact in _FACTS:
        values = fact.of(of_a), fact.of(of_b)
        if values[0] != values[1]:
            found.append(Difference(what=fact.what, a=_words(values[0]), b=_words(values[1]), spoils=_spoils(fact, *values)))
    shares = of_a.recorded.unlinked_share, of_b.recorded.unlinked_share
    if abs(shares[0] - shares[1]) > _UNLINKED:
        found.append(Difference(what="device time without launch", a=percent(shares[0]), b=percent(shares[1]), spoils="rows"))
    kinds = [len({step.kind for step in of.steps}) for of in (of_a, of_b)]
    if kinds[0] != kinds[1]:
        found.append(Difference(what="kinds of steps", a=str(kinds[0]), b=str(kinds[1]), spoils="nothing"))
    return found


def alike(a: Side, b: Side) -> list[str]:
    """What both were recorded with, as far as it is known."""
    said = []
    for fact in _FACTS:
        value = fact.of(a.sums[0])
        if fact.what in _SAID_ALIKE and value is not None and value == fact.of(b.sums[0]):
            said.append(str(value) if fact.what in ("device", "runtime") else f"{fact.what} {value}")
    return said


def doubts(a: Side, b: Side, found: list[Difference]) -> tuple[list[str], set[str]]:
    """Sentences that have to be read before any figure, and what is spoiled."""
    is_one = a.sums == b.sums  # steps of one recording
    common = _in_common(a, b), _in_common(b, a)
    said: list[str] = []
    spoils: set[str] = {difference.spoils for difference in found}
    for name, side in (("A", a), ("B", b)):
        sums = side.sums[0]
        if sums.unit == "recording":
            said.append(f"{name} has no complete step, so the whole recording is taken for one: a difference, not evidence.")
        elif len(side.steps) == 1 and not is_one:
            said.append(f"{name} has one {sums.unit} only: a difference, not evidence.")
        if sums.n_incomplete:
            said.append(
                f"{name}: {sums.n_incomplete} {'step' if sums.n_incomplete == 1 else 'steps'} that the recording cut, left out."
            )
        others = sum(step.kind != 0 for step in sums.steps)
        if others and not is_one:
            said.append(f"{name}: {others} of {len(sums.steps)} steps call other operators and are compared apart (kind).")
        if sums.n_folded:
            said.append(f"{name}: {sums.n_folded} smaller calls are one row.")
    are_two = max(common) < _ONE_PROGRAM or (min(common) < _NOTHING and max(common) < _HALF)
    if are_two and not is_one and not a.sums[0].recorded.is_compiled ^ b.sums[0].recorded.is_compiled:
        said.insert(
            0,
            f"These look like two different programs: work that both have alike makes {percent(common[0])} of A's busy time and "
            f"{percent(common[1])} of B's. No difference between them is a finding.",
        )
        spoils.add("everything")
    if "host" in spoils:
        said.append(
            "Recorded with other options, which cost time on the host: no difference of the step or the host is a finding."
        )
    if "rows" in spoils:
        said.append("One of the recordings is incomplete: no row is a finding.")
    return said, spoils - {"nothing"}


def _in_common(side: Side, other: Side) -> float:
    """How much of a side's busy time is work that the other side has alike: the same operators of the same shapes; of other
    shapes, as with another batch, by how alike their numbers are (53 convolutions against 2: 4 %).
    """
    calls, others = _counted(side), _counted(other)
    there = {shaped for shapes, _ in others.values() for shaped in shapes}
    total = alike = 0.0
    for call in side.calls:
        name, shaped = _names(call)
        ns = float(side.leaf_ns[list(call.leaves)].sum())
        total += ns
        if shaped in there:
            alike += ns
        elif name in others:
            numbers = calls[name][1], others[name][1]
            alike += ns * min(numbers) / max(*numbers, 1e-9)
    return alike / total if total else 1.0


def _counted(side: Side) -> dict[str, tuple[set[tuple[str, str]], float]]:
    """By operator: its shapes, and how often it is called in a step."""
    found: dict[str, tuple[set[tuple[str, str]], float]] = {}
    for call in side.calls:
        name, shaped = _names(call)
        shapes, calls = found.get(name, (set(), 0.0))
        found[name] = (shapes | ({shaped} if shaped[1] else set()), calls + call.calls)
    return found


def _names(call: OneCall) -> tuple[str, tuple[str, str]]:
    return call.key.operator, (call.key.operator, call.key.shapes)


def _spoils(fact: _Fact, a: object, b: object) -> Any:
    # Of a device alone the host's options say nothing.
    return "nothing" if fact.spoils == "host" and None in (a, b) else fact.spoils


def _words(value: object) -> str:
    if value is None:
        return "not recorded"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
