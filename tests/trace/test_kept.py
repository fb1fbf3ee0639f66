import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tb_plugin.trace.kept import LastAnswers, once_per_trace, put_beside
from tb_plugin.trace.model import Trace
from tests.trace_text import trace_from_text

DRAWING = "thread 1 | aten::mm 0-10"


class Answer:
    def __init__(self, trace: Trace) -> None:
        self.n_events = len(trace.events)


def test_an_answer_is_worked_out_once_for_each_trace() -> None:
    answer = once_per_trace(Answer)
    one, other = trace_from_text(DRAWING), trace_from_text(DRAWING)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(answer, [one] * 4))
    assert all(each is found[0] for each in found)
    assert answer(other) is not found[0]


def test_an_answer_goes_with_its_trace() -> None:
    answer = once_per_trace(Answer)
    trace = trace_from_text(DRAWING)
    gone = weakref.ref(answer(trace))
    del trace
    gc.collect()
    assert gone() is None


def test_a_trace_goes_with_an_answer_that_leads_back_to_it() -> None:
    answer = once_per_trace(lambda trace: [trace])
    trace = trace_from_text(DRAWING)
    gone = weakref.ref(trace)
    assert answer(trace) == [trace]
    del trace
    gc.collect()
    assert gone() is None


class Busy:
    """A shelf that, while it takes a column of the one trace, has another thread keep an answer of it."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def take(self, name: str) -> None:
        raise NotImplementedError

    def keep(self, name: str, columns: object) -> Any:
        raise NotImplementedError

    def put_away(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(once_per_trace(Answer), self.trace).result()
        return np.array(column)


def test_an_answer_that_leads_back_to_its_trace_is_put_away_while_another_is_worked_out() -> None:
    trace = trace_from_text(DRAWING)
    vars(trace)["large"] = np.zeros(1 << 16)
    put_beside(trace, Busy(trace))
    large = vars(trace)["large"]
    assert once_per_trace(lambda trace: [trace])(trace) == [trace]
    assert vars(trace)["large"] is not large


def test_an_error_is_no_answer() -> None:
    asked = []

    @once_per_trace
    def fails_first(trace: Trace) -> int:
        asked.append(trace)
        if len(asked) == 1:
            raise MemoryError
        return 1

    trace = trace_from_text(DRAWING)
    with pytest.raises(MemoryError):
        fails_first(trace)
    assert fails_first(trace) == 1


def test_the_last_few_answers_are_kept_and_asked_for_once() -> None:
    built: list[str] = []

    def ask(question: str) -> str:
        def build() -> str:
            built.append(question)
            return question.upper()

        return kept.get(question, build)

    kept = LastAnswers[str, str](2)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, ["a"] * 8)) == {"A"}
    assert [ask(question) for question in ("b", "a", "c", "a", "b")] == ["B", "A", "C", "A", "B"]
    assert built == ["a", "b", "c", "b"]
