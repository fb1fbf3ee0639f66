"""The process groups of a rank. A name is not unique (older torch names all rows of a mesh alike): name and members are.

`Process Group Ranks` stops after 30 entries; then the members are those of `pg_config` with that name, size and beginning, or
follow from start and stride, or else are not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tb_plugin.base.units import NONE
from tb_plugin.trace.json_text import list_of

if TYPE_CHECKING:
    from tb_plugin.trace.collectives.call_args import GroupSaid
    from tb_plugin.trace.model import TraceInfo

_MOST_RANKS = 1 << 17  # more than any job has; each of a group is a number here
_LARGEST = 1 << 60
_CUT = "..."


class ProcessGroup(msgspec.Struct, frozen=True):
    """`ranks` is None where the members are not known; `size` then is what the file says, or NONE."""

    name: str
    description: str
    size: int
    ranks: tuple[int, ...] | None


class Configured(NamedTuple):
    """An entry of `pg_config`, of the groups that this rank is in."""

    name: str
    description: str
    size: int
    ranks: tuple[int, ...]


def configured(info: TraceInfo) -> list[Configured]:
    """Groups that the file's head lists; none for files before 2024."""
    listed = info.metadata.get("pg_config")
    return [found for each in listed if (found := _configured(each)) is not None] if isinstance(listed, list) else []


def group_title(name: str, description: str) -> str:
    """What a group is called: alike of all groups of its kind, where the job describes them. Of a group that `new_group` makes
    without `group_desc` torch writes "undefined".
    """
    return description if description not in ("", "undefined") else name


def resolved(said: GroupSaid, known: list[Configured]) -> ProcessGroup:
    """The group that a call names, with its members if they can be known."""
    ranks, first = _ranks(said.ranks)
    description = said.description
    alike = [one for one in known if one.name == said.name and (said.size in (NONE, one.size))]
    if ranks is None:
        fitting = [one for one in alike if one.ranks[: len(first)] == first]
        ranks = fitting[0].ranks if len(fitting) == 1 else None
    if ranks is None and said.start != NONE and said.stride > 0 and 0 < said.size <= _MOST_RANKS:
        ranks = tuple(range(said.start, said.start + said.stride * said.size, said.stride))
    if description in ("", "undefined") and alike:
        description = alike[0].description
    return ProcessGroup(said.name, description, len(ranks) if ranks else said.size, ranks)


def _ranks(text: str) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
    """(the ranks that a call names, or None where these are none or not all; of a list that is cut those that are named)."""
    is_cut = _CUT in text
    named = list_of(text.replace(f", {_CUT}", "").replace(_CUT, "")) if text else []
    ranks = tuple(rank for rank in named if type(rank) is int and 0 <= rank < _LARGEST)
    return ranks if ranks and not is_cut else None, ranks if is_cut else ()


def _configured(entry: Any) -> Configured | None:
    if not isinstance(entry, dict):
        return None
    name, description, ranks = entry.get("pg_name"), entry.get("pg_desc"), entry.get("ranks")
    members = tuple(rank for rank in ranks if type(rank) is int and 0 <= rank < _LARGEST) if isinstance(ranks, list) else ()
    if not members:
        return None
    return Configured(str(name or ""), description if isinstance(description, str) else "", len(members), members)
