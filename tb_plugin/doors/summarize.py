"""`tb-plugin summarize`: makes what the ranks of a job are joined from, near the data."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import NotFoundError, TbPluginError, UsageError
from tb_plugin.base.readable import readable
from tb_plugin.doors import terminal
from tb_plugin.runs import discover, engines, logdirs, names, processes, summaries

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from tb_plugin.runs.catalogue import ProfileFile

_MOST_NAMED: Final = 20


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Writes a NAME.pt.summary beside each profile of a log directory: Ranks is joined from these without opening one "
        "profile. What is there and of the profile as it is now stays: a command that was ended goes on where it stopped."
    )
    parser.epilog = (
        "The workers of a cluster see LOGDIR under the same name and have this package. Exit codes: 0 all are there, 1 some "
        "cannot be made. The trace handler writes these itself where a job has several ranks."
    )
    parser.add_argument("logdir", metavar="LOGDIR", help="a log directory")
    parser.add_argument(
        "-j", "--jobs", type=int, default=None, metavar="NUMBER", help="processes at the same time (default: one a processor)"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster, as tcp://host:8786; needs the extra `cluster` (default: here)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where LOGDIR may not be written: below DIR, in folders like those of LOGDIR; copied over it, they are used",
    )
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs {options.jobs}: at least one process has to work")
    if options.scheduler is not None and not options.scheduler.strip():  # as of a variable that is not set
        raise UsageError("--scheduler: no address, such as tcp://host:8786")
    if not Path(options.logdir).expanduser().is_dir():
        raise NotFoundError(f"{options.logdir}: no such directory")
    catalogue = discover.search(logdirs.from_flags(options.logdir, None))
    for problem in catalogue.problems:
        terminal.say(problem)
    if not any(True for _ in catalogue.spans()):
        raise NotFoundError(f"{options.logdir}: no profile here; searched for {', '.join(names.SEARCHED)}")
    n_bytes = sum(span.files[0].size_bytes for span in catalogue.spans())
    here = engines.fitting(n_bytes) if options.jobs is None else processes.Processes(options.jobs)
    engine = engines.DaskCluster(options.scheduler, terminal.say) if options.scheduler else here
    states: Counter[str] = Counter()
    place = summaries.place_of if options.out is None else _mirrored(options.logdir, options.out)
    try:
        for one in summaries.make_missing(catalogue, engine, place):
            _count(one, states, options.logdir)
    finally:  # what is made stays, whatever ends the rest
        sys.stdout.write(_counts(states, sum(span.is_summary for span in catalogue.spans())) + "\n")
    if states["failed"]:
        raise TbPluginError(f"{states['failed']} of {states.total() - states['cut off']} profiles have no summary")


def _count(one: summaries.Summarised, states: Counter[str], logdir: str) -> None:
    """And says what is odd."""
    states[one.state] += 1
    if one.state == "failed" and states["failed"] <= _MOST_NAMED:
        terminal.say(f"{_below(logdir, one.file)}: {one.reason}")
    elif one.state == "made" and one.reason is not None:
        terminal.say(f"{_below(logdir, one.file)}: its summary is made anew, the one there was {one.reason}")
    if one.is_cut_off:
        states["cut off"] += 1
        if states["cut off"] <= _MOST_NAMED:
            terminal.say(f"{_below(logdir, one.file)}: the file is cut off; its summary has what is there")


def _counts(states: Counter[str], n_alone: int) -> str:
    said = [f"{states['made']} made, {states['fresh']} there already, {states['failed']} cannot be made"]
    if states["cut off"]:
        said.append(f"{states['cut off']} of cut off files")
    if n_alone == 1:
        said.append("1 summary without its profile stays as it is")
    elif n_alone:
        said.append(f"{n_alone} summaries without their profiles stay as they are")
    return "; ".join(said)


def _below(logdir: str, file: str) -> str:
    """Files of many runs have one name."""
    return readable(os.path.relpath(file, Path(logdir).expanduser()))


def _mirrored(logdir: str, out: Path) -> Callable[[Sequence[ProfileFile]], Path]:
    root, target = Path(logdir).expanduser().resolve(), out.expanduser().resolve()
    return lambda files: target / os.path.relpath(summaries.place_of(files).resolve(), root)
