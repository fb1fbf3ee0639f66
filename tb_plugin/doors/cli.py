"""The command `tb-plugin`: every view from the shell, over the same functions as the page. The one place that prints."""

from __future__ import annotations

import argparse
import csv
import os
import signal
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal, NoReturn, get_args, get_origin, get_type_hints

import msgspec

from tb_plugin import __version__, views
from tb_plugin.base.errors import NotFoundError, TbPluginError, UsageError
from tb_plugin.formats.convert import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.trace.model import Trace
    from tb_plugin.view import View

_PROGRAM = "tb-plugin"
_INTERRUPTED = 130
_PIPE_CLOSED = 141
_WHICH = ("run", "worker", "span")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    try:
        options = _parser().parse_args(arguments)
        options.command(options)
        sys.stdout.flush()
    except TbPluginError as error:
        _say(" ".join(str(error).split()))
        return error.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # `| head` has seen enough. Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=_PROGRAM, description="Profiles of torch.profiler, from the shell. PATH is a profile or a log directory."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for view in views.ALL:
        _add_view(commands, view)
    convert = commands.add_parser(
        "convert",
        help="write a profile in another format",
        description="Writes a profile in the format that OUT's name asks for, and says what that format cannot hold.",
        epilog=f"OUT is one of {TARGETS}. A .pt.profile.pb opens ten times faster than JSON.",
    )
    convert.add_argument("source", metavar="IN", type=Path, help="any profile that can be read")
    convert.add_argument("target", metavar="OUT", help="where to write; replaced at once when complete")
    convert.set_defaults(command=_convert)
    serve = commands.add_parser("serve", help="show the page without TensorBoard")
    serve.add_argument("logdir", metavar="LOGDIR", help="a directory, or name:dir,name:dir")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    serve.add_argument("--port", type=int, default=None, help="default 6007, or any free one when that is taken")
    serve.set_defaults(command=_serve)
    return parser


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, where argparse would print the usage too."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def _add_view(commands: argparse._SubParsersAction[_Parser], view: View[Any, Any]) -> None:
    parser = commands.add_parser(view.id, help=view.question, description=view.question)
    parser.add_argument("path", metavar="PATH", help="a profile, or a log directory")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text", help="default text")
    for name in _WHICH:
        parser.add_argument(f"--{name}", help=f"which {name} of a directory with several")
    parser.add_argument("--check", action="store_true", help="verify the profile's inner order first")
    hints = get_type_hints(view.params, include_extras=True)
    for field in msgspec.structs.fields(view.params):
        hint, *meta = get_args(hints[field.name]) if get_origin(hints[field.name]) is Annotated else (hints[field.name],)
        known = [str(choice) for choice in get_args(hint)] if get_origin(hint) is Literal else None
        described = next((each.description for each in meta if isinstance(each, msgspec.Meta)), None)
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            dest=f"param_{field.name}",
            choices=known,
            metavar=None if known else "TEXT" if hint is str else getattr(hint, "__name__", "VALUE").upper(),
            required=field.required,
            help=described or f"default {field.default}",
        )
    parser.set_defaults(command=lambda options: _show(view, options))


def _show(view: View[Any, Any], options: argparse.Namespace) -> None:
    given = {name: getattr(options, f"param_{name}") for name in view.params.__struct_fields__}
    try:
        params = view.params_from({name: value for name, value in given.items() if value is not None})
    except msgspec.ValidationError as error:
        raise UsageError(str(error)) from error
    trace = _open(options)
    if options.check:
        _check(trace)
    missing = view.missing(trace)
    if missing is not None:
        _say(missing)
    result = view.compute(trace, params)
    if options.format == "json":
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(result), indent=2).decode() + "\n")
    elif options.format == "csv":
        table = view.table(result)
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(table.columns)
        writer.writerows(table.rows)
    else:
        sys.stdout.write(view.text(result).rstrip("\n") + "\n")


def _open(options: argparse.Namespace) -> Trace:
    from tb_plugin.formats import reader

    path = Path(options.path).expanduser()
    named = [getattr(options, name) for name in _WHICH]
    if not path.is_dir():
        if any(name is not None for name in named):
            raise UsageError(f"{path}: --run, --worker and --span choose within a directory, and this is none")
        with _Progress(sys.stderr) as progress:
            return reader.read(path, progress)
    from tb_plugin.runs import store

    files = _files(options.path, named)
    with _Progress(sys.stderr) as progress:
        return store.open_best(files, lambda file: reader.read(file.path, progress))


def _files(logdir: str, named: list[str | None]) -> tuple[Any, ...]:
    """Files of the profile that was named, or of the newest one; says which it took when there are several."""
    from tb_plugin.runs import discover, logdirs, names

    scan = discover.Scan(logdirs.from_flags(logdir, None), discover.Recogniser())
    for _ in scan.run(threading.Event()):
        pass
    catalogue = scan.catalogue()
    for problem in catalogue.problems:
        _say(problem)
    n_spans = sum(1 for _ in catalogue.spans())
    if n_spans == 0:
        raise NotFoundError(f"{logdir}: no profile here; searched for {', '.join(names.SEARCHED)}")
    run, worker, span = catalogue.choose(*named)
    if n_spans > 1 and None in named:
        _say(
            f"showing --run {run.name} --worker {worker.name} --span {span.name}, one of {n_spans} profiles; "
            "choose with these options"
        )
    return span.files


def _check(trace: Trace) -> None:
    from tb_plugin.trace import check

    try:
        check.check(trace)
    except AssertionError as error:
        raise TbPluginError(f"the profile is not in order: {error}") from error


def _convert(options: argparse.Namespace) -> None:
    from tb_plugin.formats import convert, reader

    target = os.path.expanduser(options.target)  # noqa: PTH111  a Path would lose the "/" that asks for a folder
    convert.check_target(target)  # before minutes of reading
    with _Progress(sys.stderr) as progress:
        trace = reader.read(options.source.expanduser(), progress)
        progress(1.0, "writing")
        try:
            lost = convert.write(trace, target)
        except OSError as error:
            raise TbPluginError(f"{options.target}: {error.strerror or error}") from error
    if lost:
        _say(f"{options.target} cannot hold: {'; '.join(lost)}")


def _serve(options: argparse.Namespace) -> None:
    from tb_plugin.doors import serve
    from tb_plugin.runs import logdirs

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    found = logdirs.from_flags(None, options.logdir)
    for logdir in found:
        if logdir.problem is not None:
            raise UsageError(logdir.problem)
        if not Path(logdir.path).is_dir():
            raise NotFoundError(f"{logdir.shown}: no such directory")
    serve.serve(found, options.host, options.port, lambda url: print(f"{url}  (Ctrl-C ends it)", flush=True))  # noqa: T201


class _Progress:
    """A line on a terminal that shows how far reading is, and is gone afterwards."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._shown = ""

    def __enter__(self) -> Callable[[float, str], None]:
        return self._show if self._stream.isatty() else lambda fraction, stage: None

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._stream.write("\r\033[K")
            self._stream.flush()

    def _show(self, fraction: float, stage: str) -> None:
        line = f"{stage} {100 * fraction:.0f} %"
        if line != self._shown:
            self._shown = line
            self._stream.write(f"\r\033[K{line}")
            self._stream.flush()


def _say(sentence: str) -> None:
    sys.stderr.write(f"{_PROGRAM}: {sentence}\n")


if __name__ == "__main__":
    sys.exit(main())
