"""Debian's packages for what is missing on a new machine, where root runs us; elsewhere the caller says what to install."""

from __future__ import annotations

import os
import shutil
import subprocess


def install(*packages: str) -> bool:
    """Whether apt-get installed them. Never asks, never uses sudo."""
    apt = shutil.which("apt-get")
    if apt is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        done = subprocess.run([apt, "-qq", *words], env=environment, stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return False
    return True
