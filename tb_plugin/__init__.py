"""PyTorch profiles: record them, read them, look at them in TensorBoard.

    from tb_plugin import tensorboard_trace_handler      # in a training script
    profile = tb_plugin.load("worker.1700000000.pt.trace.json.gz")
    print(profile.key_averages().table(sort_by="self_cpu_time_total"))      # torch.profiler's own words; profile.trace: all
    tb_plugin.ask("operators", "logs/my_run", group_by="module").rows       # what the page and the shell answer
    tb_plugin.load_ranks("logs/my_run").ranks["excess_ns"]                  # all ranks of a job, as NumPy columns

Importing this package loads neither torch, NumPy nor TensorBoard: it stands in people's training jobs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tb_plugin.answers.here import ask
    from tb_plugin.answers.load_ranks import load_ranks
    from tb_plugin.capture.handler import tensorboard_trace_handler
    from tb_plugin.torch_api.profile import Profile, load

__all__ = ["Profile", "__version__", "ask", "load", "load_ranks", "tensorboard_trace_handler"]

__version__ = "0.1.0"

_HOMES = {
    "Profile": ("tb_plugin.torch_api.profile", "Profile"),
    "ask": ("tb_plugin.answers.here", "ask"),
    "load_ranks": ("tb_plugin.answers.load_ranks", "load_ranks"),
    "load": ("tb_plugin.torch_api.profile", "load"),
    "tensorboard_trace_handler": ("tb_plugin.capture.handler", "tensorboard_trace_handler"),
}


def __getattr__(name: str) -> object:
    """Loads a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module, attribute = _HOMES[name]
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
