from __future__ import annotations

import csv
import io
import json
import mmap
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tb_plugin import __version__, views
from tb_plugin.doors import ask, cli
from tb_plugin.formats import reader
from tb_plugin.formats.kineto import kineto_json
from tb_plugin.trace.check import InconsistentTraceError
from tests.doors.servers import environment, get, get_json, serve
from tests.profiles import sample
from tests.runs.small import chrome_json, put

if TYPE_CHECKING:
    from collections.abc import Callable

    Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Runs `tb-plugin` with these words, here: a process takes most of its time to begin. `in_a_process` is the same in one."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        try:
            code = cli.main([*map(str, words)])
        except SystemExit as end:
            code = int(end.code or 0)
        return subprocess.CompletedProcess([*map(str, words)], code, *capsys.readouterr())

    return run


def in_a_process(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tb_plugin", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False, env=environment(folder / "env"), cwd=folder
    )


def fails(done: subprocess.CompletedProcess[str], code: int) -> str:
    """One line on stderr, nothing on stdout."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("tb-plugin: ")
    return line


@pytest.mark.parametrize("view", [view.id for view in views.OF_ONE])
def test_each_view_speaks_text_json_and_csv(view: str, capsys: pytest.CaptureFixture[str]) -> None:
    def said(form: str) -> str:
        assert cli.main([view, str(sample("cuda")), "--format", form]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    assert len(said("text").splitlines()) > 3
    assert isinstance(json.loads(said("json")), dict)
    header, *rows = csv.reader(io.StringIO(said("csv")))
    assert rows
    assert {len(row) for row in rows} == {len(header)}


def test_json_has_the_documented_fields(shell: Shell) -> None:
    path = sample("cuda")
    operators = json.loads(shell("operators", path, "--format", "json").stdout)["rows"][0]
    assert {"name", "count", "host_self_ns", "host_total_ns", "device_self_ns", "device_total_ns"} <= operators.keys()
    kernels = json.loads(shell("kernels", path, "--format", "json").stdout)["rows"][0]
    assert {"name", "count", "total_ns", "mean_ns", "min_ns", "max_ns"} <= kernels.keys()
    overview = json.loads(shell("overview", path, "--format", "json").stdout)
    assert {"name", "start_ns", "duration_ns", "breakdown_ns"} <= overview["steps"][0].keys()
    assert {"index", "name", "busy_ns", "window_ns", "utilization"} <= overview["devices"][0].keys()


def test_parameters_of_a_view_are_options(shell: Shell, tmp_path: Path) -> None:
    path = put(tmp_path / "trace.json")
    done = shell("operators", path, "--group-by", "shapes", "--format", "json", "--check")
    assert json.loads(done.stdout)["group_by"] == "shapes"
    assert "--group-by {name,shapes,call_site,module,category}" in shell("operators", "--help").stdout
    assert "'colour'" in fails(shell("operators", path, "--group-by", "colour"), 2)
    assert "top" in fails(shell("overview", path, "--top", "many"), 2)


def count_of_mm(done: subprocess.CompletedProcess[str]) -> object:
    return next(row["count"] for row in json.loads(done.stdout)["rows"] if row["name"] == "aten::mm")


def test_a_directory_shows_the_newest_span_of_its_first_worker_and_says_how_to_choose(shell: Shell, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "exp" / "w2.9.pt.trace.json", chrome_json(1))
    put(tmp_path / "logs" / "exp" / "w2.10.pt.trace.json", chrome_json(2))
    put(tmp_path / "logs" / "exp" / "w10.11.pt.trace.json", chrome_json(3))
    done = shell("operators", "logs", "--format", "json")
    assert count_of_mm(done) == 2
    (line,) = done.stderr.splitlines()
    assert "--run exp --worker w2 --span 10" in line
    assert "3 profiles" in line
    chosen = shell("operators", "logs", "--run", "exp", "--worker", "w2", "--span", "9", "--format", "json")
    assert count_of_mm(chosen) == 1
    assert chosen.stderr == ""
    assert "no worker 'w3'" in fails(shell("operators", "logs", "--worker", "w3"), 1)


def test_a_broken_stored_form_in_a_directory_falls_back_to_the_json(shell: Shell, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "w.1.pt.trace.json")
    put(tmp_path / "logs" / "w.1.pt.profile.pb", b"rubbish")
    done = shell("overview", "logs", "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["issues"][0]["kind"] == "file_not_readable"


def test_errors_are_one_line_with_a_code(shell: Shell, tmp_path: Path) -> None:
    put(tmp_path / "empty.json", b"")
    (tmp_path / "nothing").mkdir()
    assert "nowhere.json" in fails(shell("overview", "nowhere.json"), 1)
    assert "empty" in fails(shell("overview", "empty.json"), 1)
    assert "*.pt.trace.json.gz" in fails(shell("overview", "nothing"), 1)
    assert "--worker" in fails(shell("overview", put(tmp_path / "t.json"), "--worker", "w"), 2)
    fails(shell("overview"), 2)
    fails(shell("no-such-command"), 2)
    fails(shell(), 2)


def test_the_package_is_the_command_and_says_its_version(tmp_path: Path) -> None:
    assert in_a_process(tmp_path, "--version").stdout == f"tb-plugin {__version__}\n"


def test_a_process_ends_with_the_code_of_what_was_asked(tmp_path: Path) -> None:
    assert "nowhere.json" in fails(in_a_process(tmp_path, "overview", "nowhere.json"), 1)


def test_convert_writes_the_same_profile_in_the_stored_form(shell: Shell, tmp_path: Path) -> None:
    source, target = put(tmp_path / "t.json.gz", chrome_json(9)), tmp_path / "t.pt.profile.pb"
    done = shell("convert", source, target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert reader.read(target).events.start_ns.tolist() == reader.read(source).events.start_ns.tolist()
    fails(shell("convert", source, tmp_path / "t.json.pbtxt"), 2)
    fails(shell("convert", source, tmp_path / "no" / "such" / "t.pt.profile.pb"), 1)


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    path = put(tmp_path / "t.json", chrome_json(3))
    command = f"{sys.executable} -m tb_plugin.doors.cli operators {path} --format json | true"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=240, check=False, env=environment(tmp_path), cwd=tmp_path
    )
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full here")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    path = put(tmp_path / "t.json", chrome_json(3))
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "tb_plugin.doors.cli", "operators", str(path)]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=240, check=False, env=environment(tmp_path)
        )
    assert (done.stderr, done.returncode) == ("tb-plugin: standard output: No space left on device\n", 1)


@pytest.mark.skipif(sys.platform == "win32", reason="no such shell")
@pytest.mark.parametrize(("closed", "code"), [(">&-", 1), ("2>&-", 0), ("<&- 2>&-", 0)])
def test_streams_that_a_shell_closed_are_no_failure(closed: str, code: int, tmp_path: Path) -> None:
    path = put(tmp_path / "t.json", chrome_json(3))
    command = f"{sys.executable} -m tb_plugin.doors.cli operators {path} --format csv {closed}"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, timeout=240, check=False, env=environment(tmp_path), cwd=tmp_path
    )
    assert done.returncode == code
    if code:
        assert done.stderr == "tb-plugin: standard output is closed\n"
    else:
        assert done.stdout.count("\n") > 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.json")
    said = fails(in_a_process(tmp_path, "overview", tmp_path / "t.json"), 1)
    assert said.endswith("t.json: a pipe or a device, and no file: write it to a file first")


def test_a_directory_opens_with_what_can_be_read_and_says_what_cannot(shell: Shell, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "new" / "w0.1717000000999.pt.trace.json", b"<html>")
    put(tmp_path / "logs" / "new" / "w1.1717000000999.pt.trace.json", chrome_json(3, rank=None))
    put(tmp_path / "logs" / "old" / "w.1717000000111.pt.trace.json")
    done = shell("timeline", tmp_path / "logs")
    assert done.returncode == 0
    assert "w0.1717000000999.pt.trace.json cannot be read" in done.stderr
    assert "showing --run new --worker w1" in done.stderr
    named = ("--run", "new", "--worker", "w0", "--span", "1717000000999")
    assert "not a PyTorch profile" in fails(shell("timeline", tmp_path / "logs", *named), 1)


def test_filters_that_leave_nothing_are_said(shell: Shell, tmp_path: Path) -> None:
    path = put(tmp_path / "w.1.pt.trace.json", chrome_json(3))
    done = shell("operators", path, "--inside", "never called")
    assert (done.returncode, done.stderr) == (0, "tb-plugin: No event of this profile passes all filters.\n")
    assert "steps=99: this profile has steps 0" in fails(shell("operators", path, "--steps", "99"), 1)
    assert "there is no row 'nope'" in fails(shell("operators/details", path, "--name", "nope"), 1)
    assert "top='-1': expected `int` >= 0" in fails(shell("overview", path, "--top", "-1"), 2)


def test_serve_shows_the_page_and_the_profiles_and_ends_quietly(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "exp" / "w.1.pt.trace.json")
    with serve(tmp_path / "scratch", tmp_path / "logs") as address:
        assert get_json(f"{address}/api/v1/runs")[1]["runs"][0]["name"] == "exp"
        assert get_json(f"{address}/api/v1/view/overview?run=exp")[0] == 200
        assert get(f"{address}/static/index.js")[0] == 200
    assert (tmp_path / "scratch" / "said.log").read_text().splitlines() == [f"{address}/  (Ctrl-C ends it)"]


def test_serve_says_why_it_cannot(shell: Shell, tmp_path: Path) -> None:
    assert "no such directory" in fails(shell("serve", tmp_path / "nowhere"), 1)
    assert "s3://" in fails(shell("serve", "s3://bucket/logs"), 2)
    (tmp_path / "logs").mkdir()
    assert "port 99999" in fails(in_a_process(tmp_path, "serve", tmp_path / "logs", "--port", "99999"), 2)


def test_a_profile_that_breaks_its_own_rules_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_trace: object) -> None:
        raise InconsistentTraceError("events are not sorted")

    monkeypatch.setattr(ask, "check", broken)
    path = str(put(tmp_path / "w.1.pt.trace.json"))
    assert cli.main(["operators", path, "--check"]) == 1
    assert capsys.readouterr().err == "tb-plugin: inconsistent trace: events are not sorted\n"
    assert cli.main(["operators", path]) == 0


def test_the_shell_asks_what_is_behind_a_row_and_a_window_of_the_timeline(shell: Shell, tmp_path: Path) -> None:
    path = put(tmp_path / "w.1.pt.trace.json", chrome_json(4))
    found = json.loads(shell("operators/details", path, "--name", "aten::mm", "--kind", "operator", "--format", "json").stdout)
    assert found["count"] == 4
    blocks = list(csv.DictReader(io.StringIO(shell("timeline/window", path, "--width-px", "9999", "--format", "csv").stdout)))
    assert sum(int(block["count"]) for block in blocks if block["longest_name"] == "aten::mm") == 4
    assert [
        row["duration_ns"] for row in json.loads(shell("timeline/search", path, "--q", "mm", "--format", "json").stdout)["hits"]
    ]
    assert "aten::mm" in shell("timeline/window", path).stdout
    assert shell("choices", path).returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")
@pytest.mark.parametrize(("command", "written"), [(["overview"], []), (["convert"], ["x.pt.profile.pb"])])
def test_a_file_is_read_under_limits(
    command: list[str], written: list[str], shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's file of 2 kB that asks for 3 GB."""

    def greedy(*_: object) -> None:
        bytearray(3 << 30)

    def roomy() -> bool:
        """The same, but that nothing of it is written, which takes a second."""
        mmap.mmap(-1, 3 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
        return True

    monkeypatch.setattr("tb_plugin.formats.reader._read", greedy)
    path = put(tmp_path / "w.pt.trace.json")
    line = fails(shell(*command, path, *written), 1)
    assert "more memory than it may" in line
    assert line.endswith("--no-limits lets it go on")
    roomy()  # and this process is as free as before
    monkeypatch.setattr("tb_plugin.formats.reader._read", lambda *args: roomy() and kineto_json.read(*args))
    assert shell(*command, path, *written, "--no-limits").returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")
@pytest.mark.parametrize(
    ("work", "said"),
    [("bytearray(3 << 30)", "takes more than 2.50 GiB of memory"), ("while True: pass", "takes more than 1 s of processor time")],
)
def test_an_answer_is_worked_out_under_limits(work: str, said: str, tmp_path: Path) -> None:
    path = put(tmp_path / "w.pt.trace.json")
    program = f"""
import sys
from tb_plugin.base import child_process
from tb_plugin.doors import cli
child_process._ANSWER_CPU_S = 1
object.__setattr__(cli.QUESTIONS["view/overview"], "answer", lambda *_: exec({work!r}))
sys.exit(cli.main(["overview", {str(path)!r}]))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(tmp_path / "env"))
    line = fails(done, 1)
    assert said in line
    assert line.endswith("too much for its size; --no-limits lets it go on")


def test_a_file_that_is_cut_off_or_still_being_written_is_said_to_be(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path / "w.pt.trace.json", chrome_json(40)[:-900])
    told = r"Every figure is of the part that could be read \([\d,]+ events\): the file ends before its list of events does"
    assert re.match(rf"tb-plugin: w\.pt\.trace\.json: {told}", shell("operators", path).stderr)

    def grows(*args: object) -> object:
        with path.open("ab") as file:
            file.write(b" ")
        return read(*args)

    read: Callable[..., object] = reader._read
    monkeypatch.setattr(reader, "_read", grows)
    assert re.match(rf"tb-plugin: w\.pt\.trace\.json is still being written: {told}", shell("operators", path).stderr)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")
@pytest.mark.parametrize("stage", ["reading", "answering"])
def test_a_call_that_does_not_come_back_to_python_is_ended_with_one_line(stage: str, tmp_path: Path) -> None:
    path = put(tmp_path / "w.pt.trace.json")
    program = f"""
import itertools, sys
from tb_plugin.base import child_process
from tb_plugin.doors import cli
from tb_plugin.formats import reader
child_process._ANSWER_CPU_S = child_process._CPU_GRACE_S = child_process._CPU_S = 1
stuck = lambda *_: sum(itertools.repeat(0))
if {stage!r} == "reading":
    reader._read = stuck
object.__setattr__(cli.QUESTIONS["view/overview"], "answer", stuck)
sys.exit(cli.main(["overview", {str(path)!r}]))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(tmp_path / "env"), timeout=240)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "")
    assert line.startswith("tb-plugin: ")
    assert line.endswith("takes more than 1 s of processor time, too much for its size, and does not come back: ended")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit it otherwise")
@pytest.mark.parametrize(
    "error", ['ImportError("x.so: failed to map segment")', "MemoryError()", 'SystemError("no exception set")']
)
def test_where_there_is_no_memory_to_load_numpy_one_line_says_so(error: str, tmp_path: Path) -> None:
    """As it ends under `ulimit -v` 60, 110 and 120 MB; which of these comes where depends on the machine."""
    put(tmp_path / "numpy" / "__init__.py", f"raise {error}".encode())
    path = put(tmp_path / "w.pt.trace.json")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from tb_plugin.doors import command; sys.exit(command.main())"
    command = ["bash", "-c", f'ulimit -v 8000000; exec "$0" -c "$1" operators {path}', sys.executable, program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(tmp_path / "env"))
    assert fails(done, 1).startswith("tb-plugin: there is not enough memory; ulimit -v allows 8192 MB (")
    without_limit = subprocess.run(
        [sys.executable, "-c", program, "operators", str(path)], capture_output=True, text=True, check=False
    )
    assert ("Traceback" in without_limit.stderr) == (error != "MemoryError()")  # where an installation breaks has to be known


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list them")
def test_the_shell_starts_no_threads_before_it_has_work(tmp_path: Path) -> None:
    """Each takes room for its stack, and OpenBLAS complains where `ulimit -v` leaves none."""
    program = "import tb_plugin.doors.cli, numpy, os; print(len(os.listdir('/proc/self/task')))"
    env = {key: value for key, value in environment(tmp_path).items() if not key.endswith("_NUM_THREADS")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
    assert done.stdout == "1\n"


def test_a_limit_of_trends_that_cannot_be_told_is_said_beside_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path / "logs" / "a" / "w.1.pt.trace.json")
    limited = ["trends", str(tmp_path / "logs"), "--fail-if-slower", "5%"]
    for form in ("text", "csv", "jsonl", "openmetrics"):
        assert cli.main([*limited, "--only", "no such run", "--format", form]) == 4
        assert "no profile is taken: whether the newest is worse cannot be told" in capsys.readouterr().err
    assert cli.main([*limited, "--format", "csv"]) == 4
    assert "all runs: too few: " in capsys.readouterr().err
    assert cli.main([*limited[:2], "--only", "no such run"]) == 0
    assert capsys.readouterr().err == ""


def test_a_limit_without_percent_is_refused_and_the_help_shows_one_with_it(shell: Shell, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a" / "w.1.pt.trace.json")
    for number in ("5", "0.05"):
        assert "as 5%" in fails(shell("trends", tmp_path / "logs", "--fail-if-slower", number), 2)
    done = shell("trends", "--help")
    assert done.returncode == 0
    said = " ".join(done.stdout.split())
    assert "as 5%" in said
    assert "Exit codes: 0 no limit is broken" in said
