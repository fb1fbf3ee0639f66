"""Links that move data slower than others, or at times, in a sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.strides import in_strides
from tb_plugin.base.units import format_ns, format_rate
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.views.ranks.basis.names import counted, per_step
from tb_plugin.views.ranks.basis.sorts import sort_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.links.host_set import HostSet
    from tb_plugin.job.links.links import SlowSets
    from tb_plugin.views.ranks.basis.analysed import Analysed

_ALIKE: Final = 1.5
_MOST_HOSTS: Final = 8
_MOST_NAMED_HOSTS: Final = 3
_MOST_SORTS: Final = 2
_MOST_TIMES: Final = 3
_NAMELESS: Final = "host "
"""What one without a name is called by, and its number."""


class AtTimes(NamedTuple):
    """A sentence on links that are slow in these steps only."""

    text: str
    steps: tuple[int, ...]
    other_links: str  # `With these links as in the other steps`, before what such a step would take


def slow_link(of: Analysed) -> str | None:
    """The sentence, where data moves slower between some hosts than between others."""
    slow = of.links.always
    if slow is None:
        return None
    worst = min(slow.sets, key=lambda one: one.of_usual or 1.0)
    least = "at least " if slow.is_at_least else ""
    low, high = format_rate(worst.bandwidth), format_rate(_usual(worst))
    times = f"{slow.factor:.1f}" if slow.is_at_least else _times(slow.sets)
    where, is_single = _where(of, slow)
    links = f"The link {where} is" if is_single else f"Links {where} are"
    when = f"in {counted('step', [*slow.steps])} " if slow.steps else ""
    return (
        f"{links} {when}{least}{times} x slower than others ({worst.dimension} {low} of {least}{high}); "
        f"that costs the rank it hits most {format_ns(slow.lost_ns)}{per_step(of)} that nothing hides."
    )


def at_times(of: Analysed) -> list[AtTimes]:
    """The first three, by what they cost."""
    return [_at_times(of, one) for one in of.links.at_times[:_MOST_TIMES]]


def lost_in_mean_step(of: Analysed, slow: SlowSets) -> float:
    """What their usual speed would not need and no kernel hides, ns, at most over ranks."""
    of_row, lost = of.job.matched.of, np.zeros(len(of.job.of.ranks))
    for one in slow.sets:
        rows = np.flatnonzero(np.isin(of_row, one.instances))
        np.add.at(lost, of.job.rows.rank[rows], of.exposed.transfer[rows] * (1 - (one.of_usual or 1.0)))
    return float(lost.max(initial=0.0)) / len(of.own.number)


def first_told(of: Analysed) -> str | None:
    """What is slow in all steps, else at times."""
    return slow_link(of) or next((one.text for one in at_times(of)), None)


def _at_times(of: Analysed, slow: SlowSets) -> AtTimes:
    sorts: dict[tuple[str, int], list[HostSet]] = {}
    for one in slow.sets:
        sorts.setdefault((one.dimension, one.kind), []).append(one)
    costs = sorted(sorts.values(), key=lambda some: -sum(_lost(of, one) for one in some))
    when, (where, is_single) = counted("step", [*slow.steps]), _where(of, slow)
    is_single_other = len(of.own.number) - len(slow.steps) == 1
    than, other = ("step", "other") if is_single_other else ("steps", "others")
    # Of one sort whatever is slow is named by it: others may be as quick as ever between the same hosts.
    if len(costs) > 1:
        links = f"the link {where} is" if is_single else f"links {where} are"
        rates = ", ".join(f"{_sort(some)} {_rates(some)}" for some in costs[:_MOST_SORTS])
        text = f"In {when} {links} {_times(slow.sets)} x slower than in the other {than} ({rates})."
        return AtTimes(text, slow.steps, f"With {'it' if is_single else 'these links'} as quick as in the {other}")
    if _are_few(slow.sets):
        return AtTimes(f"In {when} {_few(of, slow.sets, where)}.", slow.steps, "With that as usual")
    times = f"{_times(slow.sets)} x slower than in the other {than}"
    text = f"In {when} {_sort(slow.sets)} {where} move at {_rates(slow.sets)}, {times}."
    return AtTimes(text, slow.steps, f"With these as quick as in the {other}")


def _are_few(sets: Sequence[HostSet]) -> bool:
    """Whether others of the same in the same steps are as quick as ever."""
    return sum(one.n_instances for one in sets) < sum(one.n_like for one in sets)


def _few(of: Analysed, sets: Sequence[HostSet], where: str) -> str:
    n, n_like = sum(one.n_instances for one in sets), sum(one.n_like for one in sets)
    longest = max(float(np.max(of.job.instances.transfer[list(one.instances)])) for one in sets)
    factor = max(1 / (one.of_usual or 1.0) for one in sets)
    takes, its = ("takes", "its") if n == 1 else ("take up to", "their")
    who = f"{'one' if n == 1 else f'{n:,}'} of {n_like:,} {_sort(sets)} {where}"
    return f"{who} {takes} {format_ns(longest)} to move data, {factor:.1f} times as long as {its} like"


def _sort(sets: Sequence[HostSet]) -> str:
    """`data reduce-scatters`."""
    dimension, kind = sets[0].dimension, sets[0].kind
    name = "sends and receives" if kind == kinds.SEND else f"{sort_name(kind)}s"
    return name if dimension == NOT_RECORDED else f"{dimension} {name}"


def _rates(sets: Sequence[HostSet]) -> str:
    worst = min(sets, key=lambda one: one.of_usual or 1.0)
    return f"{format_rate(worst.bandwidth)} instead of {format_rate(_usual(worst))}"


def _times(sets: Sequence[HostSet]) -> str:
    """`4.0`, or `2.0 to 3.9` where the sets are slow by factors of their own."""
    of_usual = [one.of_usual for one in sets if one.of_usual]
    low, high = 1.0 / max(of_usual), 1.0 / min(of_usual)
    return f"{1.0 / float(np.median(of_usual)):.1f}" if high <= _ALIKE * low else f"{low:.1f} to {high:.1f}"


def _usual(one: HostSet) -> float:
    return one.bandwidth / (one.of_usual or 1.0)


def _lost(of: Analysed, one: HostSet) -> float:
    return float(of.job.instances.transfer[list(one.instances)].sum()) * (1 - (one.of_usual or 1.0))


def _where(of: Analysed, slow: SlowSets) -> tuple[str, bool]:
    """(`between hosts n0 and n1`, whether that is one link)."""
    if all(one.ranks and one.kind != kinds.SEND and len(one.hosts) == 1 for one in slow.sets):
        return _inside(of, slow), False
    if all(one.ranks for one in slow.sets) and any(one.kind != kinds.SEND for one in slow.sets):
        return _of_groups(of, slow), False
    pairs = sorted({(one.direction == (), one.direction or one.ranks) for one in slow.sets if len(one.ranks) == 2})
    if pairs:
        return _of_pairs(of, slow, [pair for is_pair, pair in pairs if is_pair], [pair for is_pair, pair in pairs if not is_pair])
    hosts = [of.job.of.hosts[host] for host in slow.hosts]
    if slow.are_hosts:
        return f"of {_hosts(hosts)}", False
    return f"between {_hosts(hosts)}", len(hosts) == 2


def _of_pairs(of: Analysed, slow: SlowSets, pairs: list[tuple[int, ...]], directions: list[tuple[int, ...]]) -> tuple[str, bool]:
    """(`between ranks 4 and 6 (n0)`, `from rank 4 to rank 6 (n0)`, or `of rank 4` that all have in common, whether it is one)."""
    numbers, every = of.job.of.numbers, [*pairs, *directions]
    sent, received = ({pair[end] for pair in directions} for end in (0, 1))
    common = set.intersection(*map(set, every))
    if len(every) > 1 and not pairs and 1 in (len(sent), len(received)):
        return f"from rank {numbers[min(sent)]}" if len(sent) == 1 else f"to rank {numbers[min(received)]}", False
    if len(every) > 1 and common:
        return f"of rank {numbers[min(common)]}", False
    named = [" and ".join(str(numbers[place]) for place in pair) for pair in pairs]
    named += [f"rank {numbers[sender]} to rank {numbers[receiver]}" for sender, receiver in directions]
    more = f" and {len(named) - _MOST_NAMED_HOSTS} more pairs" if len(named) > _MOST_NAMED_HOSTS else ""
    at = (None if pairs else _to_hosts(of, directions)) or ", ".join(
        of.job.of.hosts[host] for host in slow.hosts[:_MOST_NAMED_HOSTS]
    )
    words = "between ranks" if pairs else "from"
    return f"{words} {', '.join(named[:_MOST_NAMED_HOSTS])}{more} ({at})", len(every) == 1


def _to_hosts(of: Analysed, directions: list[tuple[int, ...]]) -> str | None:
    """`n0 to n1`, where all of these lead from the ones to the others."""
    sent, received = (sorted({of.job.of.ranks[pair[end]].host for pair in directions}) for end in (0, 1))
    if not sent or not set(sent).isdisjoint(received) or max(len(sent), len(received)) > _MOST_NAMED_HOSTS:
        return None
    return " to ".join(", ".join(of.job.of.hosts[host] for host in some) for some in (sent, received))


def _inside(of: Analysed, slow: SlowSets) -> str:
    """`inside host n1 (ranks 4-7)`."""
    hosts = [of.job.of.hosts[host] for host in slow.hosts]
    who = counted("rank", [*{of.job.of.numbers[place] for one in slow.sets for place in one.ranks}])
    return f"inside {_hosts(hosts)} ({who})"


def _of_groups(of: Analysed, slow: SlowSets) -> str:
    """`of ranks 1, 3, 5, 7 (one group of those over hosts n0 and n1)`; of one that all have in common this one."""
    groups = {one.ranks for one in slow.sets if one.ranks}
    common = set.intersection(*map(set, groups))
    if len(groups) > 1 and len(common) == 1:
        return f"of rank {of.job.of.numbers[min(common)]}"
    who = in_strides(sorted({of.job.of.numbers[place] for ranks in groups for place in ranks}))
    over = {one.hosts for one in slow.sets}
    where = f"over {_hosts([of.job.of.hosts[host] for host in min(over)])}" if len(over) == 1 else "over the same hosts"
    n = "one group" if len(groups) == 1 else f"{len(groups)} groups"
    return f"of ranks {who} ({n} of those {where})"


def _hosts(names: list[str]) -> str:
    """`host n1`, `hosts n1, n2 and n3`; those without a name by their numbers."""
    if all(name.startswith(_NAMELESS) for name in names):
        names = [name[len(_NAMELESS) :] for name in names]
    *others, last = names
    if len(names) >= _MOST_HOSTS:
        others, last = others[:_MOST_NAMED_HOSTS], f"{len(names) - _MOST_NAMED_HOSTS} more"
    return f"host{'s' if others else ''} {' and '.join(filter(None, (', '.join(others), last)))}"
