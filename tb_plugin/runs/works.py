"""`python -m tb_plugin.runs.works`: calls what it is given on stdin, a pickle of (function, item) each, until that ends.

What a call returns or raises goes to stdout, in a tuple of one.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import sys
import threading
from typing import IO, Any

from tb_plugin.base import child_process

_INTERRUPTED = 130


def main() -> int:
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library that prints is not taken for a reply
    given = queue.SimpleQueue[Any]()
    # Read by a thread: what is at work ends, too, where the one that gives it is gone.
    threading.Thread(target=_receive, args=(sys.stdin.buffer, given), daemon=True).start()
    try:
        while True:
            function, item = given.get()
            replies.write(pickle.dumps((_outcome(function, item),)))
            replies.flush()
            gc.collect()  # else what was read last lies beside what is read next
            gc.freeze()  # what is left stays, and need not be looked at again
    except KeyboardInterrupt:  # told by the one who gives the work
        return _INTERRUPTED


def _receive(source: IO[bytes], given: queue.SimpleQueue[Any]) -> None:
    while True:
        try:
            given.put(pickle.load(source))
        except EOFError:
            os._exit(0)


def _outcome(function: Any, item: Any) -> Any:
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001 - handed to the one who gave it
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # noqa: BLE001 - a stranger's class
            return RuntimeError(f"{type(error).__name__}: {error}")
        return error


if __name__ == "__main__":
    child_process.exit_with(main)
