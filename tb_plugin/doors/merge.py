"""`tb-plugin merge`: the ranks of a job as one file for Perfetto."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from tb_plugin.answers.merge import merge
from tb_plugin.base.errors import TbPluginError, UsageError
from tb_plugin.doors import terminal
from tb_plugin.formats.perfetto import messages
from tb_plugin.views.ranks.result import RanksParams

if TYPE_CHECKING:
    import argparse


_ENDINGS: Final = (".pftrace", ".pftrace.gz")


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Writes the profiles of a job's ranks into one .pftrace, each below a track of its own, their times corrected by "
        "the clocks that Ranks solves, with an arrow from the rank that came last to each member of a collective that "
        "waited, whose event has how long it waited and moved data, and for whom (wait_ns, transfer_ns, last_rank; last_ranks "
        "where several came last together, as far as clocks can tell: then an arrow from each, of up to four)."
    )
    parser.epilog = "Needs the extra `perfetto`. What cannot be put on one clock is said, and stands on its own."
    parser.add_argument("logdir", metavar="LOGDIR", help="a log directory")
    parser.add_argument("-o", "--out", required=True, metavar="OUT", help="NAME.pftrace or NAME.pftrace.gz")
    parser.add_argument("--run", metavar="TEXT", help="which run of a log directory; by default the one with the newest")
    parser.add_argument("--worker", metavar="TEXT", help="of several jobs in the run the one that holds this profile")
    parser.add_argument("--ranks", metavar="TEXT", help="which ranks, as 4-7,12 (default: all)")
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    if not options.out.endswith(_ENDINGS):
        raise UsageError(f"{options.out}: expected NAME{' or NAME'.join(_ENDINGS)}")
    messages.messages()  # before minutes of reading
    try:
        with terminal.Progress() as on_progress:
            job = RanksParams(run=options.run, worker=options.worker)
            n_ranks = merge(options.logdir, options.out, job, options.ranks, on_progress=on_progress, say=terminal.say)
    except OSError as error:
        raise TbPluginError(f"{options.out}: {error.strerror or error}") from error
    sys.stdout.write(f"{options.out}: {n_ranks} rank{'s' if n_ranks != 1 else ''}\n")
