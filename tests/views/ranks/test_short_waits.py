"""Waits that are shorter than what clocks can tell are said to be so, and not to the nanosecond."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tb_plugin.job.clocks.clock import DEVICE_NS
from tb_plugin.trace.rank.packed import unpacked
from tb_plugin.views.ranks.basis.names import waited
from tb_plugin.views.ranks.collectives.one_collective import CollectiveParams, one_collective
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.map.matrix import MatrixParams, matrix
from tb_plugin.views.ranks.map.matrix import text as matrix_text
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.one_rank.one_rank import text as one_rank_text
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tb_plugin.views.ranks.what_if.what_if import text as what_if_text
from tests.job.recorded import member, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


def test_a_wait_below_the_error_of_the_clocks_is_under_it() -> None:
    assert [waited(ns) for ns in (0, 3, 999, 1000, 1500)] == ["0 ns", "under 1.00 us", "under 1.00 us", "1.00 us", "1.50 us"]
    assert [waited(ns, 3500.0) for ns in (0, 3, 3499, 3500)] == ["0 ns", "under 3.50 us", "under 3.50 us", "3.50 us"]
    assert waited(3, 20.0) == waited(3, None) == "under 1.00 us"  # two devices of one host differ by as much


def test_sentences_and_tables_say_so(tmp_path: Path) -> None:
    """Two ranks whose kernels differ by chance, by up to 2 us."""
    members = [member(path) for path in Job(n_ranks=2, n_layers=1, jitter_ns=1).write(tmp_path)]
    table = join(members, RanksParams())
    assert table.parts is not None
    assert 0 < (table.parts.wait_ns or 0) < DEVICE_NS
    assert "under 1.00 us waiting for other ranks" in table.sentences[0]
    waits = [row for row in text(table).splitlines() if re.match(r" +[01]  node", row)]
    assert len(waits) == 2
    assert all(row.count("under 1.00 us") == 1 for row in waits)  # its wait; they come last together, so it caused none at least


def test_the_sentence_of_one_collective_says_so(tmp_path: Path) -> None:
    paths = Job(n_ranks=2, n_layers=1, jitter_ns=1).write(tmp_path)
    members = [member(path) for path in paths]
    short = []
    for one in recorded(paths):
        for row in unpacked(one.summary.collectives)["row"].tolist():
            found = one_collective(members, CollectiveParams(run="job", worker=one.worker, span="1", row=row))
            if 0 < (found.wait_ns or 0) < DEVICE_NS:
                short.append(found.sentence or "")
    assert short
    assert all(": ranks 0 and 1 came last together, " in sentence for sentence in short)


def test_the_panel_of_a_rank_and_a_replay_say_so(tmp_path: Path) -> None:
    members = [member(path) for path in Job(n_ranks=2, n_layers=1, jitter_ns=1).write(tmp_path)]
    said = one_rank_text(one_rank(members, OneRankParams(rank=0)))
    waits = [line for line in said.splitlines() if line.startswith("world")]
    assert [line.count("  under 1.00 us  ") for line in waits] == [2]
    replayed = what_if(members, RanksWhatIfParams(what_if="rank=1"))
    assert 0 < abs(replayed.rows[0].change_ns or 0) < DEVICE_NS
    assert "  under 1.00 us  " in what_if_text(replayed)


def test_the_map_says_so(tmp_path: Path) -> None:
    members = [member(path) for path in Job(n_ranks=2, n_layers=1, jitter_ns=1).write(tmp_path)]
    for axes in ("step", "kind"):
        reply = matrix(members, MatrixParams(measure="wait", axes=axes))
        assert reply.least_told_ns == DEVICE_NS
        known = [value for row in reply.values for value in row if value is not None]
        assert 0 < max(known) < DEVICE_NS
        assert matrix_text(reply).count("under 1.00 us") == sum(0 < value < DEVICE_NS for value in known)
    assert matrix(members, MatrixParams(measure="own")).least_told_ns is None
