"""One thing that a profile holds or not: its name, how it is recorded, and in one sentence why it is not there.

    off       No modules were recorded. Record with with_stack=True, or with_modules=True for TorchScript.
    instead   No modules were recorded: with_stack was on, but no module was called through its __call__.
    cut       The file is cut off; no modules are in the part that could be read.

`recorded.py` lists them all. Every view and the page take their words from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Issue, Trace

_OTHER_WRITERS: Final = {
    "memory-snapshot": "a memory snapshot holds allocations only",
    "nsight-sqlite": "this is a file of Nsight Systems, not of torch.profiler",
    "nvprof-sqlite": "this is a file of nvprof, not of torch.profiler",
}
"""By format: why torch.profiler's options have no say."""

_UNIX_TIME_NS: Final = 10**17
"""Later than this (1973) is Unix time; the clock of a machine's uptime stays below."""

_CUT: Final = "truncated"
"""The kind of issue by which readers say that a file ends too early."""

CHECKSUM: Final = "checksum"
"""The kind by which they say that what was read may not be what was written."""

UNREADABLE: Final = "unreadable event"
NOT_AN_EVENT: Final = "not an event"
"""Two by which they say that stretches of it could not be read; the count is of stretches, each an event or more."""

BEHIND: Final = "behind the end"
SECOND: Final = "behind the JSON"
"""Two by which they say that something follows the profile: of another packing, or behind the end of its text."""

NO_TIME: Final = "no time stamp"
FAR_AWAY: Final = "far away"
"""Two by which they say that events have no time, or one that cannot be: these are nowhere."""

NEGATIVE: Final = "negative duration"
NO_DURATION: Final = "no duration"
"""Two by which they say that events are shown without length, as what the file says of it cannot be."""

_NO_LENGTH: Final = {NEGATIVE: "with a negative duration", NO_DURATION: "without a duration or with one of many years"}
_DAMAGE: Final = (CHECKSUM, UNREADABLE, NOT_AN_EVENT, NO_TIME, FAR_AWAY, BEHIND, SECOND)
_PART: Final = "Every figure is of the part that could be read"


@dataclass(frozen=True, kw_only=True)
class Recording:
    """`what` stands in the middle of a sentence, `how` behind "Record with"."""

    id: str
    what: str
    how: str
    is_there: Callable[[Trace], bool]
    is_many: bool = True  # "were recorded"
    options: tuple[str, ...] = ()  # flags of TraceInfo: what the file says of how it was recorded
    nothing: str = "the file holds none"  # with an option on
    because: Callable[[Trace], str | None] = lambda _trace: None  # the reason, where the events tell that it is no option
    part_of: Recording | None = None  # what comes with something else is not asked for where that is absent

    def was_on(self, trace: Trace) -> bool | None:
        """Whether one of the options was; None where the file does not say."""
        said = [flag for option in self.options if (flag := getattr(trace.info, option)) is not None]
        return any(said) if said else None

    def is_recorded(self, trace: Trace) -> bool:
        """Its data are there, or the file says that its option was on."""
        return self.was_on(trace) is True or self.is_there(trace)

    def instead(self, trace: Trace) -> str | None:
        """Where it is not there, and `how` is not what is lacking: the reason, to stand behind a colon."""
        if self.is_there(trace):
            return None
        if self._may_be_cut_off(trace):
            return "the file is cut off"
        if trace.info.format in _OTHER_WRITERS:
            return _OTHER_WRITERS[trace.info.format]
        if self.was_on(trace):
            on = " and ".join(option for option in self.options if getattr(trace.info, option))
            return self.because(trace) or f"{on} was on, but {self.nothing}"
        return self.because(trace)

    def lack(self, trace: Trace) -> str | None:
        """The sentences of `why_not`; None where it is there."""
        return None if self.is_there(trace) else self.why_not(trace)

    def why_not(self, trace: Trace) -> str:
        """What is to be said of a trace in which it is not: why, and how to record it."""
        remedy = f" Record with {self.how}." if self.instead(trace) is None else ""
        return self.reason(trace) + remedy

    def reason(self, trace: Trace) -> str:
        """The first sentence of `why_not`."""
        if self._may_be_cut_off(trace):
            return f"The file is cut off; no {self.what} {'are' if self.is_many else 'is'} in the part that could be read."
        instead = self.instead(trace)
        return f"No {self.what} {'were' if self.is_many else 'was'} recorded{f': {instead}' if instead else ''}."

    def _may_be_cut_off(self, trace: Trace) -> bool:
        """Whether it may be in the part of the file that is missing."""
        return self.was_on(trace) is not False and is_cut_off(trace)


def began_ns(trace: Trace) -> int | None:
    """When the profile's time 0 was, Unix time in ns; None where its clock is not Unix time."""
    return trace.info.base_ns if trace.info.base_ns > _UNIX_TIME_NS else None


def what_cut_off_means(of: str) -> str:
    """What is to be said of all that is told by time, where a file is cut off; `of`: "the step"."""
    return f"The file is cut off: what is missing of {of} looks like waiting. Take the whole file before anything else."


def is_cut_off(trace: Trace) -> bool:
    """Whether the file ends before the profile does, or is no text any more from where its packing is damaged on."""
    return _is_garbled(trace) or any(issue.kind == _CUT for issue in trace.issues)


def about_all(trace: Trace) -> list[str]:
    """What about the file holds for every figure of it: a sentence of what is missing, and one of what has no length."""
    return [*_said(trace, (_CUT, *_DAMAGE)), *without_length(trace)]


def damage(trace: Trace) -> list[str]:
    """The same where its end is there."""
    return _said(trace, _DAMAGE)


def _said(trace: Trace, kinds: tuple[str, ...]) -> list[str]:
    """How much was read, then why no more, the cause before what it led to."""
    if _is_garbled(trace):
        kinds = tuple(kind for kind in kinds if kind not in (NOT_AN_EVENT, NO_TIME, FAR_AWAY))  # what comes of it
    found = sorted((issue for issue in trace.issues if issue.kind in kinds), key=lambda issue: kinds.index(issue.kind))
    if not found:
        return []
    read = _events(len(trace.events))
    head = f"{_PART} ({read})"
    if all(issue.kind == CHECKSUM for issue in found):
        head = f"The file may be damaged ({read} were read)"
    texts = [f"{text[:1].lower()}{text[1:]}" for text in map(_counted, found)]
    return [f"{head}: {'; '.join(texts)}."]


def without_length(trace: Trace) -> list[str]:
    """Of what has none: `Shown as 0 ns: 2 events with a negative duration, the first aten::mm.`"""
    if _is_garbled(trace):
        return []
    found = [
        f"{_events(issue.count)} {_NO_LENGTH[issue.kind]}{_first(issue)}" for issue in trace.issues if issue.kind in _NO_LENGTH
    ]
    return [f"Shown as 0 ns: {'; '.join(found)}."] if found else []


def _events(n: int) -> str:
    return f"{n:,} event{'' if n == 1 else 's'}"


def _first(issue: Issue) -> str:
    """Which one it is, or the first of them."""
    return f"{', the first' if issue.count > 1 else ':'} {issue.first}" if issue.first else ""


def _is_garbled(trace: Trace) -> bool:
    return {CHECKSUM, UNREADABLE} <= {issue.kind for issue in trace.issues}


def _counted(issue: Issue) -> str:
    """`2 events or more, 2 MiB that are not JSON, are left out, the first at byte 17 of its text`."""
    text = issue.text.rstrip(".")
    if issue.kind == NO_TIME:
        text = text.replace("events", _events(issue.count), 1)
        return (text.replace(" have ", " has ") if issue.count == 1 else text) + _first(issue)
    if issue.kind not in (UNREADABLE, NOT_AN_EVENT):
        return text
    where = f", {'the first ' if issue.count > 1 else ''}at {issue.first} of its text" if issue.first else ""
    return f"{issue.count:,} {text.replace('s ', ' ', 1) if issue.count == 1 else text}{where}"
