"""`tb-plugin compare` as a build runs it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.doors import cli
from tests.doors.servers import environment
from tests.profiles import real, sample
from tests.runs.small import chrome_json, put

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Compare = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def compare(tmp_path: Path) -> Compare:
    """Runs `tb-plugin compare` with these words."""

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tb_plugin.doors.cli", "compare", *map(str, words)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, env=environment(tmp_path / "env"), cwd=tmp_path
        )

    return run


def test_every_format_and_what_fails_in_one_line(compare: Compare, tmp_path: Path) -> None:
    a, b = sample("cuda"), sample("rocm")
    done = compare(a, b, "--by", "operator")
    assert (done.returncode, done.stderr) == (0, "")
    assert "step = the sum" in done.stdout
    found = json.loads(compare(a, b, "--format", "json").stdout)
    (pair,) = found["pairs"]
    assert sum(part["delta_ns"] for part in pair["parts"]) == pair["step"]["delta_ns"] == pair["rows"][0]["delta_ns"]
    assert compare(a, b, "--format", "csv").stdout.startswith("b,id,parent,depth,kind,name,a_ns,b_ns,delta_ns")
    assert compare(a, b, "--format", "markdown").stdout.startswith("### `")
    assert compare(a, b, a, "--format", "csv", "--matrix").stdout.startswith("kind,name,")
    broken = put(tmp_path / "broken.pt.trace.json", b"<html>")
    assert "name its profile" in compare(a, put(tmp_path / "w.1.pt.summary", b"{}")).stderr
    for words, code in (
        ((a, broken), 1),
        ((a, tmp_path / "none.json"), 1),
        ((a,), 2),
        ((a, b, "--noise", "much"), 2),
        ((a, b, "--matrix"), 2),
    ):
        done = compare(*words)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (code, "", 1), done.stderr


def test_a_run_is_its_spans_and_a_log_directory_of_several_is_refused(compare: Compare, tmp_path: Path) -> None:
    for run in "ab":
        for span in (1, 2):
            put(tmp_path / "logs" / run / f"w.{span}.pt.trace.json", chrome_json(2))
    done = compare(tmp_path / "logs" / "a", tmp_path / "logs" / "b", "--fail-if-slower", "5%")
    assert done.returncode == 0, done.stderr
    assert "A a (2 recordings, 2 steps)" in done.stdout
    done = compare(tmp_path / "logs", tmp_path / "logs" / "b")
    assert done.returncode == 2
    assert "holds 2 runs: name one" in done.stderr


def test_one_step_against_a_slower_one_cannot_be_told(compare: Compare, tmp_path: Path) -> None:
    a, b = (put(tmp_path / f"{n}.pt.trace.json", chrome_json(n)) for n in (2, 3))
    done = compare(a, b, "--fail-if-slower", "5%")
    assert done.returncode == 4
    assert "cannot be told from noise" in done.stderr
    assert "not evidence" in done.stdout
    assert compare(a, b, "--fail-if-slower", "5%", "--strict").returncode == 3
    assert compare(b, a, "--fail-if-slower", "5%").returncode == 0


def test_real_workers_gone_are_3(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("v100_resnet50_workers4_a", "v100_resnet50_workers0_a", "v100_resnet50_workers0_b")
    found = {path.name.removesuffix(".json.gz"): str(path) for path in real(*names)}
    if len(found) < len(names):
        pytest.skip("the traces are not beside the checkout")
    assert cli.main(["compare", found[names[0]], found[names[1]], "--fail-if-slower", "5%"]) == 3
    assert cli.main(["compare", found[names[2]], found[names[1]], "--steps", "5-7,16-18", "--fail-if-slower", "5%"]) == 4
    assert "cannot be told" in capsys.readouterr().err


def test_a_baseline_says_what_its_profile_said_when_that_is_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    a = put(tmp_path / "a" / "w.1.pt.trace.json.gz", sample("cuda").read_bytes())

    def said(*words: object, code: int = 0) -> dict[str, Any]:
        assert cli.main(["compare", *map(str, words), "--format", "json"]) == code
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    fresh = said(a.parent, sample("rocm"))
    assert cli.main(["baseline", "a", "--into", "ci"]) == 0
    assert "6 steps" in capsys.readouterr().err
    a.unlink()
    kept = said("ci/@baseline", sample("rocm"))
    assert kept["a"]["label"].startswith("baseline ")
    assert kept["pairs"][0]["rows"] == fresh["pairs"][0]["rows"]
    assert kept["pairs"][0]["step"] == fresh["pairs"][0]["step"]
    assert said(tmp_path / "ci" / "torch_profile_baseline.json", sample("rocm"))["pairs"] == kept["pairs"]


def test_a_baseline_that_is_none_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def why(*words: object) -> str:
        assert cli.main(["compare", "@baseline", str(sample("cuda")), *map(str, words)]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        return line

    assert "`tb-plugin baseline RUN` writes one" in why()
    assert cli.main(["baseline", str(sample("cuda"))]) == 0
    capsys.readouterr()
    assert "the baseline is per step" in why("--per", "forward")
    place = tmp_path / "torch_profile_baseline.json"
    whole = json.loads(place.read_text())
    broken = {"view/compare/sums": {"params": {}, "answers": [{"recorded": 1}]}}
    spoils: list[dict[str, Any]] = [
        {"version": 99},
        {"version": 1, "question": "view/compare/sums"},
        {"kept": {}},
        {"kept": broken},
    ]
    for spoilt in spoils:
        place.write_text(json.dumps(whole | spoilt, separators=(",", ":")))
        assert "another version" in why()
    place.write_text('{"kind":"torch_profile_baseline"')
    assert "not a baseline" in why()


def test_trends_hold_the_newest_against_a_kept_baseline_and_what_is_marked_as_normal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    logs = tmp_path / "logs"
    put(logs / "main" / "w.1700000000000.pt.trace.json.gz", sample("cuda").read_bytes())
    gated = ["trends", str(logs), "--fail-if-slower", "5%", "--against", "baseline"]
    assert cli.main(gated) == 4
    assert "`tb-plugin baseline RUN --into LOGDIR` keeps one" in capsys.readouterr().err
    assert cli.main(["baseline", str(logs / "main"), "--into", str(logs)]) == 0
    assert cli.main(gated) == 0
    assert "step time 0.0 % against the kept baseline of 1 profile" in capsys.readouterr().out
    assert cli.main(["baseline", str(sample("rocm")), "--into", str(logs)]) == 0
    assert cli.main(gated) == 4
    assert "the kept baseline has device" in capsys.readouterr().err
    (logs / "torch_profile_baseline.json").write_text('{"kind":"torch_profile_baseline"}')
    assert cli.main(gated) == 4
    assert "another version" in capsys.readouterr().err

    assert cli.main(["normal", str(logs), "--run", "other", "--reason", "x"]) == 1
    assert "main" in capsys.readouterr().err
    assert cli.main(["normal", str(logs), "--run", "main", "--span", "7", "--reason", "x"]) == 1
    capsys.readouterr()
    assert cli.main(["normal", str(logs), "--run", "main", "--reason", "cuDNN <9>"]) == 0
    with (logs / "torch_profile_new_normal.jsonl").open("a") as file:
        file.write("main is normal\n")
    capsys.readouterr()
    assert cli.main(["trends", str(logs)]) == 0
    said = capsys.readouterr()
    assert "since main · 1700000000000: new normal: cuDNN <9>" in said.out
    assert "torch_profile_new_normal.jsonl, line 2: " in said.err


def test_two_steps_of_one_file_say_why_one_is_longer(compare: Compare) -> None:
    done = compare(sample("cuda"), "--steps", "6", "--steps", "5", "--by", "operator")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^Step [56] takes .* step [56] \(", done.stdout, re.MULTILINE)
    assert "· step 6 (1 step)" in done.stdout.splitlines()[0]
    assert "--steps: once for all, or for each of the 2, not 3 times" in compare("a", "b", *["--steps", "3"] * 3).stderr
