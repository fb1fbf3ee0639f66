"""`tb-plugin normal`: from which profile on another level is the normal one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.base.errors import NotFoundError
from tb_plugin.doors import terminal
from tb_plugin.runs import discover, logdirs, marks

if TYPE_CHECKING:
    import argparse


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = f"Adds a line to LOGDIR/{marks.NAME}, and trends hold later profiles against those from there on."
    parser.epilog = "The line can be edited or removed by hand."
    parser.add_argument("logdir", metavar="LOGDIR", type=Path, help="a log directory")
    parser.add_argument("--run", required=True, help="which run")
    parser.add_argument("--span", help="which span; default its first")
    parser.add_argument("--reason", required=True, help="why, for whoever looks at the chart")
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    logdir = options.logdir.expanduser()
    if not logdir.is_dir():
        raise NotFoundError(f"{options.logdir}: no such directory")
    run, worker, _ = discover.search(logdirs.from_flags(str(logdir), None)).choose(options.run)
    if options.span is not None and options.span not in (span.name for span in worker.spans):
        raise NotFoundError(
            f"{run.name} has no span {options.span!r}; it has {', '.join(span.name for span in worker.spans[:8])}"
        )
    place = marks.add(logdir, marks.NewNormal(run=run.name, span=options.span, reason=options.reason))
    terminal.say(f"{place}: from {run.name}{'' if options.span is None else f' · {options.span}'} on")
