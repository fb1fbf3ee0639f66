"""A Trace to a file of any format we write, chosen by the file's name.

`python -m tb_plugin.formats.convert IN OUT.pt.profile.pb`: any profile to the stored form, as a process of its own.
Servers and the trace handler start it as a child, so that reading neither holds their interpreter's lock nor takes them
down. stdout gets progress lines, `0.43 reading`; stderr one line when it fails. Exit code 0, 1 (failed), 2 (called
wrongly) or 130 (interrupted; says nothing). No half written file is left in any of these.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import TbPluginError, UsageError

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

# Longest first: every speedscope file is a .json too. Each function returns what its target cannot hold of this trace.
_TARGETS: Final = (
    (".speedscope.json", "speedscope", "write"),
    (".json", "chrome_trace", "write"),
    (".collapsed", "collapsed_stacks", "write"),
    (".folded", "collapsed_stacks", "write"),
    (".pftrace", "perfetto_write", "write"),
    (".csv", "csv_tables", "write_events"),
    (".pprof", "pprof", "write"),
)
TARGETS: Final = (
    "NAME.pt.profile.pb, NAME.pt.trace.json, NAME.pftrace, NAME.speedscope.json, NAME.collapsed (or .folded), "
    "NAME.pprof, NAME.csv (events), each but the first also with .gz; NAME.pb.gz (pprof); NAME.parquet (events); "
    "NAME/ (a folder of CSV tables), NAME.parquet/ (of Parquet tables)"
)

_SHARE_READING = 0.85  # of the progress bar
_INTERRUPTED = 130


def write(trace: Trace, target: str) -> tuple[str, ...]:
    """Writes the format that `target` asks for and returns what it cannot hold. Nobody sees a half written file."""
    module, function = _writer(target)
    writer = getattr(importlib.import_module(f"tb_plugin.formats.{module}"), function)
    lost: tuple[str, ...] = writer(trace, Path(target)) or ()
    return lost


def check_target(target: str) -> None:
    """UsageError when no format is meant by this name, or what it needs is not installed."""
    module, _ = _writer(target)
    if module == "perfetto_write":
        from tb_plugin.formats import perfetto_messages

        perfetto_messages.messages()
    elif module == "parquet_tables":
        from tb_plugin.formats import parquet_tables

        parquet_tables.check()


def _writer(target: str) -> tuple[str, str]:
    name = Path(target).name
    if target.endswith((os.sep, "/")) or Path(target).is_dir():
        return "parquet_tables" if name.endswith(".parquet") else "csv_tables", "write_folder"
    if name.endswith(".parquet"):
        return "parquet_tables", "write_events"
    if name.endswith(".pb"):
        return "profile_pb", "write"
    # Tools of pprof write and look for this name. The stored profile is compressed inside: it has no .gz.
    if name.endswith(".pb.gz") and not name.endswith(".profile.pb.gz"):
        return "pprof", "write"
    for suffix, module, function in _TARGETS:
        if name.removesuffix(".gz").endswith(suffix):
            return module, function
    raise UsageError(f"{target}: no format has this name; expected {TARGETS}")


class ProgressLines:
    """Prints progress when it moved by a hundredth or the stage changed. A parent that went away stops nothing."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, fraction: float, stage: str) -> None:
        line = f"{fraction:.2f} {stage}"
        if line == self._last:
            return
        self._last = line
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


def convert(source: str, target: str, on_progress: ProgressLines, level: int = 3) -> None:
    """Reads `source`, whatever its format, and writes `target`."""
    # Imported here so that a wrong call and --help answer at once.
    from tb_plugin.formats import profile_pb, reader

    trace = reader.read(source, lambda fraction, stage: on_progress(_SHARE_READING * fraction, stage))
    on_progress(_SHARE_READING, "writing")
    profile_pb.write(trace, target, level)
    on_progress(1.0, "done")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tb_plugin.formats.convert", description="Any profile to *.pt.profile.pb.")
    parser.add_argument("source", metavar="IN", help="Chrome JSON, plain or gzip, or a stored profile")
    parser.add_argument("target", metavar="OUT", help="where to write; replaced at once when complete")
    parser.add_argument("--level", type=int, default=3, help="zstd level, 1 (fast) to 19 (small); default 3")
    options = parser.parse_args(arguments)
    try:
        convert(options.source, options.target, ProgressLines(), options.level)
    except TbPluginError as error:
        return _fail(str(error))
    except MemoryError:
        return _fail(f"{options.source}: not enough memory")
    except OSError as error:
        return _fail(f"{error.filename or options.target}: {error.strerror or error}")
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _fail(reason: str) -> int:
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.write(" ".join(reason.split()) + "\n")
    return 1


def _terminate(_signal: int, _frame: object) -> None:
    """A parent's terminate() cleans up like Ctrl-C does."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    gc.disable()  # one short job whose objects die with it: collecting them takes longer than the work
    signal.signal(signal.SIGTERM, _terminate)
    code = main()
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.exit(code)
