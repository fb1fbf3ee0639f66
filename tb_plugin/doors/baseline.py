"""`tb-plugin baseline PATH`: keeps what a run says of itself, for `compare` and `trends` to read later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tb_plugin.answers import baseline
from tb_plugin.answers.paths import ask_paths
from tb_plugin.doors import terminal
from tb_plugin.question.question import NoParams
from tb_plugin.views.compare import SUMS
from tb_plugin.views.compare.sums.result import SumsParams
from tb_plugin.views.trends import SPAN

if TYPE_CHECKING:
    import argparse

    import msgspec

    from tb_plugin.question.question import Question


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.description = (
        "Writes a small file: `tb-plugin compare DIR/@baseline NEW` compares with the run when its profile is gone."
    )
    parser.add_argument("path", metavar="PATH", help="a profile, or a directory with one run")
    parser.add_argument("--into", default=".", metavar="DIR", help="where DIR/@baseline is to be; default here")
    parser.add_argument("--per", default="", metavar="RANGE", help="of the occurrences of this range instead of steps")
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    """Keeps what a run says of itself, for `compare` to read later."""
    asked: list[tuple[Question[Any, Any], msgspec.Struct]] = [(SUMS, SumsParams(per=options.per)), (SPAN, NoParams())]
    with terminal.Progress() as on_progress:
        answered = [ask_paths(question, [options.path], params, on_progress=on_progress)[0] for question, params in asked]
    given = [baseline.ToKeep(question, params, of.answers) for (question, params), of in zip(asked, answered, strict=True)]
    target = baseline.write(Path(options.into).expanduser(), answered[0].label, given)
    n_steps = sum(len(one.steps) for one in answered[0].answers)
    terminal.say(f"{target}: {answered[0].label}, {n_steps} {'step' if n_steps == 1 else 'steps'}")
