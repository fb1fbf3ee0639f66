from __future__ import annotations

from tb_plugin.base import progress


def test_a_part_of_a_part_stays_inside_it() -> None:
    told: list[tuple[float, str]] = []
    whole = progress.part(lambda share, stage: told.append((share, stage)), 0.5, 1.0)
    first, second = progress.part(whole, 0.0, 0.5), progress.part(whole, 0.5, 1.0)
    first(0.0, "reading")
    first(1.0, "reading")
    second(0.5, "building")
    whole(1.0, "ready")
    assert told == [(0.5, "reading"), (0.75, "reading"), (0.875, "building"), (1.0, "ready")]
