"""What every test may use: the real traces beside the project, and how the run is set up."""

from __future__ import annotations

import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests import profiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def traces() -> Path:
    """The folder of real traces, or a skip: for what is known of one of them."""
    if not profiles.real():
        pytest.skip("no real traces in ../shared/traces, or hidden")
    return profiles.TRACES


@pytest.fixture(autouse=True, scope="session")
def _no_cache_is_the_users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test must neither read nor leave anything there; nor do the processes that it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))  # not what the developer says of devices
        yield


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts what it runs in the background deaf to SIGINT, and children inherit that: some tests interrupt theirs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # A machine with much else to do is no fault of what is tested; and what lands is judged by the same examples each time:
    # `--hypothesis-profile=search` draws new ones.
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("search", patient)
    settings.register_profile("house", patient, derandomize=True)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("house")
    if config.getoption("dist", "no") != "no":
        config.pluginmanager.register(_Unrun(config.cache))


class _Unrun:
    """What a process that died left unrun counts as failed, so `--last-failed` runs it. Given a new process, xdist hangs.

    So does what it died of, also where the other process has had the time to run it again and it passed: pytest would have
    forgotten it, and of a run that failed nothing would be left to run.
    """

    def __init__(self, cache: pytest.Cache) -> None:
        self.cache = cache
        self.left: set[str] = set()
        self.failed: set[str] = set()

    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.left.update(ids)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.left.discard(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        failed: dict[str, bool] = self.cache.get("cache/lastfailed", {})
        self.cache.set("cache/lastfailed", failed | dict.fromkeys(self.left | self.failed, True))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write tests/goldens/expected anew instead of comparing")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Quick tests first: a wrong number should show before a browser starts. Of the browser's files the long ones first: of two
    processes none is left alone with one at the end.
    """
    n_tests = Counter(item.path for item in items)
    for item in items:
        if "traces" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.beside)

    def turn(item: pytest.Item) -> tuple[int, int]:
        browser, slow = (item.get_closest_marker(name) is not None for name in ("browser", "slow"))
        return 2 * browser + slow, -browser * n_tests[item.path]

    items.sort(key=turn)
