"""Everything that is done with a file: looked at, read, checked, asked about, drawn, converted."""

from __future__ import annotations

import random
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, get_type_hints

import msgspec

from tb_plugin.answers import bodies
from tb_plugin.answers.questions import QUESTIONS
from tb_plugin.base.errors import FormatError, NotFoundError, OverBudgetError, UsageError
from tb_plugin.formats import reader, targets
from tb_plugin.formats.glance import glance
from tb_plugin.question.question import Question, choices_of
from tb_plugin.trace.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tb_plugin.trace.model import Trace

_MOST_DETAILS: Final = 3
_N_ODD_QUESTIONS: Final = 12
_ODD_TEXTS: Final = ("", "0", "1-3", "-1", "a", "aten::mm=0.5", "launch -10%", "7", "cuda", "name", "kernel")


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
    ask_oddly(trace, random.Random(path.read_bytes()))
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


def ask_oddly(trace: Trace, lot: random.Random) -> None:
    """Some of the questions with parameters that somebody may give, sensible or not."""
    for question in lot.sample([QUESTIONS[name] for name in sorted(QUESTIONS)], _N_ODD_QUESTIONS):
        if not isinstance(question, Question) or question.missing(trace) is not None:
            continue
        with suppress(UsageError, NotFoundError, OverBudgetError):
            params = question.params_from(_odd_params(question.params, trace, lot))
            bodies.body(question, trace, params, lot.choice(("sent", "csv")))
            question.text(question.answer(trace, params))


def _odd_params(params: type[msgspec.Struct], trace: Trace, lot: random.Random) -> dict[str, str]:
    hints, given = get_type_hints(params), dict[str, str]()
    n, span_ns = len(trace.events), trace.info.end_ns - trace.info.start_ns
    for field in msgspec.structs.fields(params):
        if not field.required and lot.random() < 0.6:
            continue
        texts = choices_of(hints[field.name])
        if not texts:
            rows = [str(lot.randrange(-1, n + 1)), str(trace.info.start_ns + lot.randrange(span_ns + 1)), "0", "1", "8", "100"]
            names = [trace.text(int(trace.events.name_id[lot.randrange(n)]))[:200]] if n else []
            texts = rows if "int" in str(hints[field.name]) else [*_ODD_TEXTS, *rows, *names, *names]
        given[field.encode_name] = lot.choice(texts)
    return given


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
