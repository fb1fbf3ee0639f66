"""Memory that was used and is free again belongs to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

_LEFT_BEHIND = """
import threading
import numpy as np
from tb_plugin.base.own_memory import give_back, own_bytes, use_one_heap
use_one_heap()
np.ones(30 << 20, np.uint8)  # once freed, all up to this size comes from the heap
bare, behind = own_bytes(), []
def work():
    columns = [np.ones(4 << 20, np.uint8) for _ in range(20)]
    behind.append(np.ones(1 << 20, np.uint8))
thread = threading.Thread(target=work)
thread.start()
thread.join()
held = own_bytes() - bare
give_back()
print(held >> 20, (own_bytes() - bare) >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much memory is a process's own")
def test_what_small_objects_hold_at_the_end_of_the_heap_is_given_back() -> None:
    told = subprocess.run([sys.executable, "-c", _LEFT_BEHIND], capture_output=True, text=True, check=True).stdout
    held, left = map(int, told.split())
    if held < 70:
        pytest.skip("this C library keeps nothing")
    assert left < 10
