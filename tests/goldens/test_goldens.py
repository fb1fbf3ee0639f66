"""Every view on every sample answers what `expected/` says. A new sample is a new file in `samples/recordings/`."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

from tests.goldens.check import EXPECTED, check_sample, name_of
from tests.profiles import RECORDINGS, trace_of
from tests.vendors.files import VENDORS, path_of
from tests.vendors.training import Training

if TYPE_CHECKING:
    from pathlib import Path

    from tests.vendors.vendor import Vendor

SAMPLES = sorted(RECORDINGS.glob("*/*.pt.*"))
MOST_BYTES = 300_000  # of a log directory
A_PERSONS = re.compile(r"/(?:home|root|Users|work)\b|\bvm\b")


@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_views_answer_as_their_goldens(sample: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    check_sample(sample, tmp_path, update=request.config.getoption("--update-goldens"))


def test_there_is_no_golden_without_a_sample() -> None:
    assert {path.parent.relative_to(EXPECTED).as_posix() for path in EXPECTED.glob("*/*/*.json")} == set(map(name_of, SAMPLES))


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_a_device_trace_is_what_its_writer_writes(vendor: Vendor) -> None:
    assert gzip.decompress(path_of(vendor).read_bytes()).decode() == Training(vendor).text()


@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_a_recording_names_no_person_and_no_machine(sample: Path) -> None:
    trace = trace_of(sample)
    texts = [*trace.strings, repr(trace.info)]
    if sample.suffix == ".gz":
        texts.append(gzip.decompress(sample.read_bytes()).decode())
    assert [found for text in texts for found in A_PERSONS.findall(text)] == []
    assert trace.info.host in (None, "node1")


@pytest.mark.parametrize("folder", sorted(RECORDINGS.iterdir()), ids=lambda folder: folder.name)
def test_a_recording_is_small(folder: Path) -> None:
    assert sum(path.stat().st_size for path in folder.iterdir()) < MOST_BYTES
