"""A rank that is not of this job, though a file of its number is here: of a job of another size."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


def test_its_file_is_not_called_missing(tmp_path: Path) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, n_steps=4, slow={6: 1.6}).write(tmp_path)
    plain = join([member(path) for rank, path in enumerate(paths) if rank != 6], RanksParams())
    (said,) = [each for each in plain.sentences if "Look at" in each]
    assert "with rank 6, whose file is missing: " in said
    trace = json.loads(gzip.decompress(paths[6].read_bytes()))
    trace["distributedInfo"]["world_size"] = 16
    paths[6].write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    table = join([member(path) for path in paths], RanksParams())
    (said,) = [each for each in table.sentences if "Look at" in each]
    assert "with rank 6, whose file is of another job: " in said
    assert not any("is missing" in each for each in table.sentences)
    assert any(each.startswith("Missing ranks: 6 (of a job of 16 ranks, this one has 8") for each in table.sentences)
