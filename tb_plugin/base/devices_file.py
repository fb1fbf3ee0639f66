"""`torch_profile_devices.toml`: what users know of their devices, for every view. In $TB_PLUGIN_DEVICES, else in
$XDG_CONFIG_HOME/torch-tb-plugin/.

    [[device]]
    name = "MI308X"        # in the device's name, in any case; of several the first in the file
    bf16 = 188             # dense TFLOP/s of fp4, fp8, fp16, bf16, tf32, fp32, fp64
    bandwidth = 5300       # GB/s

Read once a process: one that answers for another reads the same. What the words mean is `trace/work/device_peaks.py`'s.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tb_plugin.base.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:  # the extra `devices`
    try:
        import tomli as tomllib
    except ImportError:
        tomllib = None

VARIABLE = "TB_PLUGIN_DEVICES"
NAME = "torch_profile_devices.toml"


@functools.cache
def tables() -> tuple[dict[str, Any], ...]:
    """One for each device in the file, as it stands there; none without a file. Raises UsageError."""
    text = _text()
    if not text:
        return ()
    if tomllib is None:
        raise UsageError(f"{path()}: Python 3.10 reads no TOML: pip install torch-tb-plugin[devices]")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path()}: {error}") from None
    devices = found.pop("device", [])
    if found or not isinstance(devices, list) or not all(isinstance(each, dict) for each in devices):
        raise UsageError(f'{path()}: it holds [[device]] tables with name = "..." and nothing else')
    return tuple(devices)


def digest() -> str:
    """What was worked out with another file is not used again. Of one that cannot be read none: who needs it says so."""
    with suppress(UsageError):
        return hashlib.sha256(_text().encode()).hexdigest()[:16]
    return ""


def path() -> Path:
    """Where it lies, or would."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "torch-tb-plugin" / NAME


@functools.cache
def _text() -> str:
    try:
        return path().read_text(encoding="utf-8")
    except FileNotFoundError:
        if VARIABLE in os.environ:
            raise UsageError(f"{path()}: no such file, which ${VARIABLE} names") from None
        return ""
    except (OSError, UnicodeError, RuntimeError) as error:  # RuntimeError: nobody's home
        raise UsageError(f"{NAME}: {getattr(error, 'strerror', None) or error}") from None
