"""The command `tb-plugin`: every view from the shell, over the same functions as the page. The one place that prints."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, NoReturn, get_args, get_origin, get_type_hints

import msgspec

# NumPy's library of linear algebra starts a thread a core when it is loaded, and says so on stderr for each that `ulimit -v`
# leaves no room for. Nothing here is worth a second thread.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tb_plugin import __version__
from tb_plugin.answers import bodies, here, notes
from tb_plugin.answers.bounded import json_of
from tb_plugin.answers.questions import QUESTIONS, shell_name
from tb_plugin.base import child_process, standard_streams
from tb_plugin.base.errors import FormatError, NotFoundError, TbPluginError, UsageError
from tb_plugin.base.progress import Countdown
from tb_plugin.base.readable import readable, readable_name
from tb_plugin.base.units import format_bytes
from tb_plugin.doors import compare, hang, merge, normal, ranks, report, summarise
from tb_plugin.formats import reader, targets
from tb_plugin.question.joint import Joint
from tb_plugin.question.question import Question, choices_of
from tb_plugin.runs import dropped, logdirs
from tb_plugin.trace.check import check
from tb_plugin.trace.scope.recording import about_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tb_plugin.answers.questions import AnyQuestion
    from tb_plugin.base.progress import OnProgress
    from tb_plugin.trace.model import Trace

_PROGRAM = "tb-plugin"
_INTERRUPTED = 130
_PIPE_CLOSED = 141
_LIFTED = "; --no-limits lets it go on"
_WHICH = ("run", "worker", "span")
_COMPARE = "compare"
"""Takes paths of its own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    try:
        standard_streams.check()
        options = _parser().parse_args(arguments)
        code: int = options.command(options) or 0
        sys.stdout.flush()
    except TbPluginError as error:
        _say(" ".join(str(error).split()))
        return error.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _drop_output()  # `| head` has seen enough
        return _PIPE_CLOSED
    except OSError as error:  # a full disk, mostly
        _say(f"{error.filename or 'standard output'}: {error.strerror or error}")
        _drop_output()
        return TbPluginError.exit_code
    return code


def _drop_output() -> None:
    """Python would complain once more when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=_PROGRAM, description="Profiles of torch.profiler, from the shell. PATH is a profile or a log directory."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, question in QUESTIONS.items():
        if shell_name(name) == _COMPARE:
            _add_compare(commands, question)
        elif isinstance(question, Joint) or not question.is_file:
            _add_question(commands, shell_name(name), question)
    kept = commands.add_parser(
        "baseline",
        help="keep what a run says, to compare later ones with",
        description="Writes a small file: `tb-plugin compare DIR/@baseline NEW` compares with the run when its profile is gone.",
    )
    compare.add_baseline_parser(kept)
    kept.set_defaults(command=lambda options: compare.write_baseline(options, _Progress(sys.stderr), _say))
    normal.add_parser(commands.add_parser("normal", **normal.WORDS), _say)
    convert = commands.add_parser(
        "convert",
        help="write a profile in another format",
        description="Writes a profile in the format that OUT's name asks for, and says what that format cannot hold.",
        epilog=f"OUT is one of {targets.NAMES}. A .pt.profile.pb opens ten times faster than JSON.",
    )
    convert.add_argument("source", metavar="IN", type=Path, help="any profile that can be read")
    convert.add_argument("target", metavar="OUT", help="where to write; replaced at once when complete")
    _add_no_limits(convert)
    convert.set_defaults(command=_convert)
    _add_report(commands)
    recover = commands.add_parser(
        "recover",
        help="finish profiles whose jobs were killed",
        description="Finishes the profiles of jobs that were killed before their files were written, on the host where they ran.",
    )
    recover.add_argument("logdir", metavar="LOGDIR", type=Path, help="where the profiles belong")
    recover.set_defaults(command=_recover)
    merge.add_parser(commands.add_parser("merge", **merge.WORDS), _say, lambda: _Progress(sys.stderr))
    hang.add_parser(commands.add_parser("hang", **hang.WORDS))
    summarise.add_parser(commands.add_parser("summarize", **summarise.WORDS), _say)
    serve = commands.add_parser("serve", help="show the page without TensorBoard")
    serve.add_argument("logdir", metavar="LOGDIR", help="a directory, or name:dir,name:dir")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    serve.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name that the server is reached by, as of a proxy",
    )
    serve.add_argument("--port", type=int, default=None, help="default 6007, or any free one when that is taken")
    serve.add_argument("--no-drop", action="store_true", help="take no files from the page; TB_PLUGIN_NO_DROP=1 says the same")
    serve.set_defaults(command=_serve)
    return parser


def _add_report(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = commands.add_parser(
        "report",
        help="write the page with one profile in it, as one file",
        description="Writes one HTML file under 3 MB that shows a profile without a server and without the network: overview, "
        "tables, advice and the timeline at a bounded resolution. What has no room in it, it says.",
    )
    parser.add_argument("path", metavar="PATH", help="a profile, or a log directory")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write; replaced at once")
    for which in _WHICH:
        parser.add_argument(f"--{which}", help=f"which {which} of a directory with several")
    _add_no_limits(parser)
    parser.set_defaults(command=_report)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, where argparse would print the usage too."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def _add_question(commands: argparse._SubParsersAction[_Parser], name: str, question: AnyQuestion) -> None:
    parser = commands.add_parser(name, help=question.title, description=question.title)
    is_of_many = isinstance(question, Joint)
    where = ("LOGDIR", "a log directory") if is_of_many else ("PATH", "a profile, or a log directory")
    parser.add_argument("path", metavar=where[0], help=where[1])
    forms = question.forms if isinstance(question, Joint) else ()
    parser.epilog = question.exit_codes if isinstance(question, Joint) else None
    parser.add_argument("--format", choices=("text", "json", "csv", *forms), default="text", help="default text")
    if not is_of_many:
        for which in _WHICH:
            parser.add_argument(f"--{which}", help=f"which {which} of a directory with several")
        parser.add_argument("--check", action="store_true", help="verify the profile's inner order first")
        _add_no_limits(parser)
    hints = get_type_hints(question.params, include_extras=True)
    for field in msgspec.structs.fields(question.params):
        hint, *meta = get_args(hints[field.name]) if get_origin(hints[field.name]) is Annotated else (hints[field.name],)
        choices = choices_of(hint)
        described = next((each.description for each in meta if isinstance(each, msgspec.Meta)), None)
        option, target = f"--{field.name.replace('_', '-')}", f"param_{field.name}"
        if hint is bool:
            parser.add_argument(option, dest=target, action="store_const", const="true", help=described)
            continue
        is_lines = any((each.extra or {}).get("lines", False) for each in meta if isinstance(each, msgspec.Meta))
        default = "needed" if field.required else "by default left out" if field.default is None else f"default {field.default}"
        parser.add_argument(
            option,
            dest=target,
            action="append" if is_lines else "store",
            choices=choices or None,
            metavar=None if choices else "NUMBER" if int in (hint, *get_args(hint)) else "TEXT",
            required=field.required,
            help=(described or default).replace("%", "%%"),  # argparse reads % as a format
        )
    if name == ranks.COMMAND:
        ranks.add_options(parser)
    parser.set_defaults(command=lambda options: _ask(question, options))


def _add_no_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-limits", action="store_true", help="as much memory and time as it takes, whoever made the file")


def _add_compare(commands: argparse._SubParsersAction[_Parser], question: AnyQuestion) -> None:
    parser = commands.add_parser(_COMPARE, help=question.title, description=question.title)
    compare.add_parser(parser)
    parser.set_defaults(command=lambda options: compare.run(options, _Progress(sys.stderr), _say))


def _ask(question: AnyQuestion, options: argparse.Namespace) -> int:
    given = {name: getattr(options, f"param_{name}") for name in question.params.__struct_fields__}
    texts = {name: "\n".join(value) if isinstance(value, list) else value for name, value in given.items()}
    said = {name: value for name, value in texts.items() if value is not None}
    other = ranks.instead(options, said) if question.id == ranks.COMMAND else None
    question, params = other or (question, question.params_from(said))
    if isinstance(question, Joint):
        with _Progress(sys.stderr) as progress:
            joined = here.ask_many(question, options.path, params, on_progress=progress, say=_say)
        if options.format in question.forms:
            sys.stdout.write(question.forms[options.format](joined) + "\n")
        else:
            _show(question, joined, options.format)
        for sentence in question.verdict(joined):
            _say(sentence)
        return question.exit_code(joined)
    reading = _Reading(options.no_limits)
    with _Progress(sys.stderr) as progress:
        which = (getattr(options, name) for name in _WHICH)
        trace = here.open_profile(options.path, *which, on_progress=progress, say=_say, read=reading.read)
    if options.check:
        check(trace)
    missing = question.missing(trace)
    for sentence in (missing,) if missing is not None else reading.notes:
        _say(sentence)
    with _limits(None if options.no_limits else child_process.most_for_answer(len(trace.events))):
        reply = question.answer(trace, params)
        for note in notes.on_filters(trace, params, reply) if missing is None else ():
            _say(note)
        _show(question, reply, options.format)
    return question.exit_code(reply)


def _show(question: AnyQuestion, reply: object, form: str) -> None:
    if form == "json":
        is_raw = isinstance(question, Question) and question.encode is not None
        encoded = json_of(_rows(question, reply) if is_raw else reply)
        sys.stdout.write(msgspec.json.format(encoded, indent=2).decode() + "\n")
    elif form == "csv":
        sys.stdout.write(bodies.csv_text(question.table(reply)))
    else:
        sys.stdout.write(question.text(reply).rstrip("\n") + "\n")


def _rows(question: AnyQuestion, reply: object) -> list[dict[str, object]]:
    """What is sent as raw columns, for people: an object a row."""
    table = question.table(reply)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


class _Reading:
    """Reads under limits: a stranger's file must not take this machine. `path`, `notes`: of what was read last."""

    def __init__(self, no_limits: bool) -> None:
        self._no_limits = no_limits
        self.path = Path()
        self.notes: tuple[str, ...] = ()

    def read(self, path: Path, on_progress: OnProgress) -> Trace:
        self.path = path
        reader.refuse_pipe(path)
        try:
            most = child_process.most_for_reading(path)
            n_bytes = path.stat().st_size
        except OSError:
            return reader.read(path, on_progress)  # which says what is wrong
        with _limits(None if self._no_limits else most):
            trace = reader.read(path, on_progress)
        how = "" if path.stat().st_size == n_bytes else " is still being written"
        self.notes = tuple(f"{readable(path.name)}{how}: {sentence}" for sentence in about_all(trace))
        return trace


@contextmanager
def _limits(most: child_process.Most | None) -> Iterator[None]:
    """One line where something takes more than `most`, that says how to go on; None: no limits but the system's."""
    try:
        with nullcontext() if most is None else child_process.limited(most):
            yield
    except MemoryError as error:
        if most is None:
            raise child_process.TooMuchError("this takes more memory than there is") from error
        told = f"{most.what} takes more than {format_bytes(most.n_bytes)} of memory, too much for its size{_LIFTED}"
        raise child_process.TooMuchError(told) from error
    except child_process.TooMuchError as error:
        raise child_process.TooMuchError(f"{error}{_LIFTED}") from error
    except FormatError as error:
        if most is None or not isinstance(error.__cause__, MemoryError):
            raise
        raise FormatError(error.path, f"{error.reason}{_LIFTED}") from error


def _convert(options: argparse.Namespace) -> None:
    target = os.path.expanduser(options.target)  # noqa: PTH111  a Path would lose the "/" that asks for a folder
    targets.check(target)  # before minutes of reading
    with _Progress(sys.stderr) as progress:
        reading = _Reading(options.no_limits)
        trace = reading.read(options.source.expanduser(), progress)
        progress(1.0, "writing")
        try:
            lost = targets.write(trace, target)
        except OSError as error:
            raise TbPluginError(f"{options.target}: {error.strerror or error}") from error
    for sentence in reading.notes:
        _say(sentence)
    if lost:
        _say(f"{options.target} cannot hold: {'; '.join(lost)}")


def _report(options: argparse.Namespace) -> None:
    reading = _Reading(options.no_limits)
    with _Progress(sys.stderr) as progress:
        which = (getattr(options, name) for name in _WHICH)
        trace = here.open_profile(options.path, *which, on_progress=progress, say=_say, read=reading.read)
        source, asked = reading.path.resolve(), Path(options.path).expanduser().resolve()
        below = source.parent.relative_to(asked).as_posix() if asked.is_dir() else "."
        run = readable_name(source.parent.name if below == "." else below)
        with _limits(None if options.no_limits else child_process.most_for_answer(len(trace.events))):
            report.write(trace, source, run, options.output.expanduser(), progress)
    for sentence in reading.notes:
        _say(sentence)


def _recover(options: argparse.Namespace) -> None:
    from tb_plugin.runs import recovery

    logdir = options.logdir.expanduser()
    found = []
    for left in recovery.recover([logdir]):
        found.append(left)
        sys.stdout.write(f"{readable(left.text)}\n")
    if not found:
        if not logdir.is_dir():  # asked last: a job may have died before it made its directory
            raise NotFoundError(f"{options.logdir}: no such directory")
        _say("nothing was left unfinished")
    not_finished = sum(left.state in {"failed", "lost"} for left in found)
    if not_finished:
        raise TbPluginError(f"{not_finished} of {len(found)} could not be finished")


def _serve(options: argparse.Namespace) -> None:
    from tb_plugin.doors import serve

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    found = logdirs.from_flags(None, options.logdir)
    for logdir in found:
        if logdir.problem is not None:
            raise UsageError(logdir.problem)
        if not Path(logdir.path).is_dir():
            raise NotFoundError(f"{logdir.shown}: no such directory")
    serve.serve(
        found,
        options.host,
        options.port,
        options.allow_host,
        lambda url: print(f"{url}  (Ctrl-C ends it)", flush=True),  # noqa: T201
        takes_files=dropped.are_taken() and not options.no_drop,
    )


class _Progress:
    """A line on a terminal that shows how far reading is, and what is left; gone afterwards."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._shown = ""
        self._countdown = Countdown()

    def __enter__(self) -> Callable[[float, str], None]:
        return self._show if self._stream.isatty() else lambda fraction, stage: None

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def _show(self, fraction: float, stage: str) -> None:
        left_s = self._countdown.seconds_left(fraction)
        line = f"{stage} {100 * fraction:.0f} %" + (f", about {left_s:.0f} s left" if left_s is not None and left_s >= 1 else "")
        if line != self._shown:
            self._shown = line
            self._stream.write(f"\r\033[K{line}")
            self._stream.flush()


def _say(sentence: str) -> None:
    sys.stderr.write(f"{_PROGRAM}: {sentence}\n")


if __name__ == "__main__":
    sys.exit(main())
