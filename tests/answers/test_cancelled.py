"""What somebody cancelled stays so wherever it is shown, until somebody begins it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tb_plugin.answers.desk import Failed, Waiting
from tb_plugin.answers.kept import Body
from tests.runs.small import chrome_json, put, until

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.answers.desk import Desk

LARGE = 400_000
"""Operators: seconds of reading, in which it can be cancelled."""


def the_row(desk: Desk, name: str = "view/runs") -> Any:
    body = desk.answer(desk.inquire(name, {}))
    assert isinstance(body, Body)
    (row,) = msgspec.json.decode(body.plain())["result"]["rows"]
    return row


def test_what_was_cancelled_is_not_read_for_another_view_before_somebody_tries_again(desk: Desk, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(LARGE))
    asked = desk.inquire("view/overview", {})
    until(lambda: desk.answer(asked), lambda now: isinstance(now, Waiting) and now.progress > 0)
    assert desk.cancel({})
    for _ in range(2):
        row = the_row(desk)
        assert (row["state"], row["summary"]) == ("failed", None)
        assert "was cancelled" in row["reason"]
        assert "open it and try again" in row["reason"]
    # The one that was stopped is listed until it has ended.
    until(lambda: desk.store.children._children, lambda children: children == {})
    assert "was cancelled" in the_row(desk)["reason"], "another one reads it"
    now = until(lambda: desk.answer(asked), lambda now: isinstance(now, Failed))
    assert isinstance(now, Failed)
    assert "was cancelled" in now.reason
    assert isinstance(desk.answer(desk.inquire("view/overview", {"again": "true"})), Waiting)
    assert until(lambda: the_row(desk), lambda row: row["state"] == "ready")["summary"]["n_steps"] == 1
    assert isinstance(until(lambda: desk.answer(asked), lambda now: isinstance(now, Body)), Body)


def test_who_reads_it_too_ends_with_it_and_begins_again_with_it(desk: Desk, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(LARGE))
    until(lambda: the_row(desk), lambda row: row["state"] == "loading" and row["progress"] > 0)
    asked = desk.inquire("view/overview", {})
    until(lambda: desk.answer(asked), lambda now: isinstance(now, Waiting) and now.state == "loading")
    assert desk.cancel({})
    until(lambda: desk.store.children._children, lambda children: children == {})
    assert isinstance(until(lambda: desk.answer(asked), lambda now: isinstance(now, Failed)), Failed)
    assert "was cancelled" in the_row(desk)["reason"]
    assert desk.store.children._children == {}, "another one reads it"
    desk.answer(desk.inquire("view/overview", {"again": "true"}))
    assert until(lambda: the_row(desk), lambda row: row["state"] in ("ready", "failed"))["state"] == "ready"
