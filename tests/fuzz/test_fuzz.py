from __future__ import annotations

import sys

import pytest

from tests.fuzz import campaign

SEED = 1


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and processor time are Linux's")
def test_damaged_files_of_every_format_are_shown_or_refused() -> None:
    report = campaign.run(campaign.cases(300, SEED), n_workers=1)
    assert report.failures == []
    assert report.outcomes["shown"] > 100
    assert report.outcomes["refused"] > 30
