"""What is asked in words: a number that no profile can have is refused with its name, whoever asks."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tb_plugin.answers import questions
from tb_plugin.answers.questions import QUESTIONS, name_of
from tb_plugin.base.errors import UsageError
from tb_plugin.question.question import Question

_AMOUNTS = {"limit", "offset", "top", "points", "width_px", "min_bytes"}


def _numbers() -> list[tuple[Question[Any, Any], str]]:
    return [
        (question, field.name)
        for question in QUESTIONS.values()
        if isinstance(question, Question)
        for field in msgspec.structs.fields(question.params)
        if field.name in _AMOUNTS | {"row", "t0_ns", "t1_ns", "at_ns"}
    ]


def _asked(question: Question[Any, Any], name: str, value: str) -> None:
    needed = {"q": "a", "name": "a", "t0_ns": "0", "t1_ns": "1", "row": "0"}
    fields = {field.name for field in msgspec.structs.fields(question.params) if field.required}
    question.params_from({key: text for key, text in needed.items() if key in fields} | {name: value})


@pytest.mark.parametrize(
    ("question", "name"), _numbers(), ids=lambda value: name_of(value) if isinstance(value, Question) else value
)
@pytest.mark.parametrize("value", ["9" * 20, "-" + "9" * 22, "9" * 5000, "nan"])
def test_a_number_out_of_range_names_itself(question: Question[Any, Any], name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"^{name}[=:]") as refused:
        _asked(question, name, value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("question", "name"), _numbers(), ids=lambda value: name_of(value) if isinstance(value, Question) else value
)
def test_an_amount_is_never_negative(question: Question[Any, Any], name: str) -> None:
    if name in _AMOUNTS:
        with pytest.raises(UsageError, match=f"^{name}='-5': expected `int` >= 0"):
            _asked(question, name, "-5")
    else:
        _asked(question, name, "-5")  # a time may lie before the start


@pytest.mark.parametrize("given", ["x", "1.5", "5 "])
def test_what_is_no_number_is_told_in_words(given: str) -> None:
    question = questions.named("ranks/rank")
    with pytest.raises(UsageError, match=f"^rank='{given}': not a whole number$"):
        question.params_from({"rank": given})
