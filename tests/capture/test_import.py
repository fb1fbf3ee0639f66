"""The handler stands in training scripts: naming it loads neither torch nor TensorBoard nor NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tb_plugin

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
