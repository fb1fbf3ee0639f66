"""The ranks of a job: their numbers, hosts and tables.

A number is the file's, else the one in its name (`rank7`, `worker7`, `_r7_`), else the place in the order of names, which is
said. A host is the file's, else in the name (`node3_4711`), else that of the ranks before and after it, where ranks are dealt
host by host, which is said; where no file says it another one begins where device indices begin again at 0. Where an index would
then be twice on one host, the host is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.rank_names import before_number, host_in_name, number_in_name
from tb_plugin.base.units import NONE
from tb_plugin.job.ranks.no_device import lack_device
from tb_plugin.trace.rank.packed import all_unpacked
from tb_plugin.trace.track_names import natural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.rank.summary import RankSummary

_TABLES: Final = (
    *("collectives", "steps", "work", "computing", "shapes", "order", "needs"),
    *("ranges", "device_waits", "memory", "host_waits", "stretches"),
)


@dataclass(frozen=True, kw_only=True)
class RankProfile:
    """A profile of a run: what it is called in links, and its summary."""

    run: str
    worker: str
    span: str
    label: str
    summary: RankSummary
    file: str = ""  # its name

    @property
    def shown(self) -> str:
        """What it is called in a sentence that is about its file."""
        return self.file or self.label


@dataclass(frozen=True, kw_only=True, eq=False)
class Rank:
    """One rank; the columns of its tables by name."""

    number: int
    host: int  # a place in the job's hosts
    of: RankProfile
    collectives: dict[str, Int64Array]
    steps: dict[str, Int64Array]
    work: dict[str, Int64Array]
    computing: dict[str, Int64Array]
    shapes: dict[str, Int64Array]
    order: dict[str, Int64Array]
    needs: dict[str, Int64Array]
    ranges: dict[str, Int64Array] | None
    device_waits: dict[str, Int64Array] | None
    memory: dict[str, Int64Array] | None  # None: not recorded
    host_waits: dict[str, Int64Array] | None
    lacks_device: bool  # no_device.py: it is in no figure of a step

    @property
    def summary(self) -> RankSummary:
        return self.of.summary

    @property
    def is_on_host(self) -> bool:
        """It computes on a CPU."""
        return self.summary.is_on_host and not self.lacks_device

    @property
    def has_host(self) -> bool:
        """Events say what its host did: idle time of its device is its own."""
        return self.summary.is_on_host or self.summary.has_launches


@dataclass(frozen=True, kw_only=True)
class Ranks:
    """In the order of their numbers."""

    ranks: tuple[Rank, ...]
    hosts: tuple[str, ...]
    are_hosts_known: bool
    of_neighbours: tuple[int, ...]  # places of those whose host is taken for that of the ranks beside them
    are_numbers_known: bool
    have_steps: bool  # else each rank's recording counts as one
    world_size: int | None

    @cached_property
    def numbers(self) -> list[int]:
        return [rank.number for rank in self.ranks]

    @cached_property
    def lack_device(self) -> list[int]:
        """Places."""
        return [place for place, rank in enumerate(self.ranks) if rank.lacks_device]

    @cached_property
    def in_no_whole_step(self) -> list[int]:
        """Places of ranks whose files are cut off before they had ended a step, where others have whole ones: what is told of all
        ranks together is told without them.
        """
        whole = [bool((rank.steps["complete"] > 0).any()) for rank in self.ranks]
        cut = [
            place
            for place, (rank, has) in enumerate(zip(self.ranks, whole, strict=True))
            if rank.summary.is_cut_off and not has and not rank.lacks_device
        ]
        return cut if sum(whole) > 1 else []

    @property
    def beyond(self) -> list[int]:
        """Numbers that a job of this size does not have."""
        return [number for number in self.numbers if self.world_size is not None and number >= self.world_size]


def ranks_of(recorded: Sequence[RankProfile]) -> Ranks:
    """Of the profiles of one job."""
    ordered = sorted(recorded, key=lambda one: (natural(one.worker), natural(one.span)))
    said = [number_of(one) for one in ordered]
    known = None not in said and len(set(said)) == len(said)
    numbers = [number for number in said if number is not None] if known else list(range(len(ordered)))
    pairs = sorted(zip(numbers, ordered, strict=True), key=lambda pair: pair[0])
    hosts, hosts_known, of_neighbours = _hosts([one for _, one in pairs])
    names = {host: place for place, host in enumerate(dict.fromkeys(hosts))}
    have_steps = any(one.summary.has_steps for one in ordered)
    lacking = lack_device([one.summary for _, one in pairs])
    sizes = [one.summary.world_size for _, one in pairs if one.summary.world_size is not None]
    tables = _tables_of([one.summary for _, one in pairs])
    return Ranks(
        ranks=tuple(
            _rank(number, names[host], one, its, have_steps=have_steps, lacks_device=lacks)
            for (number, one), host, lacks, its in zip(pairs, hosts, lacking, tables, strict=True)
        ),
        hosts=tuple(names),
        are_hosts_known=hosts_known,
        of_neighbours=of_neighbours,
        are_numbers_known=known,
        have_steps=have_steps,
        world_size=max(sizes, default=None),
    )


def number_of(one: RankProfile) -> int | None:
    """None where neither file nor name says it."""
    return one.summary.rank if one.summary.rank is not None else number_in_name(one.worker)


def name_before_rank(one: RankProfile) -> str:
    """What files of one job share: `a_` of `a_rank0`, nothing where the name holds no rank."""
    return before_number(one.worker)


def host_of(one: RankProfile) -> str | None:
    """None where neither file nor name says it."""
    return one.summary.host if one.summary.host is not None else host_in_name(one.worker)


def _hosts(ordered: Sequence[RankProfile]) -> tuple[list[str], bool, tuple[int, ...]]:
    """(host of each, whether they are known, places whose host is that of their neighbours)."""
    indices = _with_gaps([one.summary.device_index for one in ordered])
    for said in ([one.summary.host for one in ordered], [host_of(one) for one in ordered]):
        dealt = _dealt(said, indices)
        if dealt is not None:
            return dealt, True, tuple(place for place, host in enumerate(said) if host is None)
    if len(ordered) > 1 and None not in indices and indices[0] == 0 and len(set(indices)) > 1:
        node, hosts = -1, []
        for index in indices:
            node += index == 0
            hosts.append(f"host {node}")
        if len(set(zip(hosts, indices, strict=True))) == len(indices):  # else ranks are not dealt host by host
            return hosts, True, ()
    return [f"host of rank {place}" for place in range(len(ordered))], False, ()


def _with_gaps(indices: Sequence[int | None]) -> list[int | None]:
    """With that of a rank whose file has no device work, between two that have: the one before that of the rank after it, which
    begins no host, else the one after that of the rank before it.
    """
    found = list(indices)
    for place in reversed(range(len(found) - 1)):
        after = found[place + 1]
        if found[place] is None and after:
            found[place] = after - 1
    for place in range(1, len(found)):
        before = found[place - 1]
        if found[place] is None and before is not None:
            found[place] = before + 1
    return found


def _dealt(said: Sequence[str | None], indices: Sequence[int | None]) -> list[str] | None:
    """With the host of the ranks before and after it for who says none; None where that is not one host, or not known.

    Between two hosts it is of the one on which its device's index is free.
    """
    known = [host for host in said if host is not None]
    blocks = [host for place, host in enumerate(known) if place == 0 or known[place - 1] != host]
    if not known or (None in said and len(set(blocks)) != len(blocks)):
        return None
    hosts = list(said)
    taken = {pair for pair in zip(hosts, indices, strict=True) if None not in pair}
    for place, index in enumerate(indices):
        if hosts[place] is None:
            before = hosts[place - 1] if place else None
            after = next((host for host in hosts[place:] if host is not None), None)
            beside = {host for host in (before, after) if host is not None and (host, index) not in taken}
            if len(beside) != 1 or (before != after and index is None):
                return None
            hosts[place] = beside.pop()
            taken.add((hosts[place], index))
    return [host or "" for host in hosts]


def _tables_of(summaries: Sequence[RankSummary]) -> list[dict[str, dict[str, Int64Array]]]:
    """Of each rank its tables by name, those that it has; a table of all ranks at once."""
    found: list[dict[str, dict[str, Int64Array]]] = [{} for _ in summaries]
    for name in _TABLES:
        there = [(its, table) for its, one in zip(found, summaries, strict=True) if (table := getattr(one, name)) is not None]
        for (its, _), columns in zip(there, all_unpacked([table for _, table in there]), strict=True):
            its[name] = columns
    return found


def _rank(
    number: int,
    host: int,
    one: RankProfile,
    tables: dict[str, dict[str, Int64Array]],
    *,
    have_steps: bool,
    lacks_device: bool,
) -> Rank:
    """Where its step is not the other ranks', or holds no device, nothing in it is of a step."""
    collectives = tables["collectives"]
    is_told = one.summary.has_steps == have_steps and not lacks_device
    if lacks_device:
        collectives = _without_rows(collectives)
    elif not is_told:
        collectives["step"] = np.full(one.summary.collectives.n_rows, NONE)

    def of_steps(name: str) -> dict[str, Int64Array]:
        return tables[name] if is_told else _without_rows(tables[name])

    def if_there(name: str) -> dict[str, Int64Array] | None:
        return of_steps(name) if name in tables else None

    return Rank(
        number=number,
        host=host,
        of=one,
        collectives=collectives,
        steps=of_steps("steps"),
        work=of_steps("work"),
        computing=_without_rows(tables["computing"]) if lacks_device else tables["computing"],
        shapes=of_steps("shapes"),
        order=_with_stretches(of_steps("order"), if_there("stretches") or {}),
        needs=of_steps("needs"),
        ranges=if_there("ranges"),
        device_waits=if_there("device_waits"),
        memory=if_there("memory"),
        host_waits=tables.get("host_waits"),
        lacks_device=lacks_device,
    )


def _without_rows(table: dict[str, Int64Array]) -> dict[str, Int64Array]:
    return {name: column[:0] for name, column in table.items()}


def _with_stretches(order: dict[str, Int64Array], stretches: dict[str, Int64Array]) -> dict[str, Int64Array]:
    """The columns `called` and `copied` of each row, 0 where that is not known."""
    for name in ("called", "copied"):
        order[name] = np.zeros(len(order["kind"]), np.int64)
        if stretches:
            order[name][stretches["row"]] = stretches[name]
    return order
