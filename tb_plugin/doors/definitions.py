"""Each figure is defined once, in `definitions.md` of its view; `docs/metrics.md` and the page's "?" are made from that.

The page's `definitions.ts` holds a key for each field, `?ranks.wait_ns`, and asks for the words when a view is open (`texts`).

    python -m tb_plugin.doors.wire            with the rest of what is generated
    python -m tb_plugin.doors.definitions     these alone

A table whose first column is headed `field` defines what its first cells name: `| field | definition |`. `a`, `b` in one
cell share a text; `curve.time_ns` is the field of that list where another list of the view has one of the same name.
Categories of work say theirs in `trace/work/taxonomy.py`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin import views
from tb_plugin.base.errors import NotFoundError
from tb_plugin.trace.work.taxonomy import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ROOT / "tb_plugin/views"
METRICS: Final = ROOT / "docs/metrics.md"
PAGE: Final = ROOT / "frontend/src/views"
CATEGORIES_OF_PAGE: Final = ROOT / "frontend/src/wire/categories.ts"

_DOCUMENT_HEAD = "<!-- Generated from tb_plugin/views/*/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit. -->\n\n"
_MODULE_HEAD = "// Generated from tb_plugin/views/{view}/definitions.md by `python -m tb_plugin.doors.wire`. Do not edit.\n"
_CATEGORIES_HEAD = "// Generated from tb_plugin/trace/work/taxonomy.py by `python -m tb_plugin.doors.wire`. Do not edit.\n"
_TABLE = re.compile(r"^\| field \|.*\n\|[-| ]+\|\n((?:\|.*\n?)+)", re.M)
_CELL_END = re.compile(r"(?<!\\)\|")  # `\|` is a bar in the text
_FIELD = r"`(\w+)_(?:ns|share|bytes)`"
_SHOWN: Final = 40  # of what somebody asked for
_WORDS: Final = {"untold": "not told apart"}
_RESERVED = {"class", "default", "delete", "export", "function", "import", "in", "new", "package", "static", "this", "with"}


def view_ids() -> list[str]:
    """Views with definitions, in the order of the page."""
    return [view.id for view in views.ALL if (SOURCES / view.id / "definitions.md").is_file()]


def of_view(view: str) -> dict[str, str]:
    """Definitions by field, as written: with Markdown's backticks. ValueError for one with two texts."""
    found: dict[str, str] = {}
    for fields, text in _rows((SOURCES / view / "definitions.md").read_text(encoding="utf-8")):
        for field in fields:
            if found.setdefault(field, text) != text:
                raise ValueError(f"{view}: two definitions of {field}")
    return found


def document() -> str:
    """`docs/metrics.md`: all definitions, a chapter for each view."""
    head = (SOURCES / "definitions.md").read_text(encoding="utf-8")
    chapters = [(SOURCES / view / "definitions.md").read_text(encoding="utf-8") for view in view_ids()]
    return _DOCUMENT_HEAD + "\n".join([head, *(re.sub(r"^#", "##", chapter, flags=re.M) for chapter in chapters)])


@cache
def texts(view: str) -> Mapping[str, str]:
    """What stands behind "?", each once, by the constant of the first field that it defines; NotFoundError for no such view."""
    if view not in view_ids():
        raise NotFoundError(f"there are no definitions of a view {view[:_SHOWN]!r}")
    return {name_of(field): in_words(text) for text, field in _firsts(of_view(view)).items()}


def module(view: str) -> str:
    """`definitions.ts` of a view: a constant for each field, the key of its text; the bundle holds those the page shows."""
    found = of_view(view)
    lines = [f'export const {name_of(field)} = "?{view}.{told_as(field, found)}"' for field in found]
    return "\n".join([_MODULE_HEAD.format(view=view), *lines, ""])


def in_words(text: str) -> str:
    """A definition for people, who see no names of fields: `change_ns` is the change; one alone in brackets says nothing. A
    microsecond is written as everywhere on the page.
    """
    without = re.sub(r"(?<=\d) us\b", " µs", re.sub(rf" \({_FIELD}\)", "", text))
    return re.sub(_FIELD, lambda found: _WORDS.get(found[1], found[1].replace("_", " ")), without)


def categories() -> str:
    """`categories.ts`: what work can be, in the order in which it is drawn. Colours are in theme.css, by id."""
    lines = [f"  {{ id: {_quoted(c.id)}, title: {_quoted(c.title)}, definition: {_quoted(c.definition)} }}," for c in CATEGORIES]
    return "\n".join([_CATEGORIES_HEAD, "export const CATEGORIES = [", *lines, "] as const", ""])


def told_as(field: str, texts_by_field: dict[str, str]) -> str:
    """The name under which the server tells the text of a field."""
    return name_of(_firsts(texts_by_field)[texts_by_field[field]])


def name_of(field: str) -> str:
    """The constant in `definitions.ts`."""
    name = field.replace(".", "_")
    return name + "_" if name in _RESERVED else name


def files() -> Iterator[tuple[Path, str]]:
    """What is generated: (file, text)."""
    yield METRICS, document()
    for view in view_ids():
        yield PAGE / view / "definitions.ts", module(view)
    yield CATEGORIES_OF_PAGE, categories()


def main() -> None:
    for path, text in files():
        path.write_text(text, encoding="utf-8")


def _firsts(texts_by_field: dict[str, str]) -> dict[str, str]:
    """The first field of each text."""
    return {text: field for field, text in reversed(texts_by_field.items())}


def _rows(markdown: str) -> Iterator[tuple[list[str], str]]:
    for table in _TABLE.findall(markdown):
        for line in table.splitlines():
            cells = [cell.strip() for cell in _CELL_END.split(line.strip().strip("|"))]
            if len(cells) != 2:
                raise ValueError(f"a field and a definition, not {len(cells)} cells: {line}")
            yield re.findall(r"`([\w.]+)`", cells[0]), cells[1].replace("\\|", "|")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    main()
