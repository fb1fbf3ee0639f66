"""What may be asked of a replay, and how it is written: `loader=0`, `host=0.5`, `operator:aten::_softmax=0.1`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_args

from tb_plugin.base.errors import UsageError

_OfHost = Literal["host", "loader", "line", "python", "launch", "sync", "copy"]
_OfDevice = Literal["operator", "kernel", "category", "module", "graph", "fuse", "attention", "precision", "batch"]
Subject = Literal[_OfHost, _OfDevice, "finding"]

_SUBJECTS: Final[tuple[Subject, ...]] = get_args(Subject)
_BY_MODULE: Final = re.compile(r"(?P<subject>fuse|attention):module=(?P<path>.+)", re.DOTALL)
"""Another way to write `fuse:PATH=0`."""

_WRITTEN: Final = re.compile(r"(?P<subject>[a-z]+)(?::(?P<name>.*))?=(?P<factor>[^=]*)", re.DOTALL)
_MOST: Final = 100.0
_MOST_EDITS: Final = 20


class _Form(NamedTuple):
    named: Literal["never", "may be", "always"]
    only_none: bool  # it is there or it is not
    example: str
    says: str


FORMS: Final[dict[Subject, _Form]] = {
    "loader": _Form("never", False, "loader=0", "the time of the main thread in its data loader"),
    "host": _Form("may be", False, "host=0.5", "time of the host outside of waits: all, or that of host:NAME"),
    "line": _Form("always", False, "line:train.py(9): step=0", "host time of a line of source, without what it calls"),
    "python": _Form("never", False, "python=0", "host time in no operator, range or call of the driver"),
    "launch": _Form("never", False, "launch=0.5", "the time in calls that launch work"),
    "sync": _Form("may be", True, "sync=0", "waits of the host for the device: all, or those inside of sync:NAME"),
    "copy": _Form(
        "may be", True, "copy=0", "copies, all or copy:NAME, as if they ran beside everything and nobody waited for them"
    ),
    "operator": _Form(
        "always", False, "operator:aten::_softmax=0.1", "device work of an operator or range; 0: its host time too"
    ),
    "kernel": _Form("always", False, "kernel:NAME=0.5", "kernels, copies and sets of a name; 0: their launches too"),
    "category": _Form("always", False, "category:elementwise=0.5", "device work of a kind; 0: its launches too"),
    "module": _Form("always", False, "module:PATH=0.5", "device work of a module, forward and backward; 0: its host time too"),
    "graph": _Form("always", True, "graph:PATH=0", "the launches of a module, as if each of its calls were one graph"),
    "fuse": _Form(
        "may be", True, "fuse=0", "kernels one after the other that only move memory, all or those of fuse:MODULE, as one each"
    ),
    "attention": _Form("may be", True, "attention=0", "attention that runs as single operators, as one fused kernel each"),
    "precision": _Form(
        "never", True, "precision=0", "float32: products at the rate of half types, what moves memory in half of it"
    ),
    "batch": _Form("never", False, "batch=2", "device work with a batch so many times as large; the host and its loader stay"),
    "finding": _Form("always", True, "finding:zeroed_gradients=0", "what a finding of the advice is about"),
}


@dataclass(frozen=True)
class Edit:
    """`factor` times as long; 0: it is not done at all. `name` is empty where the subject is all there is."""

    subject: Subject
    name: str
    factor: float

    def __str__(self) -> str:
        return f"{self.subject}{':' if self.name else ''}{self.name}={self.factor:g}"


def parse(text: str) -> Edit:
    """Raises UsageError, with what may be written."""
    by_module = _BY_MODULE.fullmatch(text.strip())
    match = _WRITTEN.fullmatch(f"{by_module['subject']}:{by_module['path']}=0" if by_module else text.strip())
    if match is None or match["subject"] not in _SUBJECTS:
        raise UsageError(f"edit={_short(text)}: there is {', '.join(form.example for form in FORMS.values())}")
    subject = next(each for each in _SUBJECTS if each == match["subject"])
    form, name = FORMS[subject], match["name"] or ""
    if (form.named == "always" and not name) or (form.named == "never" and match["name"] is not None):
        raise UsageError(f"edit={_short(text)}: it is written {form.example}")
    try:
        factor = float(match["factor"])
    except ValueError:
        factor = -1.0
    if not 0 <= factor <= _MOST:
        raise UsageError(f"edit={_short(text)}: after = stands a number from 0 to {_MOST:g}, as in {form.example}")
    if subject == "batch" and factor == 0:
        raise UsageError(f"edit={_short(text)}: a batch of nothing takes no step; it is written {form.example}")
    if form.only_none and factor not in (0, 1):
        raise UsageError(f"edit={_short(text)}: it is there or not, {form.example}")
    return Edit(subject, name, factor)


def written(subject: Subject, name: str, factor: float) -> tuple[str, ...]:
    """The edit of a recorded name, as text; none where no text can hold the name: empty, several lines, blanks around."""
    is_held = len(name.splitlines()) == 1 and name == name.strip() != ""
    return (str(Edit(subject, name, factor)),) if is_held else ()


def parse_all(text: str) -> list[Edit]:
    """Edits, one a line; empty lines are none. Raises UsageError."""
    found = [parse(line) for line in text.splitlines() if line.strip()]
    if len(found) > _MOST_EDITS:
        raise UsageError(f"edit: {len(found)} are more than {_MOST_EDITS}")
    return found


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:60]}...")
