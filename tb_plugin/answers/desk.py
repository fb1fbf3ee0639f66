"""Where every door asks: a name and words in; waiting, failed or the answer out.

inquiry = desk.inquire("view/operators", {"run": "resnet", "group_by": "module"})   what is asked, of which files
desk.answer(inquiry)                                                                Waiting | Failed | Body
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

from tb_plugin.answers import bodies, its_job, questions
from tb_plugin.answers.bounded import encoded
from tb_plugin.answers.budget import Budget, Working, more_for
from tb_plugin.answers.kept import Body, KeptAnswers, StoredAnswers, packed
from tb_plugin.answers.members import Members
from tb_plugin.base import devices_file
from tb_plugin.question.joint import Joint, JointReply
from tb_plugin.question.question import P, Question, params_from
from tb_plugin.runs.shelf import WORTH_IT_EVENTS
from tb_plugin.runs.source import fingerprint_of
from tb_plugin.trace.kept import LastAnswers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tb_plugin.answers.bodies import Form
    from tb_plugin.answers.questions import AnyQuestion
    from tb_plugin.question.joint import Member
    from tb_plugin.runs.store import Asked, ProfileStore
    from tb_plugin.trace.so_far import SoFar

_MOST_LISTS = 4  # of members, whose tags are kept


class ProfileParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which profile; what is left out is what the page opens with. `again`: a file that could not be read is read once more."""

    run: str | None = None
    worker: str | None = None
    span: str | None = None
    again: bool = False


class JobParams(msgspec.Struct, frozen=True, kw_only=True):
    """Of a question whose answer is another one where its job is known (`Question.with_job`)."""

    in_job: Annotated[bool, msgspec.Meta(description="with what all ranks of its job tell of it, once all have answered")] = False


def besides(question: AnyQuestion) -> tuple[type[msgspec.Struct], ...]:
    """What it takes besides its own Params."""
    if isinstance(question, Joint):
        return ()
    return (ProfileParams,) if question.with_job is None else (ProfileParams, JobParams)


@dataclass(frozen=True, kw_only=True)
class OfOne:
    """A question about one profile. Equal tags have equal answers, whatever the files are called and whoever asks. `job`: what
    all ranks of its job are asked first.
    """

    name: str
    question: Question[Any, Any]
    params: msgspec.Struct
    form: Form
    which: ProfileParams
    passed_over: str | None  # what would be shown and cannot be read, in a sentence
    asked: Asked
    tag: str
    again: bool = False
    job: OfMany | None = None


@dataclass(frozen=True, kw_only=True)
class _Counted:
    """Members of a joint question, how many they are, and the tag of all that is in them."""

    members: Sequence[Member[Any]]
    n_asked: int  # a kept baseline is none of them
    n_done: int  # of all
    n_failed: int
    tag: str


@dataclass(frozen=True, kw_only=True)
class OfMany:
    """A question about several. Its members are as they were when it was asked. `are_known`: who is of which job."""

    joint: Joint[Any, Any, Any]
    params: msgspec.Struct
    form: str  # or one of the joint's own
    of: _Counted
    are_known: bool
    tag: str

    @property
    def members(self) -> Sequence[Member[Any]]:
        return self.of.members

    @property
    def is_done(self) -> bool:
        return self.of.n_done == len(self.members) and self.are_known

    @property
    def waiting(self) -> Waiting:
        """Until all have answered."""
        n, n_done = len(self.members), self.of.n_done
        return Waiting(state="loading", progress=n_done / n, stage=f"{n_done} of {n} profiles have answered")


Inquiry: TypeAlias = OfOne | OfMany


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Ask again. `progress` is 0 to 1; `so_far` is what is known while a large file is read."""

    state: Literal["queued", "loading"]
    progress: float
    stage: str
    seconds_left: float | None = None
    so_far: SoFar | None = None


@dataclass(frozen=True, kw_only=True)
class Failed:
    """The file cannot be read, and why."""

    file: str
    reason: str


class Desk:
    """Safe to use from any thread."""

    def __init__(self, store: ProfileStore) -> None:
        self.store = store
        self._members = Members(store)
        self._kept = KeptAnswers()
        self._stored = StoredAnswers(store.cache)
        self._budget = Budget(is_opening=store.is_opening)
        self._lists: LastAnswers[int, _Counted] = LastAnswers(_MOST_LISTS)

    def inquire(self, name: str, words: Mapping[str, str]) -> Inquiry:
        """UsageError for words that do not fit, NotFoundError for a question or a profile that is not there."""
        question, form = questions.in_form(name)
        if isinstance(question, Joint):
            return self._inquire_many(name, question, words, form)
        kinds = besides(question)
        names = {name for kind in kinds for name in kind.__struct_fields__}
        params = question.params_from({key: value for key, value in words.items() if key not in names})
        which, is_in_job = _taken(ProfileParams, words), JobParams in kinds and _taken(JobParams, words).in_job
        asked = self._chosen(which)
        passed_over = self.store.passed_over(which.run, which.worker, which.span, asked.span)
        job = self._job_of(which) if is_in_job else None
        return OfOne(
            name=name,
            which=which,
            passed_over=passed_over,
            question=question,
            params=params,
            form="csv" if form == "csv" else "sent",
            asked=asked,
            tag=_tag(asked.fingerprint, name, repr(params), passed_over or "", *([] if job is None else [job.tag])),
            again=which.again,
            job=job,
        )

    def _inquire_many(self, name: str, joint: Joint[Any, Any, Any], words: Mapping[str, str], form: str = "sent") -> OfMany:
        params = joint.params_from(words)
        are_known = self.store.watch.has_read_heads
        counted = self._counted(self._members.of(joint, params))
        tag = _tag(fingerprint_of(), devices_file.digest(), name, repr((params, are_known)), counted.tag)
        return OfMany(joint=joint, params=params, form=form, of=counted, are_known=are_known, tag=tag)

    def _job_of(self, which: ProfileParams) -> OfMany | None:
        """None of a profile without others, and of so many that nobody asks them for a line."""
        names = (which.run, which.worker, which.span)
        run, worker, span = self.store.catalogue().choose(*names, failed=self.store.has_failed)
        if not 1 < len(run.workers) <= its_job.MOST_RANKS:
            return None
        return self._inquire_many(its_job.QUESTION, *its_job.question_of(run, worker, span))

    def answer(
        self, inquiry: Inquiry, is_gone: Callable[[], bool] = lambda: False, wait_s: float = 0.0
    ) -> Body | Waiting | Failed:
        """Starts what must be done first, and for one profile waits that long until it is done. What was answered before needs
        no open profile.

        `is_gone` says that nobody waits any more. OverBudgetError where the answer takes more than a request may.
        """
        if isinstance(inquiry, OfMany):
            return self._of_many(inquiry)
        until_s = time.monotonic() + wait_s
        while True:
            n_opened = self.store.n_opened
            answer = self._of_one(inquiry, is_gone)
            left_s = until_s - time.monotonic()
            if not isinstance(answer, Waiting) or left_s <= 0:
                return answer
            self.store.wait(n_opened, left_s)

    def cancel(self, words: Mapping[str, str]) -> bool:
        """Ends the opening of a profile and what is worked out about it, for all who wait; False where there is neither.

        Errors as `inquire`.
        """
        asked = self._chosen(params_from(ProfileParams, words))
        was_opening, was_working = self.store.cancel(asked.span), self._budget.cancel(asked.fingerprint)
        return was_opening or was_working

    def working(self, words: Mapping[str, str]) -> list[Working]:
        """What is worked out about a profile now; nothing while it is being opened. Errors as `inquire`."""
        return self._budget.working(self._chosen(params_from(ProfileParams, words)).fingerprint)

    def close(self) -> None:
        """Ends threads and children; the store's too."""
        self._budget.close()
        self.store.close()
        self._members.close()

    def _counted(self, members: Sequence[Member[Any]]) -> _Counted:
        """Once of a list that is the same while nothing changes."""
        return self._lists.get(
            id(members),
            lambda: _Counted(
                members=members,
                n_asked=sum(not member.is_baseline for member in members),
                n_done=sum(member.is_final for member in members),
                n_failed=sum(member.state == "failed" for member in members),
                tag=_tag(repr(members)),
            ),
        )

    def _chosen(self, which: ProfileParams) -> Asked:
        return self.store.find(which.run, which.worker, which.span)

    def _of_one(self, inquiry: OfOne, is_gone: Callable[[], bool]) -> Body | Waiting | Failed:
        kept = self._kept.get(inquiry.tag) or self._from_disk(inquiry)
        if kept is not None:
            return kept
        loading = self.store.ask(inquiry.asked, again=inquiry.again)
        if loading.state == "failed":
            file = inquiry.asked.span.files[0].name
            if self._chosen(inquiry.which).span.key != inquiry.asked.span.key:
                return Waiting(state="queued", progress=0.0, stage=f"{file} cannot be read, opening another profile")
            return Failed(file=file, reason=loading.error or "cannot be read")
        if loading.value is None:
            state: Literal["queued", "loading"] = "queued" if loading.state == "queued" else "loading"
            return Waiting(
                state=state,
                progress=loading.reached,
                stage=loading.stage,
                seconds_left=loading.seconds_left,
                so_far=self.store.so_far(inquiry.asked.span),
            )
        trace, question, job = loading.value, inquiry.question, inquiry.job
        if job is not None:
            if not job.is_done:
                return job.waiting
            question = question.knowing(job.joint.join(job.members, job.params))
        n_events, opens = len(trace.events), _opens_a_view(inquiry)

        def worked_out() -> Body:
            data = bodies.body(question, trace, inquiry.params, inquiry.form, inquiry.passed_over)
            body = packed(data, bodies.media(question, inquiry.form))
            if question.keep:
                self._kept.put(inquiry.tag, body)
            if opens and n_events >= WORTH_IT_EVENTS:
                self._stored.put(inquiry.tag, body)
            return body

        return self._budget.spend(
            inquiry.tag,
            worked_out,
            about=(inquiry.asked.fingerprint, inquiry.name),
            is_gone=is_gone,
            **more_for(n_events, opens=opens),
        )

    def _from_disk(self, inquiry: OfOne) -> Body | None:
        if not _opens_a_view(inquiry):
            return None
        found = self._stored.get(inquiry.tag, bodies.media(inquiry.question, inquiry.form))
        if found is not None:
            self._kept.put(inquiry.tag, found)
            self.store.ask(inquiry.asked)  # what is looked at next needs the profile
        return found

    def _of_many(self, inquiry: OfMany) -> Body | Waiting:
        kept = self._kept.get(inquiry.tag)
        if kept is not None:
            return kept
        joint, members, is_done = inquiry.joint, inquiry.members, inquiry.is_done
        if inquiry.form == "csv" and not is_done:  # rows alone: they cannot say that others are still to come
            return inquiry.waiting
        result = joint.join(members, inquiry.params)
        if inquiry.form == "csv":
            body = packed(bodies.csv_text(joint.table(result)).encode(errors="replace"), bodies.CSV)
        elif inquiry.form in joint.forms:
            text = joint.forms[inquiry.form](result) + "\n"
            body = packed(text.encode(errors="replace"), bodies.media(joint, inquiry.form))
        else:
            reply = JointReply(
                n_members=inquiry.of.n_asked,
                n_pending=max(len(members) - inquiry.of.n_done, not is_done),
                n_failed=inquiry.of.n_failed,
                result=result,
            )
            body = packed(encoded(reply), bodies.JSON)
        if is_done:
            self._kept.put(inquiry.tag, body)
        return body


def _taken(kind: type[P], words: Mapping[str, str]) -> P:
    return params_from(kind, {key: words[key] for key in kind.__struct_fields__ if key in words})


def _opens_a_view(inquiry: OfOne) -> bool:
    """Whether it is what a view asks first: nothing filtered, nothing chosen."""
    question = inquiry.question
    return question.keep and inquiry.form == "sent" and inquiry.params == question.params()


def _tag(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:24]
