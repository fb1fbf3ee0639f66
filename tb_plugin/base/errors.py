"""What can go wrong, as one small tree. Every message says which file, where and why, in one line.

TbPluginError               exit 1, HTTP 500
  UsageError                exit 2, HTTP 400   what was asked for makes no sense
  NotFoundError             exit 1, HTTP 404   no such file, run, worker, span or event
  FormatError               exit 1, HTTP 422   the file is not a profile, or too broken to read
  NotReadyError             exit 1, HTTP 202   still loading; ask again
"""

from __future__ import annotations


class TbPluginError(Exception):
    """Base of every error this package raises on purpose."""

    exit_code = 1
    http_status = 500


class UsageError(TbPluginError):
    """What was asked for makes no sense."""

    exit_code = 2
    http_status = 400


class NotFoundError(TbPluginError):
    """No such file, run, worker, span or event."""

    http_status = 404


class FormatError(TbPluginError):
    """A file that cannot be read as a profile: foreign, empty, or broken beyond repair."""

    http_status = 422

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class NotReadyError(TbPluginError):
    """Still loading; ask again."""

    http_status = 202
