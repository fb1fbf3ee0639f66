"""Options that change nothing in the form that was asked for: that is said, on stderr, and not swallowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROWS: Final = {
    ("overview", "top", "csv"): "its rows are the steps",
    ("advice", "rows", "csv"): "its rows are the findings, without their events",
    ("advice", "rows", "text"): "the findings stand there without a list of their events",
    ("whatif", "effects", "csv"): "its rows are the edits",
}
"""Of (question, option, form): what stands there instead."""

_OF_RANKS: Final = ("rank", "path")
_OF_STEPS: Final = ("step",)


def without_effect(question: str, form: str, given: Mapping[str, str]) -> list[str]:
    """Sentences on the words that were given. JSON of all ranks has all tables."""
    found = [
        f"--{option} has no effect with --format {form}: {why}"
        for (of, option, as_form), why in _ROWS.items()
        if (of, as_form) == (question, form) and option in given
    ]
    if question == "ranks" and form != "json":
        by = given.get("by", "rank")
        found += [
            f"--{option} has no effect with --by {by}: its rows are of all {option}"
            for option, tables in (("ranks", _OF_RANKS), ("steps", _OF_STEPS))
            if option in given and by not in tables
        ]
    return found
