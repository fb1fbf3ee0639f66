"""A recording without a device says what the host did, what waits in Python, and under which of the user's functions."""

from __future__ import annotations

from tb_plugin.findings.found import found
from tests.trace_text import trace_from_text

LOCK = "<built-in method acquire of _thread.lock object at 0x7f>"


def said(text: str) -> str:
    return found(trace_from_text(text)).verdict.sentence


def test_what_waits_is_told_by_its_call_and_line() -> None:
    slept = said("thread 1 | ProfilerStep#1 0-100 | t.py(3): save 0-90 | aten::mm 5-25 | <built-in function sleep> 40-80")
    assert "sleeping in save (t.py:3) 40.0 %" in slept
    assert "python 30.0 %" in slept
    assert "nothing that was recorded" not in slept.partition("(")[0]
    assert f"waiting in acquire in get (q.py:7) {40:.1f} %" in said(
        f"thread 1 | ProfilerStep#1 0-100 | q.py(7): get 0-99 | {LOCK} 9-49"
    )


def test_time_that_nothing_tells_of_stays_so_and_other_threads_do_not_explain_it() -> None:
    other = "thread 1 | ProfilerStep#1 0-100 | t.py(3): step 0-50\nthread 2 | <built-in function sleep> 0-100"
    assert "python 50.0 % and nothing that was recorded 50.0 %" in said(other)


def test_a_call_that_waits_inside_another_is_counted_once() -> None:
    both = f"thread 1 | ProfilerStep#1 0-100 | t.py(3): step 0-100 | <built-in method __enter__ of X> 20-80 | {LOCK} 30-50"
    assert "waiting in __enter__ in step (t.py:3) 60.0 % and python 40.0 %" in said(both)


def test_the_function_with_most_of_the_time_is_named_where_one_has_most() -> None:
    two = "thread 1 | ProfilerStep#1 0-100 | a.py(1): f 0-{0} | aten::mm 5-9 | b.py(2): g {0}-100 | aten::add 90-99"
    assert "; under f (a.py:1) 80.0 %)" in said(two.format(80))
    assert "under f (a.py:1)" not in said("thread 1 | ProfilerStep#1 0-100 | a.py(1): f 0-40 | b.py(2): g 40-70 | aten::mm 75-95")
    assert "under" not in said("thread 1 | ProfilerStep#1 0-100 | aten::mm 5-90")


def test_of_the_ranges_with_most_of_the_time_the_smallest_is_named_in_place_of_a_function_that_holds_all() -> None:
    step = (
        "thread 1 | ProfilerStep#1 0-100 | t.py(3): train {} | <all of it> 0-98 | <Optimizer.step#Adam.step> {} | aten::add 40-95"
    )
    assert "(with Python stacks; in Optimizer.step#Adam.step 60.0 %)" in said(step.format("0-100", "38-98"))
    assert "; in Optimizer.step#Adam.step 60.0 %; under train (t.py:3) 90.0 %)" in said(step.format("10-100", "38-98"))
    assert "; in all of it 98.0 %" in said(step.format("0-100", "60-98"))
