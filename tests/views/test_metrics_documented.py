"""Each figure that a view shows is defined once, and what is made from the definitions is fresh."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pytest

from tb_plugin import views
from tb_plugin.doors import definitions

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.view import View


@pytest.mark.parametrize("view", views.ALL, ids=lambda view: view.id)
def test_every_field_of_a_result_has_its_definition(view: View[Any]) -> None:
    chapter = (definitions.SOURCES / view.id / "definitions.md").read_text(encoding="utf-8")
    explained = {name for row in re.findall(r"^\| (.+)", chapter, re.M) for name in re.findall(r"`(?:\w+\.)?(\w+)`", row)}
    assert _fields(view.main.reply) - explained == set()


def test_the_generated_files_are_fresh() -> None:
    stale = [path.name for path, text in definitions.files() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    assert stale == [], "edit tb_plugin/views/*/definitions.md, then run `python -m tb_plugin.doors.wire`"


def test_the_document_has_each_views_own_words() -> None:
    document = definitions.document()
    for view in definitions.view_ids():
        assert f"\n## {view}\n" in document
        for text in definitions.of_view(view).values():
            assert text in document.replace("\\|", "|")


def test_what_the_page_asks_for_reads_as_sentences() -> None:
    """A definition behind "?" starts with a capital letter or a name and ends with a full stop."""
    wrong: dict[str, str] = {}
    for view in definitions.view_ids():
        texts = {field.replace(".", "_"): text for field, text in definitions.of_view(view).items()}
        asked = {name for path in (definitions.PAGE / view).glob("*.ts*") for name in _asked(path)}
        wrong |= {
            f"{view}.{name}": text for name in asked if not re.match(r"[A-Z`“].*\.$", text := texts.get(name, "no such row"))
        }
    assert wrong == {}


def test_no_definition_is_written_into_the_page() -> None:
    """A second text would be another rule one day; what a view says behind "?" comes from its definitions.md."""
    by_hand = re.compile(r"""\bdefinition(?::|=\{?)\s*['"`]\w|<Definition\b[^>]*\btext=['"]""")
    files = [path for path in definitions.PAGE.rglob("*.ts*") if ".test." not in path.name and path.name != "definitions.ts"]
    assert len(files) > 30
    assert [path.name for path in files if by_hand.search(path.read_text(encoding="utf-8"))] == []
    without = [path.name for path in files if "definition: ''" in path.read_text(encoding="utf-8")]
    assert without == ["tree_table.tsx"], "a column of files alone: there is no head with a question mark"


def test_one_field_has_one_definition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory").mkdir()
    file = tmp_path / "memory" / "definitions.md"
    monkeypatch.setattr(definitions, "SOURCES", tmp_path)
    head = "# memory\n\nWords | that are no row.\n\n| field | definition |\n|---|---|\n"
    file.write_text(head + "| `a`, `b` | Of \\| both. |\n| `curve.c` | C. |\n\n| check | fires |\n|---|---|\n| `d` | never |\n")
    assert definitions.of_view("memory") == {"a": "Of | both.", "b": "Of | both.", "curve.c": "C."}
    assert 'export const curve_c = "?memory.curve_c"\n' in definitions.module("memory")
    assert 'export const b = "?memory.a"\n' in definitions.module("memory")
    file.write_text(head + "| `a` | One. |\n| `a` | Another. |\n")
    with pytest.raises(ValueError, match="two definitions of a"):
        definitions.of_view("memory")
    file.write_text(head + "| `a` | One. | And more. |\n")
    with pytest.raises(ValueError, match="3 cells"):
        definitions.of_view("memory")


def _asked(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"import \{([^}]*)\} from './definitions'", text)
    return {*re.findall(r"\bdefine\.(\w+)", text), *(name.strip() for group in named for name in group.split(","))}


def _fields(struct: type[msgspec.Struct]) -> set[str]:
    """Names of the fields of a Struct and of all Structs in it."""
    found: set[str] = set()
    for field in msgspec.structs.fields(struct):
        found.add(field.encode_name)
        for part in _types(field.type):
            found |= _fields(part)
    return found


def _types(annotation: object) -> list[type[msgspec.Struct]]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return [annotation]
    return [found for part in get_args(annotation) for found in _types(part)]
