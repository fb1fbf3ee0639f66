"""A question about several profiles: what is asked of each, and how the answers join.

    Joint            runs                      ranks                     compare
    over             one profile a run         every rank of a run       two
    of_each          span_summary              rank_summary              sums
    takes            all                       all                       those that are named
    join             rows of a table           wait and transfer         differences

No join ever sees a Trace: the answers of one profile are its summary. So no process holds two big traces, a thousand ranks are
joined from a thousand small answers, and what is not there yet, or broken, is a member with a state and a reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import msgspec

from tb_plugin.question import outline
from tb_plugin.question.question import P, Question, R, fine, params_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tb_plugin.question.outline import TextTable

S = TypeVar("S", bound=msgspec.Struct)

State = Literal["found", "queued", "loading", "ready", "failed"]
Over = Literal["runs", "workers", "jobs", "spans", "history"]
"""Which profiles: of each run the one that it opens with, of each worker the one that it opens with, of each all of the
recording that most of its job have, all, or all of each run's first worker."""


class JointReply(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """`result` is of what is there; ask again while there are `n_pending` members that are still to come."""

    n_members: int
    n_pending: int
    n_failed: int
    result: R


@dataclass(frozen=True, kw_only=True)
class Member(Generic[S]):
    """A profile that is asked. `answer` is there when it is ready and has one, else `reason` says why not."""

    run: str
    worker: str
    span: str
    label: str  # of the worker, for people
    recorded_ns: int  # Unix time: by its name, its first bytes, all of it once it has answered; else when its file was written
    n_workers: int  # of its run
    n_ranks: int  # of its job, that have a file
    state: State
    progress: float  # 0 to 1
    reason: str | None
    answer: S | None
    note: str | None = None  # what else is to be said of it, in a sentence
    new_normal: str | None = None  # why somebody says that from here on another level is the normal one
    file: str = ""  # the name of its first one, where it has some
    size_bytes: int = 0  # of all its files
    job: str = ""  # which of its run's, where that has several, as far as it is not the time that tells
    other_spans: tuple[str, ...] = ()  # of "jobs": its worker's parts of earlier recordings of the job, that can be asked too
    n_recordings: int = 1  # of "runs": of its job, by when each began
    n_others: int = 0  # of "runs": workers of its run that are no ranks of a job with it, and of which nothing is told
    is_baseline: bool = False  # no profile of the log directory, but what its kept baseline says

    @property
    def is_final(self) -> bool:
        """Asking again brings nothing new."""
        return self.state in ("ready", "failed")


def nothing_said(_reply: Any) -> Sequence[str]:
    """Of a question whose exit code is always 0."""
    return ()


def takes_all(_params: Any, _run: str, _worker: str, _span: str) -> bool:
    """Every profile that `over` says."""
    return True


def all_of_it(params: Any) -> str:
    """Of Params that may all choose who is asked."""
    return repr(params)


@dataclass(frozen=True, kw_only=True)
class Joint(Generic[P, S, R]):
    """`over` and `asked` take our Params: which profiles, and what `of_each` is asked with. `join` is pure, of all members.

    `takes`: whether the profile of this run, worker and span is asked at all; `chosen_by`: all that it goes by. `most`: so many,
    the newest. `has_baseline`: what the log directory's kept baseline says is a member too.
    """

    id: str
    title: str
    params: type[P]
    reply: type[R]
    over: Callable[[P], Over]
    of_each: Question[Any, S]
    asked: Callable[[P], Any]
    join: Callable[[Sequence[Member[S]], P], R]
    takes: Callable[[P, str, str, str], bool] = takes_all
    chosen_by: Callable[[P], object] = all_of_it
    most: int | None = None
    has_baseline: bool = False
    text: Callable[[R], str] = outline.text
    table: Callable[[R], TextTable] = outline.table
    forms: Mapping[str, Callable[[R], str]] = field(default_factory=dict)  # besides text, json and csv
    exit_code: Callable[[R], int] = fine  # of the shell, besides its errors
    verdict: Callable[[R], Sequence[str]] = nothing_said  # on stderr, what that exit code is for
    exit_codes: str | None = None  # what they mean, for the help

    def params_from(self, given: Mapping[str, Any]) -> P:
        """As `Question.params_from`."""
        return params_from(self.params, given)
