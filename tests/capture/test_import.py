"""The handler stands in training scripts: naming it loads neither torch nor TensorBoard nor NumPy."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler

ROOT = Path(__file__).resolve().parents[2]


def test_making_a_handler_loads_nothing_heavy() -> None:
    code = (
        "import sys; from tb_plugin import tensorboard_trace_handler; tensorboard_trace_handler('logs');"
        "print([name for name in ('torch', 'tensorboard', 'numpy', 'msgspec', 'google.protobuf') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=240, check=True)
    assert done.stdout.strip() == "[]"


def test_the_public_face_is_small_and_whole() -> None:
    assert {name for name in dir(tb_plugin) if name in tb_plugin.__all__} == set(tb_plugin.__all__)
    assert all(getattr(tb_plugin, name) is not None for name in tb_plugin.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tb_plugin.nothing


@pytest.mark.parametrize(("missing", "package"), [("msgspec", "msgspec"), ("google", "protobuf")])
def test_without_what_writes_the_files_it_is_said_before_training_begins(
    missing: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec

    def found(name: str, around: str | None = None) -> object:
        if name.partition(".")[0] != missing:
            return find_spec(name, around)
        if "." in name:
            raise ModuleNotFoundError(name)
        return None

    monkeypatch.setattr(importlib.util, "find_spec", found)
    with pytest.raises(ImportError, match=f"written without {package}: pip install {package}"):
        tensorboard_trace_handler(tmp_path)
