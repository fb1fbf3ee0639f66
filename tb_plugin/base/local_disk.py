"""Whether a file lies on this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_LOCAL: Final = {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "ramfs", "tmpfs", "xfs", "zfs"}
_ESCAPED: Final = re.compile(r"\\(\d{3})")  # \040 for a space
_MOUNTS: Final = Path("/proc/self/mountinfo")


def is_local(path: Path, mounts: Path = _MOUNTS) -> bool:
    """True where its file system is known to be one of this machine. Linux alone tells."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    real, longest, kind = os.path.realpath(path), "", ""
    for line in lines:  # 36 35 98:0 /root /mounted/at rw,noatime master:1 - ext4 /dev/sda rw
        mounted, _, what = line.partition(" - ")
        point = _ESCAPED.sub(lambda found: chr(int(found[1], 8)), mounted.split(" ")[4])
        if len(point) >= len(longest) and os.path.commonpath((point, real)) == point:
            longest, kind = point, what.split(" ")[0]
    return kind in _LOCAL
