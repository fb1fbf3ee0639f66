"""A job of which no collective can be matched: what cannot be told is left out of tables, and said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


def test_columns_without_a_value_are_left_out_and_it_is_said_why(tmp_path: Path) -> None:
    members = [member(path) for path in Job().write(tmp_path)][:1]
    reply = join(members, RanksParams(by="rank"))
    assert reply.n_matched == 0
    said = text(reply)
    (head,) = (line for line in said.splitlines() if line.startswith("rank  "))
    assert "more than peers" not in head
    assert "computation" in head
    (why,) = (line for line in said.splitlines() if line.startswith("No column, since no collective could be matched: "))
    assert "more than peers" in why


def test_with_matched_collectives_nothing_is_said_of_columns(tmp_path: Path) -> None:
    said = text(join([member(path) for path in Job().write(tmp_path)], RanksParams(by="rank")))
    assert "more than peers" in said
    assert "No column" not in said
