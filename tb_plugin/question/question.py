"""A question about one profile: what it takes, what it gives, and the pure function between the two."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from tb_plugin.base.errors import UsageError
from tb_plugin.question import outline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tb_plugin.question.outline import TextTable
    from tb_plugin.trace.model import Trace

P = TypeVar("P", bound=msgspec.Struct)
R = TypeVar("R")


_LARGEST: Final = 1 << 62
"""Two such still add up to what 64 bits hold; as a time, 146 years."""

_WRONG_TYPE: Final = re.compile(r"Expected `(int|float|bool)(?: \| null)?`, got `\w+`")
_MEANT: Final = {"int": "a whole number", "float": "a number", "bool": "true or false"}

_SHOWN: Final = 40  # of what does not fit

UpTo200 = Annotated[int, msgspec.Meta(ge=0, le=200)]
UpTo20000 = Annotated[int, msgspec.Meta(ge=0, le=20_000)]
UpTo200000 = Annotated[int, msgspec.Meta(ge=0, le=200_000)]
Lines = Annotated[str, msgspec.Meta(extra={"lines": True})]
"""Several texts, one a line; the shell takes the option several times."""

Amount = Annotated[int, msgspec.Meta(ge=0)]
"""How many rows, points or bytes: never below 0, and bounded where each is a piece of the reply."""


class NoParams(msgspec.Struct, frozen=True, kw_only=True):
    """For questions that need nothing but the profile."""


class ViewReply(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """`missing` says why there is no result and how to record one; `notes` what the filters or a limit left out of it."""

    view: str
    missing: str | None
    notes: list[str]
    result: R | None


def always_there(_trace: Trace) -> None:
    """For questions that every profile has an answer to."""


def fine(_reply: Any) -> int:
    """For questions whose every answer is one."""
    return 0


@dataclass(frozen=True, kw_only=True)
class Question(Generic[P, R]):
    """`reply` is a Struct, sent as JSON, or where there is `encode` anything: that makes its bytes, raw columns.

    `missing` says in one sentence why a trace has no answer and how to record it, or None when it has one.
    `keep`: people come back to the answer, so it is kept. `is_summary`: a few kB that tables of many profiles are made of: who
    opens a profile for one of them answers all. `is_beside`: it may lie beside the profile already. `with_job`: the answer where
    it is known what its job tells of the profile (`findings/from_job.py`).
    `shortened`: of a reply that counts its rows itself, so that they may be fewer where all have no room: without what
    refers to the others.
    """

    id: str
    title: str
    params: type[P]
    reply: type[R]
    answer: Callable[[Trace, P], R]
    missing: Callable[[Trace], str | None] = always_there
    text: Callable[[R], str] = outline.text
    table: Callable[[R], TextTable] = outline.table
    encode: Callable[[R], bytes] | None = None
    keep: bool = False
    is_summary: bool = False
    is_file: bool = False
    is_beside: bool = False
    shortened: Callable[[R], R] | None = None
    with_job: Callable[[Trace, P, Any], R] | None = None
    exit_code: Callable[[R], int] = fine  # of the shell, besides its errors

    def knowing(self, told: Any) -> Question[P, R]:
        """The same where its job is known; only of one that takes it (`with_job`)."""
        assert self.with_job is not None
        answer = self.with_job
        return replace(self, answer=lambda trace, params: answer(trace, params, told))

    @property
    def may_be_missing(self) -> bool:
        """Whether the answer stands in a `ViewReply`."""
        return self.missing is not always_there

    def params_from(self, given: Mapping[str, Any]) -> P:
        """As `params_from` below."""
        return params_from(self.params, given)


def params_from(params: type[P], given: Mapping[str, Any]) -> P:
    """Params from strings (a URL's query, a command line). UsageError says what does not fit.

    A misspelt name is an error: leaving it out would answer another question. So is a number that is no time, row or amount of
    any profile: columns hold 64 bits.
    """
    names = [field.encode_name for field in msgspec.structs.fields(params)]
    unknown = sorted(given.keys() - set(names))
    if unknown:
        raise UsageError(f"unknown parameter {unknown[0]!r}; there is {', '.join(names) or 'none'}")
    try:
        asked = msgspec.convert(dict(given), params, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(_misfit(params, given, str(error))) from error
    for name, value in msgspec.structs.asdict(asked).items():
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise UsageError(f"{name}: the number is out of range")
    return asked


def choices_of(hint: Any) -> list[str]:
    """The texts that a parameter may be, of `Literal` or `Literal | None`; none where it is not a choice."""
    return [str(text) for each in (hint, *get_args(hint)) if get_origin(each) is Literal for text in get_args(each)]


def _misfit(params: type[msgspec.Struct], given: Mapping[str, Any], said: str) -> str:
    """Names the parameter, what was given, and what may be."""
    reason, found, name = said.partition(" - at `$.")
    name = name.rstrip("`")
    if not found or name not in given:
        return said
    choices = choices_of(get_type_hints(params).get(name))
    shown = repr(given[name]) if len(str(given[name])) <= _SHOWN else f"{str(given[name])[:_SHOWN]!r}..."
    wrong_type = _WRONG_TYPE.fullmatch(reason)
    why = f"not {_MEANT[wrong_type[1]]}" if wrong_type else reason[:1].lower() + reason[1:]
    return f"{name}={shown}: {'there is ' + ', '.join(choices) if choices else why}"
