"""One collective as tables show it: of a class the longest, or each."""

from __future__ import annotations

from typing import Annotated

import msgspec

from tb_plugin.question.figure import NO_COLUMN, Figure


class InstanceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One collective. `at_ns`: when the last came, after the first arrival of the job. `wait_ns`: of who came first.

    `last_ranks`: who came last, alone or together as far as clocks can tell; of very many the first, `n_last` counts all.
    `worker`, `row`: the event of who came first, which is as long as all of it; `ranks`: of those in it, few, that one and one
    of those who came last among them.
    `begin_ns`, `lasts_ns`: from its first arrival to its last end, in the picture of its step on `ranks`.
    """

    at_ns: Annotated[int, Figure("At", "ns")]
    step: Annotated[int | None, Figure("Step", "count", absent="in no step")]
    dimension: Annotated[str, Figure("Dimension", "text")]
    kind: Annotated[str, Figure("Kind", "text")]
    group: Annotated[str | None, Figure("Group", "text", absent="not recorded")]
    sequence: Annotated[int | None, Figure("Seq", "count", absent="not recorded")]
    members: Annotated[str, Figure("Members", "text")]
    n_ranks: Annotated[int, Figure("Ranks", "count")]
    bytes: Annotated[int | None, Figure("Size", "bytes")]
    wait_ns: Annotated[int, Figure("Longest wait", "ns")]
    transfer_ns: Annotated[int | None, Figure("Transfer", "ns")]
    last_ranks: Annotated[list[int], Figure("Came last", "text")]
    n_last: Annotated[int, NO_COLUMN]
    worker: Annotated[str, NO_COLUMN]
    row: Annotated[int, NO_COLUMN]
    ranks: Annotated[list[int], NO_COLUMN]
    begin_ns: Annotated[int, NO_COLUMN]
    lasts_ns: Annotated[int, Figure("Lasts", "ns")]
