"""Sends are one send by what both ends did together, however each rank's torch has counted them."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tb_plugin.job.hangs.hang_numbers import comparable
from tb_plugin.job.hangs.hang_sends import ends_of
from tb_plugin.runs.dumps import find_dumps, read_dumps
from tests.dump_files import drawn, told, verdict, write

FOUR = [0, 1, 2, 3]


def of_one_group(
    calls: dict[int, list[tuple[str, str]]], *, in_batches: bool = False, takes_numbers: bool = True
) -> dict[int, Any]:
    """As NCCL's dumps are: `>2` is a send to rank 2, `<2` a receive, `all` a collective; with how far each is. torch counts the
    sends of a rank in a group, whomever they are to; a batch of one is written down as that, and `coalesced` behind it.
    """
    dumps = drawn(
        "\n".join(f"{rank} | {', '.join(f'all:{at} done' for at, _ in enumerate(its, 1))}" for rank, its in calls.items()),
        {"all": FOUR},
    )
    for rank, its in calls.items():
        entries, n_sends, n_collectives = [], 0, 0
        for entry, (call, state) in zip(dumps[rank]["entries"], its, strict=True):
            if call == "all":
                n_collectives += 1
                entries.append({**entry, **_state(state), "collective_seq_id": n_collectives})
                continue
            n_sends += 1
            other = int(call[1:])
            name = f"nccl:send {rank}->{other}" if call[0] == ">" else f"nccl:recv {rank}<-{other}"
            send = {**entry, "is_p2p": True, "p2p_seq_id": n_sends, "collective_seq_id": n_collectives, "profiling_name": name}
            entries.append({**send, **_state("scheduled" if in_batches else state)})
            if in_batches:
                n_collectives += takes_numbers
                entries.append({**send, **_state(state), "profiling_name": "nccl:coalesced", "input_sizes": []})
        dumps[rank]["entries"] = [{**entry, "record_id": at} for at, entry in enumerate(entries)]
    return dumps


def _state(state: str) -> dict[str, Any]:
    return {"state": {"done": "completed"}.get(state, state), "retired": state == "done"}


def done(calls: str) -> list[tuple[str, str]]:
    return [(call, "done") for call in calls.split()]


@pytest.mark.parametrize("in_batches", [False, True])
@pytest.mark.parametrize("takes_numbers", [False, True])
def test_of_a_pipeline_who_did_not_send_is_at_fault_though_its_peer_counts_other_sends(
    tmp_path: Path, in_batches: bool, takes_numbers: bool
) -> None:
    """Ranks 1 and 2 have twice as many sends as the first and the last, and as many more numbers of collectives are taken."""
    calls = {
        0: done(">1 <1 all >1 <1 all"),
        1: done("<0 >2 <2 >0 all <0 >2 <2 >0 all"),
        2: done("<1 >3 <3 >1 all <1 >3 <3 >1 all"),
        3: done("<2 >2 all <2 >2 all"),
    }
    assert told(tmp_path / "over", of_one_group(calls, in_batches=in_batches, takes_numbers=takes_numbers)) == []
    calls[0] += [(">1", "done"), ("<1", "started")]
    calls[1] += [("<0", "done"), (">2", "done")]
    calls[2] += [("<1", "done"), (">3", "done"), ("<3", "done")]
    calls[3] += [("<2", "done"), (">2", "done")]
    first, *others = told(tmp_path / "hangs", of_one_group(calls, in_batches=in_batches, takes_numbers=takes_numbers))
    assert (first.pair, first.sequence, first.fault, first.at_fault) == ((0, 1), 3, "missing", (1,))
    assert others == []
    said = verdict(tmp_path / "hangs")
    assert said is not None
    assert "Rank 1" in said
    assert "damaged" not in said


@pytest.mark.parametrize("takes_numbers", [False, True])
@pytest.mark.parametrize("in_batches", [False, True])
def test_of_rings_that_were_overwritten_at_other_places_the_same_rank_is_at_fault(
    tmp_path: Path, in_batches: bool, takes_numbers: bool
) -> None:
    """Rank 2 never issues the last collective: its own sends, and those before it, are over everywhere."""
    step = {0: ">1 <1 all", 1: "<0 >2 <2 >0 all", 2: "<1 >3 <3 >1 all", 3: "<2 >2 all"}
    calls = {rank: done(" ".join([calls] * 6)) for rank, calls in step.items()}
    for rank in FOUR:
        calls[rank][-1] = ("all", "started")
    del calls[2][-1]
    dumps = of_one_group(calls, in_batches=in_batches, takes_numbers=takes_numbers)
    for rank, n in zip(FOUR, (4, 9, 21, 2), strict=True):
        del dumps[rank]["entries"][: n - (dumps[rank]["entries"][n]["profiling_name"] == "nccl:coalesced")]
    first, *others = told(tmp_path, dumps)
    assert (first.pair, first.fault, first.at_fault, first.started) == (None, "missing", (2,), (0, 1, 3))
    assert others == []
    assert "damaged" not in (verdict(tmp_path) or "")


@given(st.data())
def test_where_rings_were_overwritten_both_ends_number_a_send_alike(data: st.DataObject) -> None:
    """A chain of three: each rank counts all of its sends, keeps the last of them, and a sender has one more over than who gets
    it.
    """
    ways = data.draw(st.lists(st.sampled_from([(0, 1), (1, 0), (1, 2), (2, 1)]), min_size=40, max_size=80))
    for low in (0, 1):
        own = [way for way in ways if set(way) == {low, low + 1}]
        assume(len(own) > 12)
        assume(all(own[-12:] != own[-12 - shift : -shift] and own[-9:] != own[-9 - shift : -shift] for shift in (1, 2)))
    calls: dict[int, list[tuple[str, str]]] = {0: [], 1: [], 2: []}
    truth: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for at, (sender, receiver) in enumerate(ways):
        for rank, call in ((sender, f">{receiver}"), (receiver, f"<{sender}")):
            calls[rank].append((call, "done"))
            truth[rank].append(at)
    last = ways[-1][1]
    calls[last][-1] = (calls[last][-1][0], "started")
    dumps = of_one_group(calls)
    for rank, dump in dumps.items():
        dump["pg_config"]["all"]["ranks"] = json.dumps([0, 1, 2])
        n = data.draw(st.integers(0, max(len(truth[rank]) - 26, 0)))
        dump["entries"], truth[rank] = dump["entries"][n:], truth[rank][n:]
    with TemporaryDirectory() as folder:
        found, _ = read_dumps(*find_dumps(write(Path(folder), dumps)))
    number_of: dict[tuple[object, int], set[int]] = {}
    for before, after in zip(found, comparable(found), strict=True):
        true_of = {issued.created_ns: true for issued, true in zip(before.issued, truth[after.rank], strict=True)}
        for issued in after.issued:
            number_of.setdefault((ends_of(issued, (0, 1, 2)), true_of[issued.created_ns]), set()).add(issued.sequence)
    assert all(len(numbers) == 1 for numbers in number_of.values())
    assert len({(ends, *numbers) for (ends, _), numbers in number_of.items()}) == len(number_of)
