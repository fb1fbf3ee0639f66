"""What is said of the file beside every answer about it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from tb_plugin.answers import bodies
from tb_plugin.answers.questions import QUESTIONS
from tb_plugin.question.question import Question
from tb_plugin.trace.model import Issue
from tests.profiles import sample, trace_of

VIEWS = [question for question in QUESTIONS.values() if isinstance(question, Question) and question.may_be_missing]


@pytest.mark.parametrize("question", VIEWS, ids=lambda question: question.id)
def test_every_view_of_a_file_that_is_cut_off_or_may_be_damaged_says_so(question: Question[Any, Any]) -> None:
    trace = trace_of(sample("cuda"))
    odd = (Issue(kind="truncated", text="The file ends early."), Issue(kind="checksum", text="it does not fit"))
    reply = json.loads(bodies.body(question, dataclasses.replace(trace, issues=odd), question.params(), "sent"))
    told = f"of the part that could be read ({len(trace.events):,} events): the file ends early; it does not fit."
    assert reply["missing"] or reply["notes"][0] == f"Every figure is {told}"
