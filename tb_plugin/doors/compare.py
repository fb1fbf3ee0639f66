"""The command `tb-plugin compare`: files and runs instead of a log directory, limits, and forms for CI."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import msgspec
from msgspec.structs import replace

from tb_plugin.answers import bodies
from tb_plugin.answers.bounded import json_of
from tb_plugin.answers.its_job import its_job
from tb_plugin.answers.paths import ask_paths
from tb_plugin.base.errors import UsageError
from tb_plugin.doors import terminal
from tb_plugin.views.compare import SUMS, VIEW, gate
from tb_plugin.views.compare.html import html
from tb_plugin.views.compare.joined import one_job
from tb_plugin.views.compare.joined.join import Given, compared
from tb_plugin.views.compare.markdown import markdown, matrix_markdown
from tb_plugin.views.compare.members import MOST_ITEMS, asked
from tb_plugin.views.compare.result import By, CompareParams
from tb_plugin.views.compare.text import matrix_table, matrix_text, table, text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from tb_plugin.views.compare.result import Comparison

_FORMATS: Final[dict[str, Callable[[Comparison], str]]] = {
    "text": text,
    "json": lambda result: msgspec.json.format(json_of(result), indent=2).decode(),
    "csv": lambda result: bodies.csv_text(table(result)),
    "markdown": markdown,
    "html": html,
}
_MATRICES: Final[dict[str, Callable[[Comparison], str]]] = {
    "text": matrix_text,
    "csv": lambda result: bodies.csv_text(matrix_table(result)),
    "markdown": matrix_markdown,
}
_EXIT_CODES: Final = (
    "Exit codes: 0 compared, and within the limits; 1 a file cannot be read; 2 usage; 3 a limit is broken, and that is no noise; "
    "4 a limit is broken but cannot be told from noise, as of fewer than 4 steps."
)


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = VIEW.main.title
    parser.epilog = _EXIT_CODES
    parser.add_argument(
        "paths",
        metavar="A B",
        nargs="+",
        help="profiles, directories with one run each, or DIR/@baseline; the first is what the others are compared with",
    )
    parser.add_argument("--format", choices=list(_FORMATS), default="text", help="default text")
    parser.add_argument(
        "--matrix",
        action="store_true",
        help="of more than two: all side by side alone, as text, csv or markdown; json has it anyway",
    )
    parser.add_argument("--by", choices=get_args(By), default="module", help="what rows are; default module")
    parser.add_argument("--per", default="", metavar="RANGE", help="compare the occurrences of this range instead of steps")
    parser.add_argument(
        "--steps",
        action="append",
        default=[],
        metavar="3-9",
        help="only these steps; once for each profile those of each: of one file step 8 beside 9 is A --steps 8 --steps 9",
    )
    parser.add_argument(
        "--kind", type=int, default=0, metavar="NUMBER", help="of steps that differ in what they call; 0 the most frequent"
    )
    parser.add_argument("--noise", default="1%", help="less than this of the step is no finding; default 1%%")
    parser.add_argument("--fold", default="0.1%", help="rows below this of the step are one; default 0.1%%")
    parser.add_argument("--fail-if-slower", metavar="5%", help="exit with 3 or 4 where a step takes this much longer")
    parser.add_argument(
        "--fail-if", action="append", default=[], metavar="'kernel>+2ms'", help="the same for another figure; several times"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 3 also where it cannot be told from noise")
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    """Compares, writes the result to stdout and broken limits to stderr; the exit code."""
    paths, steps = options.paths, options.steps
    if len(paths) == 1:
        paths = paths * len(steps)
    if not 2 <= len(paths) <= MOST_ITEMS:
        raise UsageError(f"compare takes 2 to {MOST_ITEMS} profiles or runs, not {len(options.paths)}")
    if len(steps) > 1 and len(steps) != len(paths):
        raise UsageError(f"--steps: once for all, or for each of the {len(paths)}, not {len(steps)} times")
    if options.matrix and (len(paths) == 2 or options.format not in _MATRICES):
        raise UsageError(f"--matrix: of more than two, as {', '.join(_MATRICES)}")
    limits = [gate.limit_from(limit) for limit in options.fail_if]
    if options.fail_if_slower is not None:
        limits.insert(0, gate.slower_than(options.fail_if_slower))
    params = CompareParams(
        per=options.per,
        by=options.by,
        steps=steps[0] if len(steps) == 1 else "",
        kind=options.kind,
        noise=gate.share_of(options.noise, "--noise"),
        fold=gate.share_of(options.fold, "--fold"),
    )
    with terminal.Progress() as on_progress:
        answered = dict(zip(options.paths, ask_paths(SUMS, options.paths, asked(params), on_progress=on_progress), strict=True))
    of_each = steps if len(steps) > 1 else [""] * len(paths)
    given = [Given(answered[path].label, [], answered[path].answers, own) for path, own in zip(paths, of_each, strict=True)]
    result = _with_jobs(compared(given, params, []), paths)
    found = gate.broken(result.pairs, limits)
    write = _MATRICES[options.format] if options.matrix else _FORMATS[options.format]
    sys.stdout.write(write(result).rstrip("\n") + "\n")
    for one in found:
        terminal.say(one.said)
    return gate.exit_code(found, strict=options.strict)


def _with_jobs(of: Comparison, paths: Sequence[str]) -> Comparison:
    """Of files of ranks of one job also whom each waits for, where summaries are kept. `paths`: of A, then of each other item."""
    pairs = []
    for pair, path in zip(of.pairs, paths[1:], strict=True):
        told = [] if pair.ranks is None else [its_job(Path(each), each).told for each in (paths[0], path) if Path(each).is_file()]
        said = [each.sentence for each in told if each is not None and each.sentence is not None]
        pairs.append(one_job.with_jobs(pair, said))
    return replace(of, pairs=pairs)
