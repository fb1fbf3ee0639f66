"""The cache's own form of a profile: whole, column by column as it was, or an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.base.local_disk import is_local
from tb_plugin.formats import reader
from tb_plugin.formats.stored import column_file, mapped
from tb_plugin.trace import compact
from tb_plugin.trace.check import check
from tests.formats.same_trace import assert_same
from tests.profiles import sample
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("least_mapped", [0, 1 << 40], ids=["mapped", "read"])
@pytest.mark.parametrize("name", ["cuda", "transformer"])
def test_what_was_written_comes_back(name: str, least_mapped: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "_LEAST_MAPPED", least_mapped)
    trace, path = reader.read(sample(name)), tmp_path / "w.pt.columns"
    mapped.write(trace, path)
    opened = mapped.read(path)
    assert_same(opened, trace)
    check(opened)
    assert compact.is_mapped(opened.events.start_ns) == (least_mapped == 0 and is_local(path))
    assert [path.name for path in tmp_path.iterdir()] == ["w.pt.columns"]


def test_a_trace_without_events_comes_back_too(tmp_path: Path) -> None:
    trace = trace_from_text("")
    mapped.write(trace, tmp_path / "w")
    assert_same(mapped.read(tmp_path / "w"), trace)


def test_no_byte_may_be_another_or_missing(tmp_path: Path) -> None:
    path, broken = tmp_path / "columns", tmp_path / "broken"
    column_file.write(path, {"a": np.arange(3), "b": np.ones((2, 3), np.int16)}, b"noted")
    found = column_file.read(path)
    assert (found.by_name["a"].tolist(), found.by_name["b"].tolist(), found.note) == ([0, 1, 2], [[1] * 3] * 2, b"noted")
    whole = path.read_bytes()
    for place in range(len(whole)):
        is_free = 52 <= place < 64  # between the first line and the first column
        other = whole[:place] + bytes((whole[place] ^ (not is_free),)) + whole[place + 1 :]
        for data in {whole[:place], other} - {whole}:
            broken.write_bytes(data)
            with pytest.raises(FormatError, match="damaged columns"):
                column_file.read(broken)


def test_only_what_lies_on_this_machine_is_mapped(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    lines = [
        "22 1 8:1 / / rw - ext4 /dev/sda rw",
        f"23 22 0:41 / {tmp_path}/home rw shared:2 - nfs4 server:/home rw",
        f"24 23 8:2 / {tmp_path}/home/fast\\040disk rw - xfs /dev/sdb rw",
    ]
    mounts.write_text("\n".join(lines))
    told = [is_local(tmp_path / name, mounts) for name in ("homes", "home", "home/a/b", "home/fast disk/a")]
    assert told == [True, False, False, True]
    assert not is_local(tmp_path, tmp_path / "none")
