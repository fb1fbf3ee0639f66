"""What a file's name says by itself: whether it may be a profile, of which worker, and of when. Frameworks: `frameworks.py`."""

from __future__ import annotations

import re
import sys
from datetime import datetime, timezone
from typing import NamedTuple

from tb_plugin.formats.registry import FORMATS, SUMMARY_ENDING

SURE_ENDINGS = tuple(ending for each in FORMATS for ending in each.sure_endings)
"""Only profiles are called so: nothing is opened to find them."""

MAYBE_ENDINGS = tuple(dict.fromkeys(ending for each in FORMATS for ending in each.endings))
"""Profiles among others: the content says which."""

SEARCHED = tuple(f"*{ending}" for ending in SURE_ENDINGS)
"""What is looked for by name, as the page shows it."""

OPENED = tuple(f"*{ending}" for ending in MAYBE_ENDINGS)
"""What is looked into besides: profiles of torch, memory snapshots, databases of NVIDIA's tools."""

UNNAMED_SPAN = "default"
"""The span of a file whose name holds no time, such as `trace.json`."""

DUMP = "nccl_trace_rank_"
"""What torch calls a dump of its flight recorder, before the rank's number; a job may set another name."""

_DUMP = re.compile(r".*(?:rank|trace|flight|dump).*\d{1,7}(?:\.(?:json|pickle|pkl|bin))?\Z", re.IGNORECASE)
_ARCHIVE = re.compile(r".+\.(?:tar\.gz|tgz)\Z", re.IGNORECASE)
_ENDING = "|".join(re.escape(ending) for ending in (*SURE_ENDINGS, *MAYBE_ENDINGS, SUMMARY_ENDING))
_NAME = re.compile(rf"(?P<worker>.+?)(?:\.(?P<span>\d+))?(?P<ending>{_ENDING})\Z", re.IGNORECASE)
_DIGITS = re.compile(r"(\d+)")

NaturalKey = tuple[tuple[int, int, str], ...]


class FileName(NamedTuple):
    """What a file's name says, whoever wrote it. These are the names in links, unless a framework is known to mean others."""

    worker: str
    span: str
    ending: str
    """In lower case."""

    @property
    def sure(self) -> bool:
        """The name alone says that this is a profile; otherwise only the content can."""
        return self.ending in SURE_ENDINGS

    @property
    def is_summary(self) -> bool:
        return self.ending == SUMMARY_ENDING

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return self.worker if self.span == UNNAMED_SPAN else f"{self.worker}.{self.span}"


def parse(file_name: str) -> FileName | None:
    """Worker and span of a file that is, or may be, a profile.

    node3_17.1623143089861.pt.trace.json.gz    node3_17  1623143089861  sure
    trace.json                                 trace     default        not sure
    rank3.1717000000123.pt.summary             rank3     1717000000123  not sure: no profile, a summary
    report1.nsys-rep.sqlite                    report1   default        not sure
    events.out.tfevents.1623143089.node3       None
    """
    if file_name.startswith("."):
        return None
    match = _NAME.match(file_name)
    # Thousands of files have one worker and one ending: each is kept once.
    return match and FileName(sys.intern(match["worker"]), match["span"] or UNNAMED_SPAN, sys.intern(match["ending"].lower()))


def is_archive(file_name: str) -> bool:
    return not file_name.startswith(".") and _ARCHIVE.match(file_name) is not None


def time_ns(digits: str | None) -> int | None:
    """Nanoseconds since 1970 of a time in a name; None when it is no time.

    1717000000           seconds                   1717000000123456     microseconds
    1717000000123        milliseconds, old torch   1717000000123456789  nanoseconds
    20261121101010123    year to millisecond, UTC, torch_npu
    """
    if digits is None or not digits.isascii() or not digits.isdecimal():
        return None
    if len(digits) == 17 and digits.startswith("20"):
        try:
            read = datetime.strptime(digits + "000", "%Y%m%d%H%M%S%f").replace(tzinfo=timezone.utc)
        except ValueError:
            return None
        return round(read.timestamp() * 1000) * 10**6
    power = {10: 9, 13: 6, 16: 3, 19: 0}.get(len(digits))
    return None if power is None else int(digits) * 10**power


def may_be_dump(file_name: str) -> bool:
    """Of a flight recorder. Few of the thousands of logs and checkpoints beside profiles are called so; others are not opened."""
    return _DUMP.match(file_name) is not None


def natural_key(name: str) -> NaturalKey:
    """Sorts as people count: rank2 before rank10."""
    if name.isdecimal():  # the names of most spans
        return ((0, int(name), name),)
    return tuple((0, int(part), part) if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(name) if part)


def opening_key(file_name: str) -> tuple[int, str]:
    """Sorts files of one span by what to open first: columns are ten times faster to open than JSON."""
    return (0 if file_name.lower().endswith(".pb") else 1, file_name)
