"""The HTTP API (`docs/http_api.md`) as one WSGI application, for TensorBoard and for `tb-plugin serve`."""

from __future__ import annotations

import hashlib
import logging
import re
import selectors
import socket
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import ClientDisconnected
from werkzeug.wrappers import Request, Response

from tb_plugin.answers.bodies import JSON
from tb_plugin.answers.bounded import json_of
from tb_plugin.answers.desk import Desk, Failed, Waiting
from tb_plugin.answers.kept import Body, packed
from tb_plugin.base.errors import FormatError, NotAllowedError, NotFoundError, TbPluginError, UsageError
from tb_plugin.base.fast_gzip import smallest
from tb_plugin.doors import definitions, replies, static_files
from tb_plugin.runs.source import fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import msgspec
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from tb_plugin.doors.hosts import Hosts
    from tb_plugin.runs.store import ProfileStore

# TensorBoard's page adds it to requests; it is none of a question's parameters.
_FOREIGN_PARAMS = {"tensorBoardFeatureFlags"}
METRICS = "view/trends.openmetrics"
"""What a scraper gets at `metrics`, where it looks for them."""

_PAGE_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)

PAGE_HEADER: Final = "X-Torch-Profile-Page"
MORE_TIME: Final = "torch_profile.more_time"
"""In the environment of a server that is impatient with requests: called, it waits that long once more."""

_MOST_DRAINED_BYTES: Final = 256 << 20
_CHUNK_BYTES: Final = 1 << 20
_WAIT: Final = re.compile(r"(?:^|[,;\s])wait=([0-9]{1,3})(?![0-9])")
_MOST_WAIT_S: Final = 2.0  # as long as nobody minds that a thread waits for them
_SHOWN: Final = 40  # of what somebody asked for

_logger = logging.getLogger(__name__)


class HttpApp:
    """Routes below `base`, which stands before every path: `/data/plugin/torch_profile` in TensorBoard.

    With `hosts` the server is ours: only these names are answered to, and nobody else's page frames ours.
    `takes_files`: from the page.
    """

    def __init__(
        self,
        store: ProfileStore,
        base: str = "",
        page: Path = static_files.FOLDER,
        hosts: Hosts | None = None,
        *,
        takes_files: bool = True,
    ) -> None:
        self._store = store
        self._takes_files = takes_files
        self._hosts = hosts
        self._base = base
        self._page = page
        self._desk = Desk(store)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        try:
            response = self._answer(request)
        except TbPluginError as error:
            response = refused(error.http_status, type(error).__name__, str(error))
        except Exception:  # the last door: it must reach the log, and nothing of it the client
            _logger.exception("torch_profile: %s failed", request.path)
            response = refused(500, "InternalError", "an error inside the plugin; the server's log says more")
        response.headers["X-Content-Type-Options"] = "nosniff"
        if self._hosts is not None:
            response.headers["X-Frame-Options"] = "SAMEORIGIN"
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            # werkzeug would take the Content-Type off, and TensorBoard logs a warning for every reply without one.
            start_response(response.status, response.headers.to_wsgi_list())
            return []
        return response(environ, start_response)

    def _answer(self, request: Request) -> Response:
        path = request.path.removeprefix(self._base).strip("/")
        posted = {"api/v1/drop": self._answer_drop, "api/v1/cancel": self._answer_cancel}.get(path)
        methods = ("GET", "HEAD") if posted is None else ("POST",)
        if request.method not in methods:
            response = refused(405, "UsageError", f"{request.method[:_SHOWN]} is not possible here, only {methods[0]}")
            response.headers["Allow"] = ", ".join(methods)
            return response
        self._check_origin(request)
        if posted is not None:
            _check_own_page(request)
            return posted(request)
        if path.startswith("api/v1/"):
            return self._answer_api(request, path.removeprefix("api/v1/"))
        if path.startswith("static/"):
            return self._answer_static(request, path.removeprefix("static/"))
        if path == "metrics":
            return self._answer_api(request, METRICS)
        if path in ("", "index.html") and not self._base:
            return self._answer_static(request, "index.html")
        raise NotFoundError("there is no such address; docs/http_api.md lists them")

    def _check_origin(self, request: Request) -> None:
        """Another site's page can point a name of its own at this machine, or ask for our address as for an image."""
        host = request.headers.get("Host", "")
        if self._hosts is not None and not self._hosts.allow(host):
            raise NotAllowedError(
                f"this server does not answer to the name {host[:80]!r}; start it with --allow-host NAME for that"
            )
        is_link = request.headers.get("Sec-Fetch-Dest") == "document"
        if request.headers.get("Sec-Fetch-Site") == "cross-site" and not is_link:
            raise NotAllowedError("another site's page asks, and profiles are shown to people only")

    def _answer_cancel(self, request: Request) -> Response:
        reply = replies.CancelReply(was_working=self._desk.cancel(_words(request)))
        return Response(json_of(reply), content_type=JSON, headers={"Cache-Control": "no-store"})

    def _answer_drop(self, request: Request) -> Response:
        n_bytes = request.content_length
        if n_bytes is None:
            raise UsageError("a file comes with its length (Content-Length)")
        words = _words(request)
        if set(words) - {"beside"} != {"name"}:
            raise UsageError("drop takes name, and the file's bytes; beside, of several files: the run of another")
        arriving = _Arriving(request)
        try:
            if not self._takes_files:
                raise NotAllowedError("this server takes no files from the page; put it into the log directory")
            where = self._store.drop(words["name"], n_bytes, arriving.read, words.get("beside"))
        except TbPluginError:
            arriving.drain()  # a client that is still sending would not listen to why
            raise
        reply = replies.DropReply(run=where.run, worker=where.worker, span=where.span)
        return Response(json_of(reply), content_type=JSON, headers={"Cache-Control": "no-store"})

    def _answer_api(self, request: Request, name: str) -> Response:
        at_once: dict[str, Callable[[], msgspec.Struct]] = {
            "runs": lambda: replies.runs_reply(self._store, self._takes_files),
            "hang": lambda: replies.hang_reply(self._store, _only(request, "run")),
            "work": lambda: replies.WorkReply(working=self._desk.working(_words(request))),
        }
        if name in at_once:
            response = _sent(request, packed(json_of(at_once[name]()), JSON))
            response.headers["Cache-Control"] = "no-store"
            return response
        if name == "definitions":
            return _unchanging(request, json_of(definitions.texts(_only(request, "view"))), JSON)
        inquiry = self._desk.inquire(name, _words(request))
        # Also while the profile is closed: what a browser has is as good as what would be computed.
        if request.if_none_match.contains_weak(inquiry.tag):
            return _tagged(Response(status=304), inquiry.tag)
        answer = self._desk.answer(inquiry, lambda: _is_gone(request), _wait_s(request))
        if isinstance(answer, Failed):
            raise FormatError(answer.file, answer.reason)
        if isinstance(answer, Waiting):
            waiting = replies.WaitReply(
                state=answer.state,
                progress=round(answer.progress, 3),
                stage=answer.stage,
                seconds_left=answer.seconds_left,
                so_far=answer.so_far,
            )
            response = Response(json_of(waiting), 202, content_type=JSON)
            response.headers["Cache-Control"] = "no-store"
            return response
        return _tagged(_sent(request, answer), inquiry.tag)

    def _answer_static(self, request: Request, name: str) -> Response:
        file = static_files.find(name, self._page)
        response = _unchanging(request, file.content, file.content_type)
        if file.immutable:
            response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
        if name.endswith(".html"):
            response.headers["Content-Security-Policy"] = _PAGE_POLICY
        return response


@lru_cache(maxsize=64)  # the page has some forty files, its views fifteen sets of definitions
def _packed_once(content: bytes, media: str) -> Body:
    return packed(content, media, smallest)


def _wait_s(request: Request) -> float:
    """How long the client would rather wait for an answer than hear that there is none yet (RFC 7240): `Prefer: wait=1`."""
    found = _WAIT.search(request.headers.get("Prefer", ""))
    return min(float(found[1]), _MOST_WAIT_S) if found else 0.0


def _check_own_page(request: Request) -> None:
    """What is posted comes from our page alone: another site's cannot send this header without asking first, which is refused."""
    origin = request.headers.get("Origin")
    is_foreign = origin is not None and origin.partition("://")[2] != request.headers.get("Host")
    is_other = request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin"
    if is_foreign or is_other or request.headers.get(PAGE_HEADER) != "1":
        raise NotAllowedError("this is taken from this server's own page only")


class _Arriving:
    """A request's body, piece by piece."""

    def __init__(self, request: Request) -> None:
        self._stream = request.stream  # ends at Content-Length
        self._take_time: Callable[[], None] = request.environ.get(MORE_TIME, lambda: None)

    def read(self, n_bytes: int) -> bytes:
        """Nothing more where the client is gone, or took too long."""
        self._take_time()
        try:
            return self._stream.read(n_bytes)
        except (OSError, ClientDisconnected):
            return b""

    def drain(self) -> None:
        """What is on its way, as far as that is reasonable."""
        left = _MOST_DRAINED_BYTES
        while left > 0 and (data := self.read(_CHUNK_BYTES)):
            left -= len(data)


def _is_gone(request: Request) -> bool:
    """Whether the client has closed its connection, where the server lends it (werkzeug's does, and so TensorBoard)."""
    connection = request.environ.get("werkzeug.socket")
    if connection is None:
        return False
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_READ)
            return bool(selector.select(0)) and connection.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True


def _words(request: Request) -> dict[str, str]:
    """The question's parameters. One given twice says two things."""
    given = {key: values for key, values in request.args.lists() if key not in _FOREIGN_PARAMS}
    for key, values in given.items():
        if len(values) > 1:
            raise UsageError(f"{key} is given {len(values)} times")
    return {key: value for key, (value,) in given.items()}


def _only(request: Request, key: str) -> str:
    """The one parameter that is taken."""
    words = _words(request)
    if set(words) != {key}:
        raise UsageError(f"{request.path.rpartition('/')[2]} takes {key}, and nothing else")
    return words[key]


def _unchanging(request: Request, content: bytes, media: str) -> Response:
    """What is the same for as long as the server runs."""
    tag = _hash(fingerprint_of(), hashlib.sha256(content).hexdigest())
    if request.if_none_match.contains_weak(tag):
        return _tagged(Response(status=304), tag)
    return _tagged(_sent(request, _packed_once(content, media)), tag)


def _sent(request: Request, body: Body) -> Response:
    gzipped = body.is_gzip and _takes_gzip(request)
    response = Response(body.data if gzipped else body.plain(), content_type=body.media)
    response.headers["Vary"] = "Accept-Encoding"
    if gzipped:
        response.content_encoding = "gzip"
    return response


def _takes_gzip(request: Request) -> bool:
    return request.accept_encodings.quality("gzip") > 0


def _tagged(response: Response, tag: str) -> Response:
    # Weak: the gzip and the plain form share it.
    response.set_etag(tag, weak=True)
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def refused(status: int, kind: str, message: str) -> Response:
    """The one shape of errors."""
    body = replies.ErrorReply(error=replies.ErrorInfo(kind=kind, message=message))
    response = Response(json_of(body), status, content_type=JSON)
    response.headers["Cache-Control"] = "no-store"
    return response


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:24]
