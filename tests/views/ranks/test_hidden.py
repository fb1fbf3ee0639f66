"""How much of a dimension's transfers kernels hide, against a sum over members."""

from __future__ import annotations

import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.rows.collective_rows import dimension_rows
from tests.job.recorded import real_job, recorded


@pytest.mark.parametrize("name", ["syn8_ep4_dp8_input", "syn8_tp2_pp2_dp2_slow"])
def test_what_of_its_transfers_runs_beside_kernels(name: str) -> None:
    of = analysed(recorded(sorted(real_job(name).glob("rank*.gz"))))
    job, dimension = of.job, of.dimensions.of_rows(of.job.rows.group)
    hidden, moved = dict.fromkeys(of.dimensions.names, 0), dict.fromkeys(of.dimensions.names, 0)
    for row, (place, end, waited) in enumerate(zip(job.rows.rank, job.rows.end, job.waits.wait, strict=True)):
        if not job.waits.is_known[row] or job.waits.untold[row] > 0:
            continue
        rank, its = job.of.ranks[int(place)], of.dimensions.names[int(dimension[row])]
        begin = int(job.rows.start[row] + waited)
        shift = rank.summary.base_ns - job.table.base_ns
        kernels = zip(rank.computing["start"] + shift, rank.computing["end"] + shift, strict=True)
        hidden[its] += sum(max(int(min(b, end) - max(a, begin)), 0) for a, b in kernels)
        moved[its] += int(end) - begin
    found = {row.name: row.hidden_transfer_share for row in dimension_rows(of)}
    assert found == {each: pytest.approx(hidden[each] / moved[each], abs=1e-9) for each in found}
    assert any(share and share > 0.05 for share in found.values())
