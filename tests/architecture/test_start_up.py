"""`import tb_plugin` stands in people's training scripts: it must cost nothing and pull in nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "tensorboard", "numpy", "google.protobuf", "werkzeug", "msgspec")
IMPORT_LIMIT_S = 0.1


def _in_a_fresh_python(code: str) -> object:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _loaded_by(module: str) -> set[str]:
    loaded = _in_a_fresh_python(f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))")
    assert isinstance(loaded, list)
    return set(loaded)


def test_import_tb_plugin_loads_nothing_heavy() -> None:
    assert _loaded_by("tb_plugin") & set(HEAVY) == set()


def test_import_tb_plugin_is_fast() -> None:
    code = "import json, time; a = time.process_time(); import tb_plugin; print(json.dumps(time.process_time() - a))"
    # Processor time, the best of three: the limit is about our code, not about a busy machine.
    assert min(float(str(_in_a_fresh_python(code))) for _ in range(3)) < IMPORT_LIMIT_S


@pytest.mark.parametrize("module", ["tb_plugin.doors.tensorboard", "tb_plugin.doors.cli", "tb_plugin.capture"])
def test_torch_is_needed_only_to_record(module: str) -> None:
    assert "torch" not in _loaded_by(module)


def test_the_shell_does_not_load_tensorboard() -> None:
    assert "tensorboard" not in _loaded_by("tb_plugin.doors.cli")


NO_COMMAND_NEEDS = {"google.protobuf", "werkzeug", "tb_plugin.doors.http", "asyncio", "numpy.random", "numpy.ma", "numpy.fft"}
"""Before there is something to read or to serve."""


@pytest.mark.parametrize("command", ["overview", "ranks", "ranks/instances", "compare", "convert", "summarize", "hang"])
def test_the_shell_loads_what_its_command_needs(command: str) -> None:
    code = f"""
import contextlib, io, json, sys
from tb_plugin.doors import cli
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    cli.main([{command!r}, "--help"])
print(json.dumps(sorted(sys.modules)))
"""
    loaded = _in_a_fresh_python(code)
    assert isinstance(loaded, list)
    assert NO_COMMAND_NEEDS & set(loaded) == set()
    views = {module.split(".")[2] for module in loaded if module.startswith("tb_plugin.views.")}
    assert views <= {"ranks" if command == "hang" else command.partition("/")[0]}, "each view loads tens of modules"
    commands = {"baseline", "compare", "convert", "hang", "merge", "normal", "recover", "report", "serve", "summarize"}
    assert {f"tb_plugin.doors.{other}" for other in commands - {command}} & set(loaded) == set()
