"""`tb-plugin normal`: from which profile on another level is the normal one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import NotFoundError
from tb_plugin.doors.summarise import Words
from tb_plugin.runs import discover, logdirs, marks

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

WORDS: Final = Words(
    help="mark a profile from which another level is the normal one",
    description=f"Adds a line to LOGDIR/{marks.NAME}, and trends hold later profiles against those from there on.",
    epilog="The line can be edited or removed by hand.",
)


def add_parser(parser: argparse.ArgumentParser, say: Callable[[str], None]) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", type=Path, help="a log directory")
    parser.add_argument("--run", required=True, help="which run")
    parser.add_argument("--span", help="which span; default its first")
    parser.add_argument("--reason", required=True, help="why, for whoever looks at the chart")
    parser.set_defaults(command=lambda options: _run(options, say))


def _run(options: argparse.Namespace, say: Callable[[str], None]) -> None:
    logdir = options.logdir.expanduser()
    if not logdir.is_dir():
        raise NotFoundError(f"{options.logdir}: no such directory")
    run, worker, _ = discover.search(logdirs.from_flags(str(logdir), None)).choose(options.run)
    if options.span is not None and options.span not in (span.name for span in worker.spans):
        raise NotFoundError(
            f"{run.name} has no span {options.span!r}; it has {', '.join(span.name for span in worker.spans[:8])}"
        )
    place = marks.add(logdir, marks.NewNormal(run=run.name, span=options.span, reason=options.reason))
    say(f"{place}: from {run.name}{'' if options.span is None else f' · {options.span}'} on")
