"""The page without TensorBoard: `tb-plugin serve LOGDIR`."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

from werkzeug.serving import WSGIRequestHandler, make_server

from tb_plugin.base.errors import UsageError
from tb_plugin.doors.http import HttpApp
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.runs.logdirs import Logdir

DEFAULT_PORT = 6007
"""Beside TensorBoard's 6006. When somebody has it, any free one is taken."""


class _QuietHandler(WSGIRequestHandler):
    """A line for each request would bury the address that the user needs."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


def serve(logdirs: tuple[Logdir, ...], host: str, port: int | None, on_ready: Callable[[str], None]) -> None:
    """Serves until Ctrl-C. `on_ready` gets the address."""
    listening = _listen(host, port)
    store = ProfileStore(Watch(logdirs))
    # Given the socket, because werkzeug itself prints and exits when the address is taken.
    server = make_server(host, 0, HttpApp(store), threaded=True, request_handler=_QuietHandler, fd=listening.fileno())
    listening.close()
    try:
        shown = f"[{host}]" if ":" in host else host
        on_ready(f"http://{shown}:{server.port}/")
        server.serve_forever()
    finally:
        server.server_close()
        store.close()


def _listen(host: str, port: int | None) -> socket.socket:
    wanted = DEFAULT_PORT if port is None else port
    try:
        return socket.create_server((host, wanted), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, OverflowError) as error:
        if port is None and isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            return _listen(host, 0)
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"cannot listen on {host} port {wanted}: {reason}") from error
