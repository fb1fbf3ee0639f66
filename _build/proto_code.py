"""Generates the protobuf code of the stored profile, unless what stands there is current."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import digest

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto" / "profile.proto"
PACKAGE = "tb_plugin/formats/stored"
GENERATED = ROOT / PACKAGE / "profile_pb2.py"
STUBS = GENERATED.with_suffix(".pyi")
# Its code runs on protobuf 6.31.1 and newer, the oldest that TensorBoard 2.21 accepts; a newer pin would not.
REQUIREMENT = "grpcio-tools==1.76.0"


def first_line() -> str:
    return f"# sources: {digest.of_files(PROTO.parent, [PROTO], salt=REQUIREMENT)}\n"


def is_current() -> bool:
    if not GENERATED.is_file() or not STUBS.is_file():
        return False
    with GENERATED.open() as file:
        return file.readline() == first_line()


def build_requirements() -> list[str]:
    return [] if is_current() else [REQUIREMENT]


def ensure() -> None:
    if is_current():
        return
    # The mapped path makes the descriptor's name `tb_plugin/formats/stored/profile.proto`: names are global in a process,
    # and a plain `profile.proto` (pprof has one) would clash.
    arguments = [f"--proto_path={PACKAGE}={PROTO.parent}", f"--python_out={ROOT}", f"--pyi_out={ROOT}"]
    command = [sys.executable, "-m", "grpc_tools.protoc", *arguments, f"{PACKAGE}/{PROTO.name}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"protoc failed on {PROTO.name} (it needs {REQUIREMENT}):\n{done.stderr.strip()}")
    GENERATED.write_text(first_line() + GENERATED.read_text())
