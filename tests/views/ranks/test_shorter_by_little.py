"""What is said of a step that would hardly be shorter agrees with what tables say of it."""

from __future__ import annotations

import pytest

from tb_plugin.views.ranks.told.blame import Means
from tb_plugin.views.ranks.told.replayed import as_long, replayed


@pytest.mark.parametrize(
    ("would_be", "said"),
    [(50_000_000, "a step would take as long"), (49_990_000, "a step would take as long")],
)
def test_nothing_is_as_long(would_be: int, said: str) -> None:
    assert as_long(Means(50_000_000, would_be, would_be), "a step") == said
    assert as_long(None, "a step") == said


def test_little_is_told_with_how_little() -> None:
    means = Means(50_000_000, 49_790_000, 49_790_000)
    assert replayed(means, "Without it a step") == ""
    assert as_long(means, "a step") == "a step would be only 210 us (0.4 %) shorter"
