"""Asks in this process: opens a profile, answers, and forgets both. For the shell, and for Python as `tb_plugin.ask`."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.answers import questions
from tb_plugin.answers.members import Members
from tb_plugin.base.errors import FormatError, NotFoundError, UsageError
from tb_plugin.base.progress import silent
from tb_plugin.formats import reader
from tb_plugin.question.joint import Joint
from tb_plugin.runs import discover, logdirs, names, store, watch
from tb_plugin.runs.marks import marks_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    import msgspec

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.question.question import R
    from tb_plugin.runs.catalogue import ProfileFile, Span
    from tb_plugin.trace.model import Trace

_NO_DIRECTORY: Final = "no such directory; this is asked of a log directory"
_PATIENCE_S: Final = 0.1
"""Between two looks at how far the profiles are."""


def ask(
    question: str,
    path: str | os.PathLike[str],
    *,
    run: str | None = None,
    worker: str | None = None,
    span: str | None = None,
    **params: object,
) -> Any:
    """The answer to a question about a profile, as the page gets it: `ask("operators", path, group_by="module").rows`.

    `path` is a profile, or a log directory, of which the profile is taken that is named, else what the page opens with.
    Questions and their Params are those of the shell (`tb-plugin --help`). UsageError, NotFoundError and FormatError say in one
    line what is wrong.
    """
    asked = questions.named(question)
    if isinstance(asked, Joint):
        which = {"run": run, "worker": worker, "span": span}
        joint = asked.params_from({name: value for name, value in {**params, **which}.items() if value is not None})
        return ask_many(asked, str(path), joint)
    given = asked.params_from({name: value for name, value in params.items() if value is not None})
    return asked.answer(open_profile(str(path), run, worker, span), given)


def ask_many(
    joint: Joint[Any, Any, R],
    logdir: str,
    params: msgspec.Struct,
    *,
    on_progress: OnProgress = silent,
    say: Callable[[str], None] = lambda _sentence: None,
) -> R:
    """Waits until every member has answered or failed. Each is opened by a child process, and not at all the second time."""
    with looking_at(logdir, on_progress, say) as (_, asked):
        asked.answer_ahead(joint, params, on_progress)
        members = asked.of(joint, params)
        while not all(member.is_final for member in members):
            share = sum(1.0 if member.is_final else member.progress for member in members) / len(members)
            on_progress(share, f"asking {len(members)} profiles")
            time.sleep(_PATIENCE_S)
            members = asked.of(joint, params)
        return joint.join(members, params)


@contextmanager
def looking_at(
    logdir: str, on_progress: OnProgress = silent, say: Callable[[str], None] = lambda _sentence: None
) -> Iterator[tuple[store.ProfileStore, Members]]:
    """A log directory with its profiles found; `say` is told what was odd. NotFoundError where there is none, or none in it."""
    where = Path(logdir).expanduser()
    if not where.is_dir():
        what = "a file, and this is asked of the directory that it lies in" if where.exists() else _NO_DIRECTORY
        raise NotFoundError(f"{logdir}: {what}")
    opened = store.ProfileStore(watch.Watch(logdirs.from_flags(logdir, None)))
    asked = Members(opened)
    try:
        while not opened.watch.settled(_PATIENCE_S):
            on_progress(0.0, "looking for profiles")
        for problem in (*opened.watch.known.problems, *marks_of(opened.watch.logdirs).problems):
            say(problem)
        if not any(True for _ in opened.watch.known.spans()):
            raise _nothing_in(logdir)
        yield opened, asked
    finally:
        opened.close()
        asked.close()


def open_profile(
    path: str,
    run: str | None = None,
    worker: str | None = None,
    span: str | None = None,
    *,
    on_progress: OnProgress = silent,
    say: Callable[[str], None] = lambda _sentence: None,
    read: Callable[[Path, OnProgress], Trace] = reader.read,
) -> Trace:
    """A file; or of a directory what is named, else what the page opens with. `say` is told which it is, and what was odd."""
    where = Path(path).expanduser()
    if not where.is_dir():
        if (run, worker, span) != (None, None, None):
            raise UsageError(f"{path}: --run, --worker and --span choose within a directory, and this is none")
        return read(where, on_progress)
    catalogue = discover.search(logdirs.from_flags(path, None))
    for problem in catalogue.problems:
        say(problem)
    n_spans = sum(1 for _ in catalogue.spans())
    if n_spans == 0:
        raise _nothing_in(path)
    failed: dict[str, FormatError] = {}
    while True:
        of_run, of_worker, of_span = catalogue.choose(run, worker, span, failed=lambda other: other.key in failed)
        if of_span.key in failed:
            raise next(iter(failed.values()))  # no other is left: of what opens first
        if n_spans > 1 and None in (run, worker, span):
            say(
                f"showing --run {of_run.name} --worker {of_worker.name} --span {of_span.name}, one of {n_spans} profiles; "
                "choose with these options"
            )
        if (which := catalogue.which_else(of_run.name, worker, span, of_worker)) is not None:
            say(which)
        try:
            return _opened(of_span, lambda file: read(Path(file.path), on_progress))
        except FormatError as error:
            if None not in (run, worker, span):
                raise
            failed[of_span.key] = error
            if n_spans > len(failed):
                say(f"{Path(error.path).name} cannot be read: {error.reason}")


def _opened(span: Span, read: Callable[[ProfileFile], Trace]) -> Trace:
    if span.why_no_profile is not None:
        first = Path(span.files[0].path)
        raise FormatError(str(first.parent if span.is_dumps else first), span.why_no_profile)
    return store.open_best(span.files, read)


def _nothing_in(logdir: str) -> NotFoundError:
    return NotFoundError(f"{logdir}: no profile here; searched for {', '.join(names.SEARCHED)}")
