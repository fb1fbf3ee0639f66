"""What a file's name says: whose profile it is, and of when."""

from __future__ import annotations

import re
from typing import NamedTuple

SEARCHED = ("*.pt.trace.json[.gz]", "*.pt.profile.pb")
"""What is looked for by name, as the page shows it."""

UNNAMED_SPAN = "default"
"""The span of a file whose name holds no time, such as `trace.json`."""

_PROFILE = re.compile(r"(?P<worker>.+?)(?:\.(?P<span>\d+))?\.pt\.(?:trace\.json(?:\.gz)?|profile\.pb)\Z")
_CANDIDATE = re.compile(
    r"(?P<worker>.+?)(?:\.(?P<span>\d+))?\.(?:json(?:\.gz)?|pb|(?:nsys-rep\.)?sqlite|nvprof|nvvp|prof|pickle)\Z"
)
_DIGITS = re.compile(r"(\d+)")

NaturalKey = tuple[tuple[int, int, str], ...]


class ProfileName(NamedTuple):
    """What a file's name says."""

    worker: str
    span: str
    sure: bool
    """The name alone says that this is a profile; otherwise only the content can."""


def parse(file_name: str) -> ProfileName | None:
    """Worker and span of a file that is, or may be, a profile.

    node3_17.1623143089861.pt.trace.json.gz    node3_17  1623143089861  sure
    trace.json                                 trace     default        not sure
    report1.nsys-rep.sqlite                    report1   default        not sure
    events.out.tfevents.1623143089.node3       None
    """
    if file_name.startswith("."):
        return None
    match = _PROFILE.match(file_name)
    sure = match is not None
    match = match or _CANDIDATE.match(file_name)
    if match is None:
        return None
    return ProfileName(match["worker"], match["span"] or UNNAMED_SPAN, sure)


def natural_key(name: str) -> NaturalKey:
    """Sorts as people count: rank2 before rank10."""
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(name) if part)


def span_key(name: str) -> tuple[int, str]:
    """Sorts spans by time; those without one first."""
    return (int(name), name) if name.isdecimal() else (-1, name)


def opening_key(file_name: str) -> tuple[int, str]:
    """Sorts files of one span by what to open first: columns are ten times faster to open than JSON."""
    return (0 if file_name.endswith(".pb") else 1, file_name)
