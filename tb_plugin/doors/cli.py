"""The command `tb-plugin`: every view from the shell, over the same functions as the page. The one place that prints."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import TYPE_CHECKING, Final, NoReturn

# NumPy's library of linear algebra starts a thread a core when it is loaded, and says so on stderr for each that `ulimit -v`
# leaves no room for. Nothing here is worth a second thread.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tb_plugin import __version__
from tb_plugin.answers.questions import QUESTIONS, of_shell, shell_name
from tb_plugin.base import standard_streams
from tb_plugin.base.errors import TbPluginError, UsageError
from tb_plugin.doors import terminal
from tb_plugin.question.joint import Joint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.answers.questions import AnyQuestion

_INTERRUPTED = 130
_PIPE_CLOSED = 141
_OWN: Final = {
    "baseline": "keep what a run says, to compare later ones with",
    "normal": "mark a profile from which another level is the normal one",
    "convert": "write a profile in another format",
    "report": "write the page with one profile in it, as one file",
    "recover": "finish profiles whose jobs were killed",
    "merge": "all ranks of a job on one clock, as one file for Perfetto",
    "hang": "who did not come, from dumps of flight recorders",
    "summarize": "make the summaries that Ranks opens with, near the data",
    "serve": "show the page without TensorBoard",
}
"""Commands that are no question. Each is a module here, as `compare` is, which takes paths of its own."""
_COMPARE: Final = "compare"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    try:
        standard_streams.check()
        given = sys.argv[1:] if arguments is None else arguments
        options = _parser(given[0] if given else "").parse_args(given)
        code: int = options.command(options) or 0
        sys.stdout.flush()
    except TbPluginError as error:
        terminal.say(" ".join(str(error).split()))
        return error.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _drop_output()  # `| head` has seen enough
        return _PIPE_CLOSED
    except OSError as error:  # a full disk, mostly
        terminal.say(f"{error.filename or 'standard output'}: {error.strerror or error}")
        _drop_output()
        return TbPluginError.exit_code
    return code


def _drop_output() -> None:
    """Python would complain once more when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(command: str) -> argparse.ArgumentParser:
    """Of the command that is asked for, with the modules that it needs. Help, and the error for another one, name all."""
    parser = _Parser(
        prog=terminal.PROGRAM, description="Profiles of torch.profiler, from the shell. PATH is a profile or a log directory."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    question = of_shell(command)
    if command == _COMPARE or command in _OWN:
        importlib.import_module(f"tb_plugin.doors.{command}").add_parser(commands.add_parser(command))
    elif question is not None and _is_command(question):
        from tb_plugin.doors import ask

        ask.add_parser(commands.add_parser(command), question)
    else:
        for name, known in QUESTIONS.items():
            if _is_command(known):
                commands.add_parser(shell_name(name), help=known.title)
        for name, said in _OWN.items():
            commands.add_parser(name, help=said)
    return parser


def _is_command(question: AnyQuestion) -> bool:
    return isinstance(question, Joint) or not question.is_file


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, where argparse would print the usage too."""
        raise UsageError(f"{message} (see {self.prog} --help)")


if __name__ == "__main__":
    sys.exit(main())
