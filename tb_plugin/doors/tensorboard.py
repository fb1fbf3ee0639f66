"""The door TensorBoard opens. An error while this module is imported would end TensorBoard, so it imports next to nothing."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tensorboard.plugins import base_plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from tb_plugin.runs.watch import Watch

_FIRST_LOOK_S = 0.5
"""How long the first "is there anything?" may hold up TensorBoard's page. Later ones do not wait."""


class TorchProfilePlugin(base_plugin.TBPlugin):  # type: ignore[misc]  # TensorBoard has no types
    """Starts nothing when made: the logdir may be large, far away, or not there."""

    plugin_name = "torch_profile"

    def __init__(self, context: base_plugin.TBContext) -> None:
        self._logdir: str | None = context.logdir
        self._logdir_spec: str | None = getattr(context.flags, "logdir_spec", None)
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._app: WSGIApplication | None = None
        self._patience_s = _FIRST_LOOK_S

    def is_active(self) -> bool:
        """Whether a profile was found. TensorBoard asks on each load of its page, and waits."""
        patience_s, self._patience_s = self._patience_s, 0.0
        return self._watched().any_profile(patience_s)

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        return base_plugin.FrontendMetadata(es_module_path="/static/index.js", tab_name="PyTorch Profiler", disable_reload=False)

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        return {"/static/*": self._serve, "/api/*": self._serve, "/metrics": self._serve}

    def _serve(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self._application()(environ, start_response)

    def _watched(self) -> Watch:
        from tb_plugin.runs import logdirs, recovery, watch

        with self._lock:
            if self._watch is None:
                self._watch = watch.Watch(logdirs.from_flags(self._logdir, self._logdir_spec), recovery=recovery.Recovery())
            return self._watch

    def _application(self) -> WSGIApplication:
        # Here, because it needs all that the page needs; TensorBoard's start does not.
        from tb_plugin.doors.http import HttpApp
        from tb_plugin.runs import dropped
        from tb_plugin.runs.store import ProfileStore

        watched = self._watched()
        with self._lock:
            if self._app is None:
                self._app = HttpApp(
                    ProfileStore(watched), base=f"/data/plugin/{self.plugin_name}", takes_files=dropped.are_taken()
                )
            return self._app
