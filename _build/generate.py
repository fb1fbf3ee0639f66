"""Brings the page and the protobuf code up to date by hand.

python _build/generate.py                  both; the protobuf code needs grpcio-tools when its source changed
python _build/generate.py npm ARGUMENTS    runs npm in frontend/ with all tools installed (`npm run lint`)
"""

from __future__ import annotations

import subprocess
import sys

import page
import proto_code


def main(arguments: list[str]) -> int:
    try:
        if arguments[:1] == ["npm"]:
            page.install_packages(tools=True)
            page.run_npm(*arguments[1:])
        else:
            proto_code.ensure()
            page.ensure()
    except subprocess.CalledProcessError as error:
        return error.returncode  # npm has said why
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
