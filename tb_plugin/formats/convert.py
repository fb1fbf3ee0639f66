"""`python -m tb_plugin.formats.convert IN OUT.pt.columns`: any profile to columns for the cache, as a process of its own.

Servers start it as a child, so that reading neither holds their interpreter's lock nor takes them down. It may take so much
memory and processor time as is reasonable for a file of this size. stdout gets progress lines, `0.43 reading`, and twice a
second `told {...}`, the `SoFar` of a JSON that is read; stderr one line when it fails. Exit code 0, 1 (failed), 2 (called
wrongly) or 130 (interrupted; says nothing). No half written file is left in any of these. Under any other name OUT is a
stored profile; other targets: `targets.py`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.base import child_process, progress
from tb_plugin.base.free_cores import FreeCores

if TYPE_CHECKING:
    from tb_plugin.base.child_process import ProgressLines

_LEVEL = 1
"""Of zstd. 3 takes twice as long, and makes 5 % less."""

_READ = 0.95  # of the time; writing is the rest


def convert(source: str, target: str, lines: ProgressLines, level: int = _LEVEL) -> None:
    """Reads `source`, whatever its format, and writes `target`, which `mapped.read` may believe."""
    free_cores = FreeCores()
    child_process.limit(Path(source))
    # Imported here so that a wrong call and --help answer at once.
    import msgspec

    from tb_plugin.formats import reader
    from tb_plugin.formats.stored import mapped, profile_pb

    trace = reader.read(
        source,
        progress.part(lines, 0.0, _READ),
        lambda so_far: lines.tell(msgspec.json.encode(so_far).decode()),
        n_helpers=free_cores.readers() - 1,
    )
    lines(_READ, "writing")
    if target.endswith(mapped.ENDING):
        mapped.write(trace, Path(target), progress.part(lines, _READ, 1.0))
    else:
        profile_pb.write(trace, target, level)
    lines(1.0, "opening")  # what comes next, for who waits


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tb_plugin.formats.convert", description="Any profile to *.pt.columns, or *.pt.profile.pb."
    )
    parser.add_argument("source", metavar="IN", help="Chrome JSON, plain or gzip, or a stored profile")
    parser.add_argument("target", metavar="OUT", help="where to write; replaced at once when complete")
    parser.add_argument("--level", type=int, default=_LEVEL, help=f"zstd level, 1 (fast) to 19 (small); default {_LEVEL}")
    options = parser.parse_args(arguments)
    return child_process.report(lambda lines: convert(options.source, options.target, lines, options.level), options.target)


if __name__ == "__main__":
    child_process.exit_with(main)
