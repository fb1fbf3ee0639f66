"""All that can be asked, by name: `view/operators`, `view/operators/details`, `choices`. The shell leaves out `view/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tb_plugin import views
from tb_plugin.answers.stretch import PerfettoParams, Stretch, stretch, table, text
from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.question.joint import Joint, JointReply
from tb_plugin.question.outline import one_row
from tb_plugin.question.question import NoParams, Question, ViewReply
from tb_plugin.trace.scope.choices import Choices, choices

if TYPE_CHECKING:
    from collections.abc import Iterator

AnyQuestion: TypeAlias = Question[Any, Any] | Joint[Any, Any, Any]

_VIEW: Final = "view/"
_CHOICES: Final = Question(
    id="choices",
    title="What the filters can choose from.",
    params=NoParams,
    reply=Choices,
    answer=lambda trace, _: choices(trace),
    table=one_row,
)


_PERFETTO: Final = Question(
    id="perfetto",
    title="A stretch of the profile as a Perfetto trace.",
    params=PerfettoParams,
    reply=Stretch,
    answer=stretch,
    encode=Stretch.encode,
    text=text,
    table=table,
    is_file=True,
)


def _all() -> Iterator[tuple[str, AnyQuestion]]:
    for view in views.ALL:
        yield f"{_VIEW}{view.id}", view.main
    yield "choices", _CHOICES
    yield "perfetto", _PERFETTO
    for view in views.ALL:
        for question in view.more:
            yield f"{_VIEW}{view.id}/{question.id}", question


QUESTIONS: Final[dict[str, AnyQuestion]] = dict(_all())

SUMMARIES: Final = [question for question in QUESTIONS.values() if isinstance(question, Question) and question.is_summary]


def named(name: str) -> AnyQuestion:
    """By the name of HTTP or of the shell. NotFoundError names what there is."""
    found = QUESTIONS.get(name) or QUESTIONS.get(f"{_VIEW}{name}")
    if found is None:
        raise NotFoundError(f"there is no question {name!r}; there is {', '.join(QUESTIONS)}")
    return found


def in_form(name: str) -> tuple[AnyQuestion, str]:
    """`view/operators.csv` as the question and `csv`, or one of `Joint.forms`; without a form it is `sent`.

    NotFoundError names what there is.
    """
    stem, _, form = name.rpartition(".")
    found = QUESTIONS.get(stem)
    if found is not None and form in ("csv", *(found.forms if isinstance(found, Joint) else ())):
        return found, form
    if name not in QUESTIONS:
        raise NotFoundError(f"there is no api/v1/{name}; there is runs, hang, {', '.join(QUESTIONS)}")
    return QUESTIONS[name], "sent"


def of_one(name: str) -> Question[Any, Any]:
    """As `named`, for a question about one profile."""
    found = named(name)
    if isinstance(found, Joint):
        raise UsageError(f"{name} is asked of several profiles, not of one")
    return found


def name_of(question: AnyQuestion) -> str:
    """The name of HTTP."""
    return next(name for name, known in QUESTIONS.items() if known is question)


def shell_name(name: str) -> str:
    return name.removeprefix(_VIEW)


def reply_type(question: AnyQuestion) -> Any:
    """What crosses the wire as JSON; None where raw columns do."""
    if isinstance(question, Joint):
        return _of(JointReply, question.reply)
    if question.encode is not None:
        return None
    return _of(ViewReply, question.reply) if question.may_be_missing else question.reply


def _of(envelope: Any, reply: Any) -> Any:
    return envelope[reply]
