"""What later profiles are compared with, in a small file of its own: answers that outlive the profile that gave them.

tb-plugin baseline logs/main_42 --into ci      ci/torch_profile_baseline.json
tb-plugin compare ci/@baseline logs/new        the profile itself may be gone
tb-plugin trends ci --against baseline         of a log directory with a baseline in it
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from tb_plugin.answers import questions
from tb_plugin.base.errors import FormatError, NotFoundError, TbPluginError
from tb_plugin.formats import whole_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.question.question import Question

WORD: Final = "@baseline"
NAME: Final = "torch_profile_baseline.json"
VERSION: Final = 2
"""Of the file; what answers look like is seen when they are read."""

_BEGINS: Final = b'{"kind":"torch_profile_baseline"'


class BaselineOf(msgspec.Struct, frozen=True, kw_only=True):
    """Answers to a question with these Params, of each profile of the run."""

    params: msgspec.Raw
    answers: list[msgspec.Raw]


class KeptBaseline(msgspec.Struct, frozen=True, kw_only=True):
    """`kept`: by the name of the question."""

    kind: Literal["torch_profile_baseline"] = "torch_profile_baseline"
    version: int = VERSION
    label: str = ""
    kept: dict[str, BaselineOf] = {}


class ToKeep(NamedTuple):
    """What is kept: the answers of each profile of the run."""

    question: Question[Any, Any]
    params: msgspec.Struct
    answers: Sequence[msgspec.Struct]


def place_of(path: str) -> Path | None:
    """The file that a path names, `@baseline` or `DIR/@baseline` or by its content; None for anything else."""
    where = Path(path).expanduser()
    if where.name == WORD:
        return where.with_name(NAME)
    try:
        with where.open("rb") as file:
            return where if file.read(len(_BEGINS)) == _BEGINS else None
    except OSError:
        return None


def write(into: Path, label: str, given: Sequence[ToKeep]) -> Path:
    """Replaces the one that is there. TbPluginError where it cannot be written."""
    target = into / NAME
    kept = {
        questions.name_of(one.question): BaselineOf(
            params=msgspec.Raw(msgspec.json.encode(one.params)),
            answers=[msgspec.Raw(msgspec.json.encode(answer)) for answer in one.answers],
        )
        for one in given
    }
    made = KeptBaseline(label=label, kept=kept)
    try:
        into.mkdir(parents=True, exist_ok=True)
        with whole_file.written(target) as file:
            file.write(msgspec.json.encode(made))
    except OSError as error:
        raise TbPluginError(f"{target}: {error.strerror or error}") from error
    return target


def read(place: Path, question: Question[Any, Any], params: msgspec.Struct) -> tuple[str, list[Any]]:
    """(label, answers). FormatError where it answers something else, or was made by a version with other answers."""
    try:
        found = msgspec.json.decode(place.read_bytes(), type=KeptBaseline)
    except OSError as error:
        raise NotFoundError(f"{place}: {error.strerror or 'cannot be read'}; `tb-plugin baseline RUN` writes one") from error
    except msgspec.DecodeError as error:
        raise FormatError(str(place), f"not a baseline: {error}") from error
    again = "write it again with `tb-plugin baseline`"
    kept = found.kept.get(questions.name_of(question))
    if found.version != VERSION or kept is None:
        raise FormatError(str(place), f"a baseline of another version: {again}")
    try:
        if msgspec.json.decode(kept.params, type=question.params) != params:
            raise FormatError(str(place), f"the baseline is per {msgspec.json.decode(kept.params).get('per') or 'step'}: {again}")
        return found.label, [msgspec.json.decode(answer, type=question.reply) for answer in kept.answers]
    except msgspec.DecodeError as error:
        raise FormatError(str(place), f"a baseline of another version: {again}") from error
