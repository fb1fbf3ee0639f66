"""`tb-plugin ranks --rank 5` and `--what-if rank=5`: other questions about the same job, by options of its command."""

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
    parser.add_argument("--rank", metavar="NUMBER", help="one rank against its peers, instead of a table")
    parser.add_argument(
        "--what-if",
        metavar="EDIT",
        action="append",
        help="what a step would be, by replay; several times for several edits: rank=5, rank:loader=5, rank=all, stage=3, "
        "host=NAME, replica=1 (like its peers), stages=even, transfer=0.5, transfer:data=0, links=usual",
    )


def instead(options: argparse.Namespace, given: Mapping[str, str]) -> tuple[Joint[Any, Any, Any], Any] | None:
    """The question that `--rank` or `--what-if` asks and its Params; None without either. `given`: words of `ranks` itself."""
    rank, edits = options.rank, options.what_if
    if rank is None and edits is None:
        return None
    if rank is not None and edits is not None:
        raise UsageError("--rank and --what-if ask two questions: one at a time")
    if "by" in given:
        raise UsageError(
            f"--by chooses a table of all ranks, and {'--rank' if edits is None else '--what-if'} shows none of these"
        )
    words = dict(given) | ({"rank": rank} if edits is None else {"what_if": "\n".join(edits)})
    question = questions.named("ranks/rank" if edits is None else "ranks/what_if")
    assert isinstance(question, Joint)
    return question, question.params_from(words)
