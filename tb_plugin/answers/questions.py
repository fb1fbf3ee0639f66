"""All that can be asked, by name: `view/operators`, `view/operators/details`, `choices`. The shell leaves out `view/`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from tb_plugin import views
from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.question.joint import Joint, JointReply
from tb_plugin.question.question import Question, ViewReply

AnyQuestion: TypeAlias = Question[Any, Any] | Joint[Any, Any, Any]

_VIEW: Final = "view/"
_OF_NO_VIEW: Final = {"choices": "tb_plugin.answers.choices", "perfetto": "tb_plugin.answers.stretch"}
"""Where such a question is."""


class _Questions(Mapping[str, AnyQuestion]):
    """Asking for one by name loads its view, and no other. In the order of the page; going through all loads all."""

    def __init__(self) -> None:
        self.loaded: dict[str, AnyQuestion] = {}

    def __getitem__(self, name: str) -> AnyQuestion:
        if name not in self.loaded:
            self._load(name)
        return self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        yield from (f"{_VIEW}{view.id}" for view in views.ALL)
        yield from _OF_NO_VIEW
        yield from (f"{_VIEW}{view.id}/{question.id}" for view in views.ALL for question in view.more)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _load(self, name: str) -> None:
        view_id = name.removeprefix(_VIEW).partition("/")[0]
        if name in _OF_NO_VIEW:
            self.loaded[name] = importlib.import_module(_OF_NO_VIEW[name]).QUESTION
        elif name.startswith(_VIEW) and view_id in views.IDS:
            view = views.named(view_id)
            more = {f"{_VIEW}{view_id}/{question.id}": question for question in view.more}
            self.loaded |= {f"{_VIEW}{view_id}": view.main} | more


QUESTIONS: Final = _Questions()


def summaries() -> list[Question[Any, Any]]:
    """Of a few kB each; who opens a profile for one of them answers all."""
    return [question for question in QUESTIONS.values() if isinstance(question, Question) and question.is_summary]


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
    """The name of HTTP. Whoever has a question has loaded its view, so no other is."""
    for view in views.loaded():
        QUESTIONS[f"{_VIEW}{view}"]
    return next(name for name, known in QUESTIONS.loaded.items() if known is question)


def of_shell(name: str) -> AnyQuestion | None:
    """By the name of the shell alone."""
    return QUESTIONS.get(name if name in _OF_NO_VIEW else f"{_VIEW}{name}")


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
