"""Two ranks of one job: their steps end together, so what is compared is what each needs for itself."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.doors import cli
from tb_plugin.formats.reader import read
from tb_plugin.runs import summaries
from tb_plugin.runs.catalogue import ProfileFile
from tb_plugin.views.compare import SUMS
from tb_plugin.views.compare.sums.result import SumsParams
from tests.job_files import GEMM_NS, Job
from tests.views.compare.drawn import check_closes, pair

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.compare.result import Pair
    from tb_plugin.views.compare.sums.result import ProfileSums

SLOW, PEER, OTHER = 3, 2, 0
FACTOR = 1.5


def ranks(folder: Path, n_steps: int, **fault: object) -> list[ProfileSums]:
    folder.mkdir(exist_ok=True)
    paths = Job(n_steps=n_steps, **{"slow": {SLOW: FACTOR}, **fault}).write(folder)  # type: ignore[arg-type]
    return [SUMS.answer(read(path), SumsParams()) for path in paths]


def part(found: Pair, name: str) -> tuple[int, str]:
    (one,) = [each for each in found.parts if each.part == name]
    return one.delta_ns, one.verdict


@pytest.mark.parametrize("n_steps", [3, 6])
def test_what_one_needs_more_in_each_step_is_found_and_the_other_waits_as_long(tmp_path: Path, n_steps: int) -> None:
    of = ranks(tmp_path, n_steps)
    found = pair(of[PEER], of[SLOW])
    check_closes(found)
    more = (FACTOR - 1) * GEMM_NS * Job().n_layers
    assert found.ranks == [PEER, SLOW]
    kernel, waits = part(found, "kernel"), part(found, "communication")
    assert [kernel[1], waits[1]] == ["finding", "finding"]
    assert [kernel[0], waits[0]] == pytest.approx([more, -more], rel=0.02)
    assert found.step.verdict == "noise"
    assert f"rank {SLOW} needs" in found.headline
    assert f"in the same {n_steps} steps" in found.headline
    assert f"So rank {PEER} is in collectives for" in found.headline
    assert "No difference that can be told from noise" not in found.headline
    back = pair(of[SLOW], of[PEER])
    assert (part(back, "kernel"), part(back, "communication")) == ((-kernel[0], "finding"), (-waits[0], "finding"))
    assert f"So rank {PEER} is in collectives for" in back.headline


def test_two_that_need_as_much_are_said_to(tmp_path: Path) -> None:
    of = ranks(tmp_path, 6)
    found = pair(of[OTHER], of[1])
    assert {each.verdict for each in found.parts} == {"noise"}
    assert found.headline.endswith("neither needs more in each of them.")


def test_a_difference_in_one_of_the_steps_is_none_of_each(tmp_path: Path) -> None:
    of = ranks(tmp_path, 6, slow={}, pause={(SLOW, 12): 3_000_000})
    found = pair(of[PEER], of[SLOW])
    assert found.ranks is not None
    assert {each.verdict for each in found.parts} == {"noise"}


def test_in_two_steps_it_is_no_evidence(tmp_path: Path) -> None:
    of = ranks(tmp_path, 2)
    found = pair(of[PEER], of[SLOW])
    assert {each.verdict for each in found.parts} == {"unknown"}
    assert found.headline.endswith("of 2 steps a difference, not evidence.")


def test_another_recording_of_the_job_is_another_program_s_sample(tmp_path: Path) -> None:
    """At another time; the same rank twice; and a rank of a job of another size: the usual rules hold."""
    of, later = ranks(tmp_path / "a", 6), ranks(tmp_path / "b", 6)
    assert pair(of[SLOW], later[SLOW]).ranks is None
    (path,) = (tmp_path / "b").glob(f"rank{SLOW}.*")
    trace = json.loads(gzip.decompress(path.read_bytes()))
    trace["baseTimeNanoseconds"] += 10**12
    path.write_bytes(gzip.compress(json.dumps(trace).encode()))
    assert pair(of[PEER], SUMS.answer(read(path), SumsParams())).ranks is None
    trace["baseTimeNanoseconds"] -= 10**12
    trace["distributedInfo"]["world_size"] = 8
    path.write_bytes(gzip.compress(json.dumps(trace).encode()))
    assert pair(of[PEER], SUMS.answer(read(path), SumsParams())).ranks is None


def test_the_shell_says_whom_each_waits_for_and_no_build_fails_of_three_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = Job(slow={SLOW: FACTOR}).write(tmp_path)
    for path in paths:
        assert summaries.make((ProfileFile.of(str(path), path.stat()),)) is None
    assert cli.main(["compare", str(paths[PEER]), str(paths[SLOW]), "--fail-if", "kernel>+10us"]) == 4
    said = capsys.readouterr().out
    assert f"From all ranks: Rank {PEER} waits" in said
    assert f"for rank {SLOW}" in said
    assert "From all ranks: The other ranks wait for this one" in said
