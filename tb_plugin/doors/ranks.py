"""`tb-plugin ranks --rank 5`, `--what-if rank=5`, `--beside RUN`: other questions about a job, by options of its command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.answers import questions
from tb_plugin.base.errors import UsageError
from tb_plugin.question.joint import Joint

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

COMMAND: Final = "ranks"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Beside those of the question."""
    parser.add_argument("--rank", metavar="NUMBER", help="one rank against its peers, instead of a table; CSV: its steps")
    parser.add_argument(
        "--what-if",
        metavar="EDIT",
        action="append",
        help="what a step would be, by replay; several times for several edits: rank=5, rank=4-7,12, rank:loader=5, rank=all, "
        "stage=3, host=NAME, replica=1 (like its peers), stages=even, transfer=0.5, transfer:data=0, links=usual, "
        "ideal, 'ideal but rank=5'",
    )

    parser.add_argument(
        "--beside",
        metavar="RUN",
        help="another recording of the same job, beside this one: --by dimension (default) or rank; the same run takes another "
        "recording in it",
    )
    parser.add_argument("--beside-span", metavar="SPAN", help="of several recordings in that run the one that holds this span")


def instead(options: argparse.Namespace, given: Mapping[str, str]) -> tuple[Joint[Any, Any, Any], Any] | None:
    """The question that one of these options asks and its Params; None without any. `given`: words of `ranks` itself."""
    edits = None if options.what_if is None else "\n".join(options.what_if)
    asked = {"rank": options.rank, "what_if": edits, "beside": options.beside}
    said = {name: value for name, value in asked.items() if value is not None}
    if options.beside_span is not None:
        if options.beside is None:
            raise UsageError("--beside-span names a recording of the run that --beside names")
        given = {**given, "beside_span": options.beside_span}
    if not said:
        return None
    if len(said) > 1:
        raise UsageError(f"{' and '.join(map(_option, said))} ask two questions: one at a time")
    ((name, value),) = said.items()
    for word in ("by", "ranks", "steps"):
        if word in given and (word, name) != ("by", "beside"):
            raise UsageError(f"{_option(word)} chooses of the tables of all ranks, and {_option(name)} shows none of these")
    question = questions.named(f"ranks/{name}")
    assert isinstance(question, Joint)
    return question, question.params_from({**given, name: value})


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
