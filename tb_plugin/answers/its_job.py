"""What all ranks of its job tell of a profile that is asked about alone in the shell, as the page tells it.

From summaries that are kept. No profile is opened for it: asking all ranks is another question, and who has asked it has them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tb_plugin.answers import here, questions
from tb_plugin.question.joint import Joint
from tb_plugin.runs.rounds import is_default

if TYPE_CHECKING:
    from tb_plugin.runs.catalogue import Catalogue, Run, Span, Worker

MOST_RANKS: Final = 64
"""As on the page: of more every summary would have to be read for one line."""

QUESTION: Final = "view/ranks/in_job"


class ItsJob(NamedTuple):
    """`told`: of the profile, None where its job is not asked. `notes`: what would tell."""

    told: Any = None  # `FromJob` of the findings
    notes: tuple[str, ...] = ()


def its_job(profile: Path, path: str) -> ItsJob:
    """`path`: what was asked about, the file or a log directory that it is in."""
    folder = path if Path(path).expanduser().is_dir() else str(profile.parent)
    with here.looking_at(folder) as (opened, asked):
        found = _place_of(opened.catalogue(), profile)
        if found is None or len(found[0].workers) < 2:
            return ItsJob()
        run, worker, span = found
        joint, words = question_of(run, worker, span)
        params = joint.params_from(words)
        members = asked.of(joint, params, asks=False) if len(run.workers) <= MOST_RANKS else []
        if not members or not all(member.is_final for member in members):
            it = f"one of {len(run.workers)} profiles of its run"
            return ItsJob(notes=(f"{it}: tb-plugin ranks {folder} tells whom it waits for, and from then on this does too",))
        return ItsJob(joint.join(members, params))


def question_of(run: Run, worker: Worker, span: Span) -> tuple[Joint[Any, Any, Any], dict[str, str]]:
    """(what is asked of all its ranks, with which words): of the recording that Ranks shows, or of the one that is named."""
    joint = questions.named(QUESTION)
    assert isinstance(joint, Joint)
    which = {"run": run.name, "worker": worker.name}
    return joint, which if is_default(run, worker, span) else {**which, "span": span.name}


def _place_of(catalogue: Catalogue, profile: Path) -> tuple[Run, Worker, Span] | None:
    real = profile.resolve()
    for run in catalogue.runs:
        for worker in run.workers:
            for span in worker.spans:
                if any(Path(file.path).name == real.name and Path(file.path).resolve() == real for file in span.files):
                    return run, worker, span
    return None
