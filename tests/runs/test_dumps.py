"""Dumps of flight recorders as files: found by name and content, read without running anything, each bad one named."""

from __future__ import annotations

import json
import os
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.doors.cli import main
from tb_plugin.formats.pickled.flight_recorder import read_dump
from tb_plugin.runs.dumps import find_dumps, read_dumps
from tests.dump_files import drawn, write

if TYPE_CHECKING:
    from pathlib import Path

HANGS = "0 | all:1 done, all:2 started\n1 | all:1 done"
GROUP = {"all": [0, 1]}


class _Runs:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.marker}",)


@pytest.mark.parametrize("place", ["instead", "entry", "frame"])
def test_code_in_a_dump_is_never_run(tmp_path: Path, place: str) -> None:
    marker = tmp_path / "was_run"
    dumps = drawn(HANGS, GROUP)
    if place == "instead":
        dumps[1] = {"entries": _Runs(marker)}
    elif place == "entry":
        dumps[1]["entries"][0] = _Runs(marker)
    else:
        dumps[1]["entries"][0]["frames"][0]["name"] = _Runs(marker)
    found, broken = read_dumps(*find_dumps(write(tmp_path / "dumps", dumps)))
    assert [dump.rank for dump in found] == [0]
    assert "not a flight-recorder dump: it holds posix.system" in {one.file: one.reason for one in broken}["nccl_trace_rank_1"]
    assert not marker.exists()


def test_pickle_and_json_say_the_same(tmp_path: Path) -> None:
    dumps = drawn(HANGS, GROUP)
    a, b = (read_dumps(*find_dumps(write(tmp_path / form, dumps, form)))[0] for form in ("pickle", "json"))
    assert a == b
    assert [one.sequence for one in a[0].issued] == [1, 2]


def test_an_empty_a_cut_and_a_foreign_file_are_named_and_the_rest_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, drawn(HANGS, GROUP))
    (folder / "nccl_trace_rank_2").write_bytes(b"")
    whole = pickle.dumps(drawn("3 | all:1 done", GROUP)[3])
    (folder / "nccl_trace_rank_3").write_bytes(whole[: len(whole) // 2])
    (folder / "notes_7").write_text("not a dump")
    (folder / "rank_8").write_text(json.dumps({"version": "1", "pg_config": {}}))
    assert main(["hang", str(folder)]) == 3
    said = capsys.readouterr().out
    assert said.startswith("2 dumps read. Rank 1 never issued all_reduce 2 of all group; rank 0 waits in it.")
    assert "rank 1 (at fault), last all_reduce 1 of all group\n    train.py:5 step" in said
    assert "note: nccl_trace_rank_2: the dump is empty" in said
    assert "note: nccl_trace_rank_3: a damaged or incomplete flight-recorder dump" in said
    assert "note: rank_8: not a flight-recorder dump: it has no entries" in said
    assert "notes_7" not in said


@pytest.mark.parametrize(
    "entries",
    [5, [5], [{"process_group": "x"}], [{"process_group": ["a", "b"], "collective_seq_id": "x", "profiling_name": "y"}]],
)
def test_what_is_no_dump_is_one_clear_error(tmp_path: Path, entries: Any) -> None:
    path = tmp_path / "rank_0"
    path.write_bytes(pickle.dumps({"entries": entries}))
    with pytest.raises(FormatError, match="not a flight-recorder dump"):
        read_dump(path)


def test_lists_that_are_repeated_without_end_are_cut(tmp_path: Path) -> None:
    """2 000 entries that share one list of 100 000 frames."""
    frames = [{"name": "f", "filename": "a.py", "line": 1}] * 100_000
    dump = drawn("0 | all:1 done", GROUP)[0]
    dump["entries"] = [{**dump["entries"][0], "frames": frames, "input_sizes": [[1] * 100_000] * 1000}] * 2000
    path = tmp_path / "rank_0"
    path.write_bytes(pickle.dumps(dump))
    assert len(read_dump(path).issued[0].frames) < 100


def test_a_file_that_is_named_as_the_good_dumps_is_refused_with_its_reason(tmp_path: Path) -> None:
    folder = write(tmp_path / "dumps", drawn("0 | all:1 done\n1 | all:1 done", GROUP))
    (folder / "nccl_trace_rank_2").write_text("<html>")
    (folder / "notes_7").write_text("not one of them")
    found, broken = read_dumps(*find_dumps(folder))
    assert [dump.rank for dump in found] == [0, 1]
    assert [one.file for one in broken] == ["nccl_trace_rank_2"]


def test_the_shell_says_when_there_is_no_hang_and_no_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "job" / "fr", drawn("0 | all:1 done\n1 | all:1 done", GROUP))
    assert main(["hang", str(tmp_path / "job")]) == 0
    assert "no hang" in capsys.readouterr().out
    dumps = drawn("0 | all:1 done\n1 | all:1 done", {})  # as gloo: a third rank would not be missed
    for dump in dumps.values():
        dump["pg_config"] = {}
    write(tmp_path / "gloo", dumps)
    assert main(["hang", str(tmp_path / "gloo")]) == 0
    said = capsys.readouterr().out
    assert "no hang" not in said
    assert "where one above rank 1 left none, a hang cannot be told" in said
    (tmp_path / "none").mkdir()
    assert main(["hang", str(tmp_path / "none")]) == 1
    assert main(["hang", str(tmp_path / "missing")]) == 1
    assert main(["hang", str(tmp_path / "job"), "--format", "json"]) == 0
    capsys.readouterr()


def test_where_all_dumps_are_refused_each_is_named_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    marker = tmp_path / "was_run"
    folder = tmp_path / "dumps" / "fr"
    folder.mkdir(parents=True)
    (folder / "nccl_trace_rank_0").write_bytes(pickle.dumps(_Runs(marker)))
    (folder / "nccl_trace_rank_1").write_bytes(b"garbage")
    assert main(["hang", str(tmp_path / "dumps")]) == 1
    said = capsys.readouterr().err
    assert "nccl_trace_rank_0: not a flight-recorder dump: it holds posix.system" in said
    assert "nccl_trace_rank_1: a damaged or incomplete flight-recorder dump" in said
    assert " more" not in said
    assert not marker.exists()
    for rank in range(2, 20):
        (folder / f"nccl_trace_rank_{rank}").write_bytes(b"garbage")
    assert main(["hang", str(folder)]) == 1
    assert capsys.readouterr().err.endswith("; and 12 more\n")
