"""The page without TensorBoard: `tb-plugin serve LOGDIR`."""

from __future__ import annotations

import errno
import io
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from werkzeug.serving import WSGIRequestHandler, make_server

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.doors.hosts import Hosts
from tb_plugin.doors.http import MORE_TIME, HttpApp, refused
from tb_plugin.runs import dropped, logdirs
from tb_plugin.runs.recovery import Recovery
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from _typeshed import WriteableBuffer
    from _typeshed.wsgi import WSGIEnvironment

    from tb_plugin.runs.logdirs import Logdir

DEFAULT_PORT = 6007
"""Beside TensorBoard's 6006. When somebody has it, any free one is taken."""

ASK_WITHIN_S: Final = 20.0
"""From connecting to the end of a request: who drips a byte now and then holds a thread no longer than that."""

_MOST_WAITING: Final = 1024
"""Connections that nobody has taken yet. werkzeug's 128 are few for 200 clients: what is over is tried again 1 s later."""

_CHUNK_BYTES, _MOST_CHUNKS = 1 << 16, 64
_LONGEST_REASON: Final = 200  # a line that is refused may be quoted in it
_TAKE_WITHIN_S: Final = 60.0  # a reply: 8 MB over a slow line


class _QuietHandler(WSGIRequestHandler):
    """A line for each request would bury the address that the user needs."""

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self._client = _Impatient(self.connection)
        self.rfile = io.BufferedReader(self._client)

    def make_environ(self) -> WSGIEnvironment:
        return {**super().make_environ(), MORE_TIME: self._client.wait_again}

    def run_wsgi(self) -> None:
        self.connection.settimeout(_TAKE_WITHIN_S)
        super().run_wsgi()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What no application hears of: a line or a header that is too long or broken. Answered in the one shape of errors."""
        if self.request_version in ("", self.default_request_version):  # a reply of that version has neither status nor headers
            self.request_version = "HTTP/1.0"
        said = " ".join((message or explain or self.responses.get(code, ("not possible", ""))[0]).split())
        response = refused(code, "UsageError", said[:_LONGEST_REASON])
        body = response.get_data()
        self.send_response(code)
        for name, value in (*response.headers.items(), ("Connection", "close")):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        with suppress(OSError):  # a connection that is closed before it was read takes the reply with it
            self.connection.settimeout(0)
            for _ in range(_MOST_CHUNKS):
                if not self.connection.recv(_CHUNK_BYTES):
                    break

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass


class _Impatient(io.RawIOBase):
    """What a client sends, for as long as it may take."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._until = time.monotonic() + ASK_WITHIN_S

    def wait_again(self) -> None:
        """For a file that arrives: the next piece of it may take as long as a request."""
        self._until = time.monotonic() + ASK_WITHIN_S

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        left_s = self._until - time.monotonic()
        if left_s <= 0:
            raise ConnectionAbortedError("the client took too long to ask")
        self._connection.settimeout(left_s)
        try:
            return self._connection.recv_into(buffer)
        except TimeoutError as error:
            raise ConnectionAbortedError("the client took too long to ask") from error


def add_parser(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("logdir", metavar="LOGDIR", help="a directory, or name:dir,name:dir")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name that the server is reached by, as of a proxy",
    )
    parser.add_argument("--port", type=int, default=None, help="default 6007, or any free one when that is taken")
    parser.add_argument("--no-drop", action="store_true", help="take no files from the page; TB_PLUGIN_NO_DROP=1 says the same")
    parser.set_defaults(command=_serve)


def _serve(options: argparse.Namespace) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    found = logdirs.from_flags(None, options.logdir)
    for logdir in found:
        if logdir.problem is not None:
            raise UsageError(logdir.problem)
        if not Path(logdir.path).is_dir():
            raise NotFoundError(f"{logdir.shown}: no such directory")
    serve(
        found,
        options.host,
        options.port,
        options.allow_host,
        lambda url: print(f"{url}  (Ctrl-C ends it)", flush=True),  # noqa: T201
        takes_files=dropped.are_taken() and not options.no_drop,
    )


def serve(
    logdirs: tuple[Logdir, ...],
    host: str,
    port: int | None,
    allowed_hosts: Iterable[str],
    on_ready: Callable[[str], None],
    *,
    takes_files: bool,
) -> None:
    """Serves until Ctrl-C. `on_ready` gets the address."""
    listening = _listen(host, port)
    store = ProfileStore(Watch(logdirs, recovery=Recovery()))
    app = HttpApp(store, hosts=Hosts(host, allowed_hosts), takes_files=takes_files)
    # Given the socket, because werkzeug itself prints and exits when the address is taken.
    server = make_server(host, 0, app, threaded=True, request_handler=_QuietHandler, fd=listening.fileno())
    listening.close()
    server.socket.listen(_MOST_WAITING)
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
