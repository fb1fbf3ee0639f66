from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tb_plugin import __version__
from tests.packaging.conftest import Built, build

pytestmark = pytest.mark.slow

NOTICES = "tb_plugin/static/THIRD_PARTY_NOTICES.txt"


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def _read(wheel: Path, ending: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(ending))
        return archive.read(name).decode()


def test_wheel_has_the_page_and_the_protobuf_code(built: Built) -> None:
    names = _names(built.wheel)
    assert {"tb_plugin/static/index.js", "tb_plugin/formats/stored/profile_pb2.py", "tb_plugin/py.typed"} <= names
    assert any(name.startswith("tb_plugin/static/assets/") and name.endswith(".js") for name in names)
    assert "tb_plugin/static/.sources.sha256" not in names


def test_wheel_and_sdist_carry_the_licences_of_the_javascript_in_the_page(built: Built) -> None:
    asked = json.loads((built.checkout / "frontend" / "package.json").read_text())["dependencies"]
    with tarfile.open(built.sdist) as archive:
        (name,) = (name for name in archive.getnames() if name.endswith(f"/{NOTICES}"))
        member = archive.extractfile(name)
        assert member is not None
        in_sdist = member.read().decode()
    text = _read(built.wheel, NOTICES)
    assert text == in_sdist
    parts = dict(part.strip().split("\n", 1) for part in text.split("-" * 80)[1:])
    assert {title.split()[0] for title in parts} >= {*asked, "@preact/signals-core"}, "of each package some code is in the page"
    assert not any("eslint" in title or "vitest" in title for title in parts), "tools are not in the page"
    assert all("Permission is hereby granted" in licence and "Copyright" in licence for licence in parts.values())


def test_wheel_has_every_module_of_the_checkout(built: Built) -> None:
    written = {path.relative_to(built.checkout).as_posix() for path in (built.checkout / "tb_plugin").rglob("*.py")}
    assert written <= _names(built.wheel), "a folder without __init__.py is left out"


def test_wheel_has_the_texts_behind_question_marks(built: Built) -> None:
    written = {path.relative_to(built.checkout).as_posix() for path in (built.checkout / "tb_plugin").rglob("definitions.md")}
    assert len(written) > 10
    assert written <= _names(built.wheel)


def test_wheel_has_nothing_beside_the_package(built: Built) -> None:
    assert {name.split("/")[0] for name in _names(built.wheel)} == {"tb_plugin", f"torch_tb_plugin-{__version__}.dist-info"}


def test_protobuf_code_runs_on_the_oldest_protobuf_tensorboard_takes(built: Built) -> None:
    assert "# Protobuf Python Version: 6.31.1" in _read(built.wheel, "profile_pb2.py")


def test_wheel_does_not_depend_on_torch(built: Built) -> None:
    required = [line.split(": ")[1] for line in _read(built.wheel, "METADATA").splitlines() if line.startswith("Requires-Dist")]
    assert any(line.startswith("tensorboard>=2.21") for line in required)
    assert not any(line.startswith("torch") for line in required)


def test_sdist_carries_sources_and_what_was_built_from_them(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"frontend/package-lock.json", "frontend/src/index.ts", "proto/profile.proto", "setup.py", "_build/page.py"} <= names
    assert {"tb_plugin/static/index.js", "tb_plugin/static/.sources.sha256", "tb_plugin/formats/stored/profile_pb2.py"} <= names
    assert not any("node_modules" in name for name in names)


def test_sdist_builds_without_node_and_protoc(built: Built, tmp_path: Path) -> None:
    with tarfile.open(built.sdist) as archive:
        # As an attribute: the argument is missing in Debian 12's Python 3.11.2, and its absence a warning in 3.12.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(tmp_path)
    code = "import page, proto_code; print(page.build_requirements() + proto_code.build_requirements())"
    source = tmp_path / built.sdist.name.removesuffix(".tar.gz")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=source / "_build", env=built.environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_second_build_ships_no_stale_asset(built: Built, tmp_path: Path) -> None:
    before = {name for name in _names(built.wheel) if "/static/assets/" in name}
    entry = built.checkout / "frontend" / "src" / "app" / "start.tsx"
    entry.write_text(entry.read_text() + "\nglobalThis.dispatchEvent(new Event('another build'))\n")
    (wheel,) = build(built.checkout, built.environment, tmp_path / "dist", "--wheel")
    after = {name for name in _names(wheel) if "/static/assets/" in name}
    in_tree = {path.name for path in (built.checkout / "tb_plugin" / "static" / "assets").iterdir()}
    assert after != before
    assert {Path(name).name for name in after} == in_tree


@pytest.fixture(scope="session")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel unpacked by pip into a folder of its own."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*command, str(built.wheel)], check=True, timeout=240)
    return target


def _in(installed: Path, *words: str) -> str:
    environment = {"PYTHONPATH": str(installed), "PATH": "", "HOME": str(installed)}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=installed, env=environment, capture_output=True, text=True, timeout=240, check=True).stdout


def test_installed_plugin_is_found_as_tensorboard_finds_it(installed: Path) -> None:
    code = """
import importlib.metadata, json, tb_plugin
points = importlib.metadata.entry_points(group="tensorboard_plugins", name="torch_profile")
print(json.dumps([tb_plugin.__file__, sorted({point.load().plugin_name for point in points})]))
"""
    where, names = json.loads(_in(installed, "-c", code))
    assert Path(where).is_relative_to(installed)
    assert names == ["torch_profile"]


def test_installed_command_answers(installed: Path) -> None:
    script = next(path for path in (installed / "bin").iterdir() if path.name.startswith("tb-plugin"))
    assert "overview" in _in(installed, str(script), "--help")


def test_this_checkout_is_installed_as_editable() -> None:
    """`make test` runs on an editable install: what is tested is what lies here."""
    if shutil.which("tb-plugin", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("not installed in this environment (make test does it)")
    code = "import tb_plugin; print(tb_plugin.__file__)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == Path(__file__).resolve().parents[2] / "tb_plugin" / "__init__.py"
