"""Everything that is done with a file: looked at, read, checked, asked about, drawn, converted."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tb_plugin.answers import bodies
from tb_plugin.answers.questions import QUESTIONS
from tb_plugin.base.errors import FormatError, NotFoundError, UsageError
from tb_plugin.formats import reader, targets
from tb_plugin.formats.glance import glance
from tb_plugin.question.question import Question
from tb_plugin.trace.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tb_plugin.trace.model import Trace

_MOST_DETAILS: Final = 3


class UnforeseenError(Exception):
    """A reader failed, and the door said so in its place."""


def exercise(path: Path) -> str:
    """`shown`, or `refused` with one FormatError; raises what nobody should see."""
    glance(path, far=True)
    reader.sniff(path)
    try:
        trace = reader.read(path)
    except FormatError as error:
        if reader.UNFORESEEN in error.reason:
            raise UnforeseenError(error.reason) from error.__cause__
        return "refused"
    check(trace)
    ask_everything(trace)
    convert_everywhere(trace, path.parent)
    return "shown"


def ask_everything(trace: Trace) -> None:
    """Every question about one profile with its default parameters, and what is behind a few events."""
    for name, question in QUESTIONS.items():
        if not isinstance(question, Question) or question.missing(trace) is not None:
            continue
        for params in _params(name, question, trace):
            try:
                reply = question.answer(trace, question.params_from(params))
            except NotFoundError:
                continue  # there may be no such row
            if question.encode is None:
                msgspec.json.decode(msgspec.json.encode(reply))
            else:
                question.encode(reply)
            question.text(reply)
            bodies.csv_text(question.table(reply)).encode(errors="replace")


def _params(name: str, question: Question[Any, Any], trace: Trace) -> Iterator[dict[str, Any]]:
    n = len(trace.events)
    rows = sorted({place * n // _MOST_DETAILS for place in range(_MOST_DETAILS)}) if n else []
    needed = {field.name for field in msgspec.structs.fields(question.params) if field.required}
    if needed == {"row"}:
        yield from ({"row": row} for row in rows)
    elif needed == {"name"}:
        yield from ({"name": trace.text(int(trace.events.name_id[row]))} for row in rows)
    elif needed == {"q"}:
        yield {"q": "a"}
    elif needed == {"t0_ns", "t1_ns"}:
        yield {"t0_ns": trace.info.start_ns, "t1_ns": trace.info.end_ns + 1}
    else:
        assert not needed, f"{name} needs {needed}"
        yield {}


def convert_everywhere(trace: Trace, folder: Path) -> None:
    """Every target whose writer is installed. The stored profile is read again."""
    made = folder / "converted"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    for target in targets.TARGETS:
        try:
            target.writer()
        except UsageError:
            continue
        ending = target.endings[0]
        path = f"{made / ('out' + ending.rstrip('/'))}{'/' * ending.endswith('/')}"
        targets.write(trace, path)
    check(reader.read(made / "out.pt.profile.pb"))
