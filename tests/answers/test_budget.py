"""What one request may take, with work of every kind: it ends, others go on, and nothing is left behind."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.answers.budget import Budget
from tb_plugin.base import progress
from tb_plugin.base.errors import OverBudgetError, UsageError
from tests.runs.small import LONG_S, no_thread_left, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def budget() -> Iterator[Budget]:
    with no_thread_left():
        made = Budget(max_cpu_s=0.3, max_at_once=2)
        yield made
        made.close()


def spin(until_set: threading.Event | None = None) -> None:
    while until_set is None or not until_set.is_set():
        sum(range(1000))


def test_work_is_done_and_its_value_or_its_error_comes_back(budget: Budget) -> None:
    assert budget.spend("a", lambda: 7) == 7

    def broken() -> int:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        budget.spend("a", broken)


def test_what_computes_too_long_is_stopped_and_its_place_is_free_again(budget: Budget) -> None:
    for n in range(4):  # more than there are places
        began = time.thread_time()
        with pytest.raises(OverBudgetError, match=r"more than 0\.3 s of computing"):
            budget.spend(str(n), spin)
        assert time.thread_time() - began < 0.3
    assert budget.spend("a", lambda: 7) == 7


def test_what_grows_with_the_profile_is_given_more_time(budget: Budget) -> None:
    def compute() -> int:
        while time.thread_time() < 0.4:
            sum(range(1000))
        return 7

    assert budget.spend("a", compute, more_cpu_s=60) == 7
    with pytest.raises(OverBudgetError, match=r"more than 0\.4 s of computing"):
        budget.spend("a", spin, more_cpu_s=0.1)


def test_waiting_without_computing_is_no_cost(budget: Budget) -> None:
    assert budget.spend("a", lambda: time.sleep(0.6)) is None


def test_what_takes_too_much_memory_is_stopped() -> None:
    def grow() -> None:
        held = []
        while True:
            held.append(np.ones(1 << 20))
            time.sleep(0.005)

    with no_thread_left(), pytest.raises(OverBudgetError, match="more than 64 MB of memory"):
        Budget(max_cpu_s=60, max_bytes=64 << 20).spend("a", grow)


def test_memory_of_a_profile_that_is_opened_meanwhile_is_not_counted() -> None:
    with no_thread_left():
        budget = Budget(max_bytes=16 << 20, is_opening=lambda: True)
        held = []

        def wait() -> int:
            for _ in range(20):
                held.append(np.ones(1 << 20))
                time.sleep(0.01)
            return 7

        assert budget.spend("a", wait) == 7


def test_nobody_waits_any_more_and_the_work_ends(budget: Budget) -> None:
    stopped = threading.Event()

    def work() -> None:
        try:
            spin()
        finally:
            stopped.set()

    began = time.monotonic()
    with pytest.raises(OverBudgetError, match="nobody waits"):
        budget.spend("a", work, is_gone=lambda: time.monotonic() > began + 0.1)
    assert stopped.wait(LONG_S)


def test_what_several_wait_for_is_worked_out_once_and_goes_on_while_one_of_them_waits(budget: Budget) -> None:
    calls, go_on = list[int](), threading.Event()

    def work() -> int:
        calls.append(1)
        go_on.wait(LONG_S)
        return 7

    gone = threading.Event()
    with ThreadPoolExecutor(8) as pool:
        impatient = [pool.submit(budget.spend, "a", work, is_gone=gone.is_set) for _ in range(3)]
        patient = [pool.submit(budget.spend, "a", work) for _ in range(3)]
        until(lambda: calls, bool)
        gone.set()
        assert all(isinstance(each.exception(LONG_S), OverBudgetError) for each in impatient)
        go_on.set()
        assert [each.result(LONG_S) for each in patient] == [7, 7, 7]
    assert len(calls) == 1


def says_and_waits(go_on: threading.Event, *parts: str) -> Callable[[], int]:
    def work() -> int:
        for part in parts:
            progress.now(part)
        go_on.wait(LONG_S)
        return 7

    return work


def test_what_an_answer_is_at_is_told_to_whoever_asks_until_it_is_there(budget: Budget) -> None:
    progress.now("what nobody listens to")
    go_on = threading.Event()
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(budget.spend, "a", says_and_waits(go_on, "steps", "kernels"), about=("p", "view/overview"))]
        until(lambda: budget.working("p"), lambda working: bool(working) and working[0].n_parts == 2)
        asked += [
            pool.submit(budget.spend, "b", says_and_waits(go_on), about=("p", "view/memory")),
            pool.submit(budget.spend, "c", says_and_waits(go_on, "steps"), about=("q", "view/memory")),
        ]
        working = until(lambda: budget.working("p"), lambda working: len(working) == 2)
        told = [(each.question, each.part, each.n_parts) for each in working]
        assert told == [("view/overview", "kernels", 2), ("view/memory", "", 0)]
        assert working[0].seconds >= working[1].seconds >= 0
        go_on.set()
        assert [each.result(LONG_S) for each in asked] == [7, 7, 7]
    assert budget.working("p") == []


def test_what_is_cancelled_ends_for_all_who_wait_and_is_begun_anew_when_it_is_asked_again() -> None:
    begun, stopped, go_on = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        try:
            begun.set()
            spin()
        finally:
            stopped.set()

    with no_thread_left(), ThreadPoolExecutor(3) as pool:
        budget = Budget(max_cpu_s=LONG_S)
        assert not budget.cancel("p")
        other = pool.submit(budget.spend, "b", says_and_waits(go_on), about=("q", "view/memory"))
        asked = [pool.submit(budget.spend, "a", work, about=("p", "view/overview")) for _ in range(2)]
        until(lambda: sorted(job.n_waiting for job in budget._jobs.values()), lambda waiting: waiting == [1, 2])
        assert begun.wait(LONG_S)
        assert budget.cancel("p")
        assert ["cancelled" in str(each.exception(LONG_S)) for each in asked] == [True, True]
        assert stopped.wait(LONG_S)
        assert not budget.cancel("p")
        assert budget.spend("a", lambda: 7, about=("p", "view/overview")) == 7
        go_on.set()
        assert other.result(LONG_S) == 7
        pool.shutdown()


def test_no_more_run_at_once_than_may_and_those_who_leave_the_queue_never_run(budget: Budget) -> None:
    end, running, ran = threading.Event(), list[int](), list[int]()

    def work(place: int) -> Callable[[], None]:
        def waits() -> None:
            ran.append(place)
            running.append(len(running) + 1)
            end.wait(LONG_S)
            running.pop()

        return waits

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(budget.spend, str(place), work(place)) for place in range(2)]
        until(lambda: len(ran), lambda n: n == 2)
        with pytest.raises(OverBudgetError, match="nobody waits"):
            budget.spend("2", work(2), is_gone=lambda: True)
        asked += [pool.submit(budget.spend, str(place), work(place)) for place in range(3, 6)]
        end.set()
        for each in asked:
            each.result(LONG_S)
    assert sorted(ran) == [0, 1, 3, 4, 5]
    assert running == []


def test_others_are_answered_while_one_computes(budget: Budget) -> None:
    end = threading.Event()
    slow = Budget(max_cpu_s=LONG_S)
    with ThreadPoolExecutor(4) as pool:
        attack = [pool.submit(slow.spend, str(place), lambda: spin(end)) for place in range(3)]
        for place in range(20):
            assert budget.spend(f"quick {place}", lambda: 7) == 7
        assert not any(each.done() for each in attack)
        end.set()
        for each in attack:
            each.result(LONG_S)


def test_closing_stops_what_runs() -> None:
    with no_thread_left(), ThreadPoolExecutor(1) as pool:
        budget = Budget()
        asked = pool.submit(budget.spend, "a", spin)
        time.sleep(0.1)
        budget.close()
        assert isinstance(asked.exception(LONG_S), OverBudgetError)


@contextmanager
def switching_every(seconds: float) -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    yield
    sys.setswitchinterval(before)


def test_a_stop_that_comes_as_the_work_ends_leaves_the_place_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tb_plugin.answers.budget._LOOK_S", 0.0003)
    stopped = 0
    with no_thread_left(), switching_every(0.0003):  # usually 5 ms: whoever looks would come too late
        budget = Budget(max_at_once=1)
        for n in range(600):
            work = functools.partial(sum, range(100 * n))  # up to a millisecond
            try:
                assert budget.spend("a", lambda work=work: work() + work(), is_gone=lambda: True) >= 0  # type: ignore[misc]
            except OverBudgetError:
                stopped += 1
        assert budget.spend("a", lambda: 7) == 7
        budget.close()
    assert 0 < stopped < 600


PROFILED_AFTERWARDS = """
import sys, time
from contextlib import suppress
from tb_plugin.answers.budget import Budget
from tb_plugin.base.errors import OverBudgetError

def work():
    for _ in range(2_000_000_000):
        pass

budget = Budget(max_cpu_s=0.1)
assert budget.spend("short", lambda: 7) == 7
with suppress(OverBudgetError):
    budget.spend("long", work)
budget.close()
sys.setprofile(lambda *event: None)
print(len(str(7)), (lambda: "reached")())
"""


def test_the_process_can_be_profiled_after_work_that_ended_and_after_work_that_was_stopped() -> None:
    """A stop that never came would leave CPython 3.11 waiting for it at the first call under a profile function, for ever."""
    done = subprocess.run([sys.executable, "-c", PROFILED_AFTERWARDS], capture_output=True, text=True, timeout=240, check=False)
    assert (done.stdout, done.stderr) == ("1 reached\n", "")


def test_memory_that_work_leaves_over_is_given_back_and_little_of_it_is_not(
    budget: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, given_back = [100 << 20], threading.Event()

    def give_back() -> None:
        own[0] -= 50 << 20
        given_back.set()

    monkeypatch.setattr("tb_plugin.answers.budget.own_bytes", lambda: own[0])
    monkeypatch.setattr("tb_plugin.answers.budget.give_back", give_back)
    budget.spend("first", lambda: None)
    assert given_back.wait(LONG_S)
    budget.close()  # its thread has ended
    own[0] += 7 << 20
    given_back.clear()
    budget.spend("little", lambda: None)
    budget.close()
    assert not given_back.is_set()
    budget.spend("much", lambda: own.__setitem__(0, own[0] + (8 << 20)))
    assert given_back.wait(LONG_S)


def test_what_others_still_work_with_is_given_back_when_they_end(budget: Budget, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that ends meanwhile does not take it for what the server needs."""
    own, holds, goes = [100 << 20], threading.Event(), threading.Event()
    given_back: list[int] = []
    monkeypatch.setattr("tb_plugin.answers.budget.own_bytes", lambda: own[0])
    monkeypatch.setattr("tb_plugin.answers.budget.give_back", lambda: given_back.append(own[0]))

    def large() -> None:
        own[0] += 50 << 20
        holds.set()
        assert goes.wait(LONG_S)

    other = threading.Thread(target=budget.spend, args=("large", large))
    other.start()
    assert holds.wait(LONG_S)
    budget.spend("small", lambda: None)
    while len(budget._threads) > 1:  # until its thread has settled
        threading.Event().wait(0.001)
    n_before = len(given_back)
    goes.set()
    other.join()
    budget.close()
    assert len(given_back) == n_before + 1
