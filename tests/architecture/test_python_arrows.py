"""The house of docs/design/README.md holds: arrows point down."""

from __future__ import annotations

import pytest

from tests.architecture.house import floors
from tests.architecture.python_imports import PACKAGE, Import, all_imports

MAY_IMPORT = floors("tb_plugin")
# Exceptions, each "file imports module", with an owner and a reason. The list may only shrink.
DEBT: set[str] = set()


@pytest.fixture(scope="module")
def imports() -> tuple[Import, ...]:
    found = all_imports()
    assert len(found) > 50, "the reader of imports found next to nothing"
    return found


def test_every_folder_is_drawn() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == MAY_IMPORT.keys()


@pytest.mark.parametrize("top", ["tb_plugin", "frontend/src"])
def test_the_drawing_has_only_arrows_down(top: str) -> None:
    drawn = floors(top)
    order = list(drawn)
    assert {floor: below for floor, below in drawn.items() if not set(below) <= set(order[order.index(floor) + 1 :])} == {}


def test_arrows_point_down(imports: tuple[Import, ...]) -> None:
    wrong = []
    for found in imports:
        source, target = _floor(found.file.removesuffix(".py").split("/")), _floor(found.module.split("."))
        if source is None or target is None or source == target:
            continue
        if target not in MAY_IMPORT[source] and f"{found.file} imports {found.module}" not in DEBT:
            wrong.append(str(found))
    assert wrong == []


def test_no_view_imports_a_view(imports: tuple[Import, ...]) -> None:
    wrong = []
    for found in imports:
        source, target = found.file.split("/"), found.module.split(".")
        if len(source) < 4 or source[1] != "views" or target[:2] != ["tb_plugin", "views"]:
            continue
        if len(target) < 3 or target[2] != source[2]:
            wrong.append(str(found))
    assert wrong == [], "a shared need sinks to compute/ (arrays) or trace/ (meaning)"


def test_only_one_file_imports_tensorboard(imports: tuple[Import, ...]) -> None:
    files = {found.file for found in imports if found.module.split(".")[0] == "tensorboard"}
    assert files <= {"tb_plugin/doors/tensorboard.py"}


def test_nothing_imports_torch_at_import_time(imports: tuple[Import, ...]) -> None:
    assert [str(found) for found in imports if found.module.split(".")[0] == "torch" and found.at_import_time] == []


def test_only_capture_imports_torch(imports: tuple[Import, ...]) -> None:
    assert {found.file.split("/")[1] for found in imports if found.module.split(".")[0] == "torch"} <= {"capture"}


def _floor(parts: list[str]) -> str | None:
    """The folder of tb_plugin, or its module beside the folders; None for other packages and for `tb_plugin` itself."""
    if parts[0] != "tb_plugin" or len(parts) < 2 or parts[1] not in MAY_IMPORT:
        return None
    return parts[1]
