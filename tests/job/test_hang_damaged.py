"""Dumps that are damaged, or there in two forms: a verdict stands on what is left, and says it once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.runs.dumps import read_folders
from tb_plugin.views.ranks.hang.hang import HangReport, hangs_of, hangs_text
from tests.dump_files import drawn, of_gloo, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GROUP = {"all": [0, 1, 2, 3]}
DRAWN = "\n".join(f"{rank} | all:1 done, all:2 done, all:3 done{', all:4 started' if rank != 2 else ''}" for rank in range(4))
VERDICT = "Rank 2 never issued all_reduce 4 of all group; ranks 0-1, 3 wait in it."


def report(folder: Path) -> HangReport:
    (one,) = hangs_of(read_folders([folder])).hangs
    return one


def test_the_same_dumps_in_two_forms_are_one_hang_with_what_says_more(tmp_path: Path) -> None:
    dumps = drawn(DRAWN, GROUP)
    bare: dict[int, Any] = {
        rank: {**dump, "entries": [{**one, "frames": []} for one in dump["entries"]]} for rank, dump in dumps.items()
    }
    write(tmp_path / "a_json", bare, "json")
    write(tmp_path / "fr", dumps)
    one = report(tmp_path)
    assert (one.place, one.verdict) == ("fr", VERDICT)
    assert all(stack.frames for stack in one.stacks)


def test_a_folder_that_holds_each_dump_in_two_forms_has_it_once(tmp_path: Path) -> None:
    dumps = drawn(DRAWN, GROUP)
    write(tmp_path, dumps)
    for rank, dump in dumps.items():
        (tmp_path / f"nccl_trace_rank_{rank}.json").write_bytes(msgspec.json.encode(dump))
    one = report(tmp_path)
    assert (one.verdict, one.n_dumps, one.broken) == (VERDICT, 4, [])


def _of_another_description(entries: list[dict[str, Any]]) -> None:
    entries[1]["process_group"] = ("0", "dmfault_pg")


def _of_another_name(entries: list[dict[str, Any]]) -> None:
    for entry in entries:
        entry["process_group"] = ("p", "default_pg")


@pytest.mark.parametrize("damage", [_of_another_description, _of_another_name])
def test_who_names_a_group_as_nobody_else_left_a_damaged_dump(
    tmp_path: Path, damage: Callable[[list[dict[str, Any]]], None]
) -> None:
    """It was waited for, or waited in a group of its own."""
    dumps = of_gloo(DRAWN)
    damage(dumps[1]["entries"])
    one = report(write(tmp_path, dumps))
    assert one.verdict is not None
    assert one.verdict.startswith("Rank 2 never issued all_reduce 4 of default_pg; ranks 0, 3 wait in it. Rank 1 left a dump")
    assert [(each.rank, each.reason.partition(":")[0]) for each in one.broken] == [(1, "damaged")]
    assert "is 0 (default_pg) on others" in one.broken[0].reason


def test_what_is_over_on_all_others_and_followed_by_what_is_over_is_over(tmp_path: Path) -> None:
    """An entry whose `retired` cannot be read: the job was said to hang there."""
    dumps = of_gloo(DRAWN)
    dumps[1]["entries"][1]["retired"] = False
    assert report(write(tmp_path, dumps)).verdict == "Rank 2 never issued all_reduce 4 of default_pg; ranks 0-1, 3 wait in it."


def test_where_nothing_later_is_over_what_is_over_on_others_is_open(tmp_path: Path) -> None:
    one = report(write(tmp_path, drawn("0 | all:1 done\n1 | all:1 started\n2 | all:1 done\n3 | all:1 done", GROUP)))
    assert one.verdict is not None
    assert "it is over on ranks 0, 2-3 and not on rank 1" in one.verdict


def test_names_of_halves_of_characters_can_be_written(tmp_path: Path) -> None:
    dumps = drawn(DRAWN, GROUP)
    for dump in dumps.values():
        dump["entries"][-1]["profiling_name"] = "nccl:all_\ud800reduce"
        dump["entries"][-1]["frames"][-1]["name"] = "step\udfff"
    found = hangs_of(read_folders([write(tmp_path, dumps)]))
    assert hangs_text(found).encode()
    assert msgspec.json.encode(found)


@pytest.mark.parametrize(
    ("place", "number", "why"),
    [
        (1, 18, "damaged: 18 of all group is followed by 3 in it"),
        (2, 35, "damaged: 35 of all group is followed by 4 in it"),
        (1, 3, "damaged: it has 1 of all group and later ones, and not 2, as others do"),
        (2, 1, "damaged: it has 2 of all group and later ones, and not 3, as others do"),
        (3, 2, "damaged: 3 of all group is followed by 2 in it"),
    ],
)
@pytest.mark.parametrize("form", ["pickle", "json"])
def test_whose_numbers_contradict_each_other_left_a_damaged_dump(
    tmp_path: Path, place: int, number: int, why: str, form: str
) -> None:
    """One bit fell over in it: each rank counts for itself, and has no gap."""
    dumps = drawn(DRAWN, GROUP)
    dumps[1]["entries"][place]["collective_seq_id"] = number
    one = report(write(tmp_path, dumps, form))
    assert one.verdict == (
        f"Rank 2 never issued all_reduce 4 of all group; ranks 0, 3 wait in it. Rank 1 left a dump that cannot be read ({why})."
    )
    assert [(each.rank, each.reason) for each in one.broken] == [(1, why)]


def test_a_number_that_nobody_has_and_a_group_that_was_made_again_are_no_damage(tmp_path: Path) -> None:
    """Of a group that a few ranks made again all numbers are there twice."""
    counted = {1: 1, 2: 3, 3: 4, 4: 5}
    dumps = drawn(DRAWN, GROUP)
    for dump in dumps.values():
        for entry in dump["entries"]:
            entry["collective_seq_id"] = counted[entry["collective_seq_id"]]
    again = "\n".join(f"{rank} | tp:1 done, tp:2 done, tp:1 done, tp:2 done, tp:3 started" for rank in range(2))
    made_again = drawn(again, {"tp": [0, 1]})
    said = "Rank 2 never issued all_reduce 5 of all group;", "All ranks issued all_reduce 3"
    for found, verdict in zip((dumps, made_again), said, strict=True):
        one = report(write(tmp_path / str(len(found)), found))
        assert one.verdict is not None
        assert one.verdict.startswith(verdict)
        assert one.broken == []


def test_a_send_that_a_third_rank_says_to_have_issued_is_passed_over(tmp_path: Path) -> None:
    """Its name says between which ranks it is, and its own is neither."""
    dumps = drawn(DRAWN, GROUP)
    entries = dumps[3]["entries"]
    entries.append({**entries[-1], "record_id": 9, "is_p2p": True, "p2p_seq_id": 1, "profiling_name": "nccl:send 0->1"})
    assert report(write(tmp_path, dumps)).verdict == VERDICT


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_what_else_a_dump_holds_is_passed_over(tmp_path: Path, form: str) -> None:
    dumps = drawn(DRAWN, GROUP)
    more = {"fr_extra": {"a": [1, None, {"b": 2.5}]}, "all": None, "": "", "is_done": "no"}
    for dump in dumps.values():
        dump |= more
        dump["pg_config"]["all"] |= more
        for entry in dump["entries"]:
            entry |= more
            entry["frames"][0] |= more
    one = report(write(tmp_path, dumps, form))
    assert (one.verdict, one.broken) == (VERDICT, [])
