"""What can go wrong, as one small tree. Every message says which file, where and why, in one line.

TbPluginError               exit 1, HTTP 500
  UsageError                exit 2, HTTP 400   what was asked for makes no sense; 405 when it was not asked with GET
  NotFoundError             exit 1, HTTP 404   no such file, run, worker, span or event
  NotAllowedError           exit 1, HTTP 403   asked under a name, or from a page, that the server does not answer to
  FormatError               exit 1, HTTP 422   the file is not a profile, or too broken to read
  ConverterDiedError        exit 1, HTTP 500   runs/child.py: the child ended without a word about the file
  CancelledError            exit 1, HTTP 500   runs/loading.py: somebody ended the opening of a profile
  OverBudgetError           exit 1, HTTP 503   answers/budget.py: one request took more than it may, or nobody waits for it
  InconsistentTraceError    exit 1, HTTP 500   trace/check.py: a Trace that breaks its own rules
  TooMuchError              exit 1, HTTP 500   base/child_process.py: a child's own, its parent says FormatError
  TraceHandlerError         exit 1, HTTP 500   capture/report.py: a profile was lost, for `on_error="raise"`
"""

from __future__ import annotations

from tb_plugin.base.readable import readable


class TbPluginError(Exception):
    """Base of every error this package raises on purpose."""

    exit_code = 1
    http_status = 500

    def __init__(self, message: str = "") -> None:
        super().__init__(readable(message))


class UsageError(TbPluginError):
    """What was asked for makes no sense."""

    exit_code = 2
    http_status = 400


class NotFoundError(TbPluginError):
    """No such file, run, worker, span or event."""

    http_status = 404


class NotAllowedError(TbPluginError):
    """Asked under a name, or from a page, that the server does not answer to."""

    http_status = 403


class OverBudgetError(TbPluginError):
    """One request takes more time or memory than it may, or nobody waits for its answer."""

    http_status = 503


class FormatError(TbPluginError):
    """A file that cannot be read as a profile: foreign, empty, or broken beyond repair."""

    http_status = 422

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = readable(path)
        self.reason = readable(reason)
