"""The build backend pip talks to (PEP 517 and 660): setuptools, after the page and the protobuf code are current."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import page
import proto_code
from setuptools import build_meta

if TYPE_CHECKING:
    from typing import TypeAlias

    Settings: TypeAlias = dict[str, str | list[str] | None] | None

prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_requirements()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    return [*build_meta.get_requires_for_build_editable(config_settings), *_requirements()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return [*build_meta.get_requires_for_build_sdist(config_settings), *_requirements()]


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    _generate()
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name


def build_editable(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    _generate()
    name: str = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    return name


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    _generate()
    name: str = build_meta.build_sdist(sdist_directory, config_settings)
    return name


def _requirements() -> list[str]:
    return [*page.build_requirements(), *proto_code.build_requirements()]


def _generate() -> None:
    proto_code.ensure()
    page.ensure()
    # setuptools never empties build/: without this a second `pip install .` ships the last page's hashed files too.
    shutil.rmtree(page.ROOT / "build" / "lib", ignore_errors=True)
