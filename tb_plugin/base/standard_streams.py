"""What a shell may have closed: `2>&-`, `>&-`, or a service that starts programs without any."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tb_plugin.base.errors import TbPluginError


def check() -> None:
    """TbPluginError where standard output is closed. What is said on a closed standard error goes nowhere."""
    # Else the next file that is opened gets the number, and whoever prints writes into it.
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(fd)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    if sys.stdout is None:
        raise TbPluginError("standard output is closed")
