"""What every test may use: the real traces beside the project, and the order of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Recorded by others on real hardware; they lie beside a checkout and are never part of it.
TRACES = ROOT.parent / "shared" / "traces"


@pytest.fixture(scope="session")
def traces() -> Path:
    """The folder of real traces, or a skip."""
    if not TRACES.is_dir():
        pytest.skip("no ../shared/traces beside this checkout")
    return TRACES


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Quick tests first: a wrong number should show before a browser starts."""
    items.sort(key=lambda item: sum(item.get_closest_marker(name) is not None for name in ("slow", "browser")))
