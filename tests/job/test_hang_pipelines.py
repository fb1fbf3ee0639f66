"""Hangs of pipelines in which one rank leaves a collective out, and waits in a send or receive: its peers' programs say so."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.dump_files import drawn, told, verdict

ALL = {"all": [0, 1, 2, 3, 4, 5], "t0": [0, 1, 2], "t1": [3, 4, 5]}
PIPELINES = {"p0": [0, 3], "p1": [1, 4], "p2": [2, 5]}
"""Stage 0 are ranks 0 to 2, stage 1 ranks 3 to 5."""

WAITS_IN_RECEIVE = """
    0 | p0>:1 done, t0:1 started
    1 | p1>:1 done, t0:1 scheduled, p1>:2 scheduled
    2 | p2>:1 done, t0:1 started
    3 | p0>:1 done, p0>:2 started, t1:1 scheduled
    4 | p1>:1 done, t1:1 started, p1>:2 scheduled
    5 | p2>:1 done, t1:1 started, p2>:2 scheduled
"""
"""Rank 3 left `t1` out after its first receive."""


def of_pipelines(text: str, groups: dict[str, list[int]], pipelines: dict[str, list[int]]) -> dict[int, Any]:
    """`p0>:1` is the first send in `p0` from its first member to its second, `p0<:2` the second, back."""
    dumps = drawn(text, {**groups, **pipelines})
    for rank, dump in dumps.items():
        for config in dump["pg_config"].values():
            config["desc"] = _kind(config["name"])
        for entry in dump["entries"]:
            group, way = re.fullmatch(r"(\w+)([<>]?)", entry["process_group"][0]).groups()  # type: ignore[union-attr]
            entry["process_group"] = (group, _kind(group))
            if way:
                own = pipelines[group].index(rank)
                call = f"send {own}->{1 - own}" if own == (way == "<") else f"recv {own}<-{1 - own}"
                number = entry["collective_seq_id"]
                entry.update(is_p2p=True, p2p_seq_id=number, collective_seq_id=0, profiling_name=f"nccl:{call}")
    return dumps


def _kind(group: str) -> str:
    return {"t": "tensor", "p": "pipe", "a": "all"}[group[0]]


def test_who_left_a_collective_out_and_waits_in_a_receive_is_at_fault(tmp_path: Path) -> None:
    """Rank 3 waits for 0, 0 for 1 in `t0`, 1 for 4, and 4 for 3: who lacks a call was named by that alone."""
    first, *others = told(tmp_path, of_pipelines(WAITS_IN_RECEIVE, ALL, PIPELINES))
    assert (first.group, first.fault, first.at_fault, first.or_else) == ("tensor", "out_of_order", (3,), ())
    assert all(one.follows for one in others if one.pair)
    assert (verdict(tmp_path) or "").endswith(
        "It waits in send and receive 2 of pipe between ranks 0 and 3, which all others of its stage have later: it left a "
        "collective of tensor out before."
    )


@pytest.mark.parametrize("n_steps", [0, 1])
def test_a_stage_whose_numbers_count_other_things_tells_nothing_of_another_one(tmp_path: Path, n_steps: int) -> None:
    """Stage 1 has three of `tensor` in a step and stage 0 has one: it cannot tell which of ranks 3 and 4 left something out."""
    first, last = 3 * n_steps + 1, n_steps + 1
    earlier = {0: "t0:1 done, all:1 done, ", 1: "t1:1 done, t1:2 done, t1:3 done, all:1 done, "} if n_steps else {0: "", 1: ""}
    of_0 = f"{earlier[0]}t0:{last} done, all:{last} started, t0:{last + 1} scheduled"
    of_1 = f"{earlier[1]}t1:{first} done, t1:{first + 1} done"
    text = f"""
        0 | p0>:1 done, {of_0}
        1 | p1>:1 done, {of_0}
        3 | p0>:1 done, {of_1}, t1:{first + 2} started, all:{last} scheduled
        4 | p1>:1 done, {of_1}, all:{last} started, t1:{first + 2} scheduled
    """
    dumps = of_pipelines(text, {"all": [0, 1, 3, 4], "t0": [0, 1], "t1": [3, 4]}, {"p0": [0, 3], "p1": [1, 4]})
    one, *_ = told(tmp_path, dumps)
    assert {*one.at_fault, *(rank for other in one.or_else for rank in other.at_fault)} == {3, 4}


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_of_any_pipeline_who_leaves_a_collective_out_is_at_fault(data: st.DataObject) -> None:
    """Stages of two ranks or three. Of two programs that differ nobody may tell which is right; no other rank is named."""
    width = data.draw(st.integers(2, 3))
    # What no rank of a pipeline has sent yet tells of no stages.
    program = [">", *data.draw(st.lists(st.sampled_from("ta><"), min_size=3, max_size=14))]
    collectives = [place for place, what in enumerate(program) if what in "ta"]
    assume(collectives)
    who, at = data.draw(st.integers(0, 2 * width - 1)), data.draw(st.sampled_from(collectives))
    programs = {
        rank: [
            {"t": f"t{rank // width}", "a": "all"}.get(what, f"p{rank % width}{what}")
            for place, what in enumerate(program)
            if (rank, place) != (who, at)
        ]
        for rank in range(2 * width)
    }
    groups = {"all": [*range(2 * width)], "t0": [*range(width)], "t1": [*range(width, 2 * width)]}
    pipelines = {f"p{n}": [n, n + width] for n in range(width)}
    text = _run(programs, groups | pipelines, n_ahead=data.draw(st.sampled_from([1, 3, 99])))
    assume("started" in text)
    with TemporaryDirectory() as folder:
        first, *_ = told(Path(folder), of_pipelines(text, groups, pipelines))
    named = {*first.at_fault, *(rank for one in first.or_else for rank in one.at_fault)}
    assert who in named, text
    assert len(named) == 1 or (width == 2 and first.or_else), text


def _run(programs: dict[int, list[str]], groups: dict[str, list[int]], n_ahead: int) -> str:
    """Of each rank what it would have issued and begun when nothing moves. A host issues `n_ahead` more than are over."""
    steps = {}
    for rank, program in programs.items():
        names = [name.rstrip("<>") for name in program]
        steps[rank] = [(name, names[: place + 1].count(names[place])) for place, name in enumerate(program)]
    n_done = dict.fromkeys(programs, 0)
    moves = True
    while moves:
        moves = False
        heads = {rank: its[n_done[rank]] for rank, its in steps.items() if n_done[rank] < len(its)}
        for head in set(heads.values()):
            members = groups[head[0].rstrip("<>")]
            both = [rank for rank in members if heads.get(rank) == head]
            if len(both) == (2 if head[0][0] == "p" else len(members)):
                n_done.update({rank: n_done[rank] + 1 for rank in both})
                moves = True
    rows = []
    for rank, its in steps.items():
        n = n_done[rank]
        states = ["done"] * n + ["started"] + ["scheduled"] * len(its)
        issued = zip(its[: n + n_ahead], states, strict=False)
        rows.append(f"{rank} | " + ", ".join(f"{name}:{number} {state}" for (name, number), state in issued))
    return "\n".join(rows)
