"""The HTTP API (`docs/http_api.md`) as one WSGI application, for TensorBoard and for `tb-plugin serve`."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar

import msgspec
from isal import igzip
from werkzeug.wrappers import Request, Response

from tb_plugin.base.errors import FormatError, NotFoundError, TbPluginError, UsageError
from tb_plugin.doors import replies, static_files
from tb_plugin.doors.routes import ROUTES, ProfileParams, ProfileRoute
from tb_plugin.runs.source import fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from tb_plugin.runs.store import ProfileStore

JSON = "application/json"
COLUMNS = "application/octet-stream"

_MIN_GZIP_BYTES = 1000
_GZIP_LEVEL = 1
_KEPT_BYTES = 64 << 20
# TensorBoard's page adds it to requests; it is none of a view's parameters.
_FOREIGN_PARAMS = {"tensorBoardFeatureFlags"}
_PAGE_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'"
)

P = TypeVar("P", bound=msgspec.Struct)
_logger = logging.getLogger(__name__)


class HttpApp:
    """Routes below `base`, which stands before every path: `/data/plugin/torch_profile` in TensorBoard."""

    def __init__(self, store: ProfileStore, base: str = "", page: Path = static_files.FOLDER) -> None:
        self._store = store
        self._base = base
        self._page = page
        self._kept = _KeptReplies(_KEPT_BYTES)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        try:
            response = self._answer(request)
        except TbPluginError as error:
            response = _error(error.http_status, type(error).__name__, str(error))
        except Exception:  # the last door: it must reach the log, and nothing of it the client
            _logger.exception("torch_profile: %s failed", request.path)
            response = _error(500, "InternalError", "an error inside the plugin; the server's log says more")
        response.headers["X-Content-Type-Options"] = "nosniff"
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            # werkzeug would take the Content-Type off, and TensorBoard logs a warning for every reply without one.
            start_response(response.status, response.headers.to_wsgi_list())
            return []
        return response(environ, start_response)

    def _answer(self, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            response = _error(405, "UsageError", f"{request.method} is not possible here, only GET")
            response.headers["Allow"] = "GET, HEAD"
            return response
        path = request.path.removeprefix(self._base).strip("/")
        if path.startswith("api/v1/"):
            return self._answer_api(request, path.removeprefix("api/v1/"))
        if path.startswith("static/"):
            return self._answer_static(request, path.removeprefix("static/"))
        if path in ("", "index.html") and not self._base:
            return self._answer_static(request, "index.html")
        raise NotFoundError("there is no such address; docs/http_api.md lists them")

    def _answer_api(self, request: Request, name: str) -> Response:
        if name == "runs":
            response = _reply(request, msgspec.json.encode(replies.runs_reply(self._store)), JSON)
            response.headers["Cache-Control"] = "no-store"
            return response
        route = ROUTES.get(name)
        if route is None:
            raise NotFoundError(f"there is no api/v1/{name}; there is runs, {', '.join(ROUTES)}")
        return self._answer_profile(request, name, route)

    def _answer_profile(self, request: Request, name: str, route: ProfileRoute) -> Response:
        given = {key: value for key, value in request.args.items() if key not in _FOREIGN_PARAMS}
        which = _convert(ProfileParams, {key: given.pop(key) for key in ProfileParams.__struct_fields__ if key in given})
        params = _convert(route.params, given)
        asked = self._store.find(which.run, which.worker, which.span)
        tag = _hash(asked.fingerprint, name, repr(params))
        # Also while the profile is closed: what a browser has is as good as what would be computed.
        if request.if_none_match.contains_weak(tag):
            return _tagged(Response(status=304), tag)
        kept = self._kept.get(tag, gzip=_takes_gzip(request))
        if kept is not None:
            return _tagged(kept, tag)
        loading = self._store.ask(asked)
        if loading.state == "failed":
            raise FormatError(asked.span.files[0].name, loading.error or "cannot be read")
        if loading.trace is None:
            waiting = replies.WaitReply(
                state="queued" if loading.state == "queued" else "loading",
                progress=round(loading.progress, 3),
                stage=loading.stage,
            )
            response = Response(msgspec.json.encode(waiting), 202, content_type=JSON)
            response.headers["Cache-Control"] = "no-store"
            return response
        response = _reply(request, route.answer(loading.trace, params), route.media or (COLUMNS if route.reply is None else JSON))
        if route.keep:
            self._kept.put(tag, response)
        return _tagged(response, tag)

    def _answer_static(self, request: Request, name: str) -> Response:
        file = static_files.find(name, self._page)
        tag = _hash(fingerprint_of(), hashlib.sha256(file.content).hexdigest())
        if request.if_none_match.contains_weak(tag):
            return _tagged(Response(status=304), tag)
        response = _tagged(_reply(request, file.content, file.content_type), tag)
        if file.immutable:
            response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
        if name.endswith(".html"):
            response.headers["Content-Security-Policy"] = _PAGE_POLICY
        return response


class _KeptReplies:
    """Encoded replies of views, the least recently used dropped first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._n_bytes = 0
        self._lock = threading.Lock()
        self._bodies: OrderedDict[tuple[str, bool], bytes] = OrderedDict()

    def get(self, tag: str, *, gzip: bool) -> Response | None:
        with self._lock:
            # A small body is never compressed, so a browser that takes gzip may find only the plain one.
            for key in [(tag, True), (tag, False)] if gzip else [(tag, False)]:
                body = self._bodies.get(key)
                if body is not None:
                    self._bodies.move_to_end(key)
                    return _response(body, JSON, gzipped=key[1])
        return None

    def put(self, tag: str, response: Response) -> None:
        key, body = (tag, response.content_encoding == "gzip"), response.get_data()
        with self._lock:
            if key in self._bodies or len(body) > self._max_bytes // 4:
                return
            self._bodies[key] = body
            self._n_bytes += len(body)
            while self._n_bytes > self._max_bytes:
                self._n_bytes -= len(self._bodies.popitem(last=False)[1])


def _convert(params: type[P], given: dict[str, str]) -> P:
    """Params from a query's strings. A misspelt name is an error: leaving it out would answer another question."""
    names = [field.encode_name for field in msgspec.structs.fields(params)]
    unknown = sorted(given.keys() - set(names))
    if unknown:
        takes = f"it takes run, worker, span{''.join(f', {name}' for name in names)}"
        raise UsageError(f"unknown parameter {unknown[0]!r}; {takes}")
    try:
        return msgspec.convert(given, params, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(str(error)) from error


def _reply(request: Request, body: bytes, content_type: str) -> Response:
    gzipped = len(body) >= _MIN_GZIP_BYTES and _takes_gzip(request) and not content_type.startswith(("image/png", "font/"))
    return _response(igzip.compress(body, _GZIP_LEVEL) if gzipped else body, content_type, gzipped=gzipped)


def _response(body: bytes, content_type: str, *, gzipped: bool) -> Response:
    response = Response(body, content_type=content_type)
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


def _error(status: int, kind: str, message: str) -> Response:
    body = replies.ErrorReply(error=replies.ErrorInfo(kind=kind, message=message))
    response = Response(msgspec.json.encode(body), status, content_type=JSON)
    response.headers["Cache-Control"] = "no-store"
    return response


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:24]
