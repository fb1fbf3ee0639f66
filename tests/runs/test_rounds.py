"""Which spans of workers that recorded several times are one recording, by their names and first bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.runs.rounds import by_default, is_default, n_recordings
from tests.runs.small import chrome_json, put, scan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

BEGAN_S = 1_795_284_500


def written(folder: Path, seconds: Mapping[int, Sequence[float]], *, in_names: bool = True) -> Path:
    """A file for each rank and second in which it began to record; the names say it too, or count."""
    for rank, all_of in seconds.items():
        for place, second in enumerate(all_of):
            began_ns = int((BEGAN_S + second) * 10**9)
            name = f"{began_ns + 10**9}" if in_names else f"{BEGAN_S + place * 1000}000000000"
            content = chrome_json(rank=rank).replace(b'"ts": 0', b'"ts": %d' % (began_ns // 1000 + rank))
            put(folder / f"rank{rank}.{name}.pt.trace.json", content)
    return folder


def drawn(folder: Path) -> tuple[str, dict[str, str], list[str]]:
    """(of each rank the place of what is asked, of each that has older ones their places, why others are left)."""
    (run,) = scan(folder).runs
    asked, left = list[str](), list[str]()
    older: dict[str, str] = {}
    for of in by_default(run, lambda _: False):
        places = {span.name: f"{place}" for place, span in enumerate(of.worker.spans)}
        asked.append("+".join(places[span.name] for span in of.asked))
        older |= {of.worker.name: "".join(map(places.__getitem__, of.older))} if of.older else {}
        left += [f"{of.worker.name}: {why}" for _, why in of.left]
        assert of.worker.opens(lambda _: False) == of.likely, "the bar shows what Ranks is of"
        assert [is_default(run, of.worker, span) for span in of.worker.spans] == [span in of.asked for span in of.worker.spans]
    return " ".join(asked), older, left


@pytest.mark.parametrize("in_names", [True, False])
def test_the_newest_recording_is_asked_and_the_others_are_older(tmp_path: Path, in_names: bool) -> None:
    folder = written(tmp_path / "r", dict.fromkeys(range(3), (0, 5, 10)), in_names=in_names)
    assert drawn(folder) == ("2 2 2", dict.fromkeys(("rank0", "rank1", "rank2"), "01"), [])


@pytest.mark.parametrize("second", [100, -100, 70])
def test_a_rank_with_a_file_of_another_time_is_asked_for_that_of_the_others_and_the_other_one_is_named(
    tmp_path: Path, second: int
) -> None:
    asked, older, (left,) = drawn(written(tmp_path / "r", {0: (0,), 1: (0,), 2: sorted((0, second))}))
    assert (asked, older) == (f"0 0 {int(second < 0)}", {})
    when = f"{abs(second):.3g}{'.0' * (second == 70)} s {'later' if second > 0 else 'earlier'}"
    assert left.startswith(f"rank2: dated {when} than what is used (rank2.1795284")
    assert ".pt.trace.json): 1 profile is of that time, 3 of the other; shown with span 1795284" in left


def test_of_recordings_that_are_equally_complete_the_newest_is_asked(tmp_path: Path) -> None:
    asked, older, left = drawn(written(tmp_path / "r", {0: (0, 100), 1: (0, 100), 2: (0,), 3: (100,)}))
    assert (asked, older, left) == ("1 1 0 0", {"rank0": "0", "rank1": "0"}, [])


def test_a_newer_recording_that_lacks_a_rank_is_named_once_for_all_that_have_it(tmp_path: Path) -> None:
    asked, older, left = drawn(written(tmp_path / "r", {0: (0, 20, 40), 1: (0, 20, 40), 2: (0, 20)}))
    assert (asked, older) == ("1 1 1", dict.fromkeys(("rank0", "rank1", "rank2"), "0"))
    assert len(left) == 2
    assert len({why.partition(": ")[2] for why in left}) == 1
    assert "dated 20.0 s later than what is used: 2 profiles are of that time, 3 of the other; " in left[0]


def test_two_files_of_one_time_are_both_asked_and_who_reads_them_tells(tmp_path: Path) -> None:
    assert drawn(written(tmp_path / "r", {0: (0,), 1: (0,), 2: (0, 10)})) == ("0 0 0+1", {}, [])


def test_what_opens_is_of_the_recording_that_most_have_and_gives_way_where_it_cannot_be_read(tmp_path: Path) -> None:
    (run,) = scan(written(tmp_path / "r", {0: (0, 100), 1: (0,), 2: (0, 10)})).runs
    opened = [worker.spans.index(worker.opens(lambda _: False)) for worker in run.workers]
    assert opened == [0, 0, 0]
    first = run.workers[0]
    assert first.opens(lambda span: span is first.spans[0]) is first.spans[1]


def test_copies_of_one_recording_are_told_apart_by_their_names(tmp_path: Path) -> None:
    folder = written(tmp_path / "r", dict.fromkeys(range(3), (0, 0)), in_names=False)
    assert drawn(folder) == ("1 1 1", dict.fromkeys(("rank0", "rank1", "rank2"), "0"), [])


def test_a_host_with_another_clock_is_asked_for_its_newest(tmp_path: Path) -> None:
    asked, _, left = drawn(written(tmp_path / "r", {0: (0, 100), 1: (0, 100), 2: (0, 100), 3: (420, 520)}))
    assert (asked, left) == ("1 1 1 1", [])


def test_an_empty_file_is_named_and_not_asked_where_the_worker_has_another(tmp_path: Path) -> None:
    folder = written(tmp_path / "r", {0: (0,), 1: (0,)})
    put(folder / "rank1.1795284600000000000.pt.trace.json", b"")
    assert drawn(folder) == ("0 0", {}, ["rank1: rank1.1795284600000000000.pt.trace.json: the file is empty"])
    for path in folder.glob("rank1.*"):
        path.write_bytes(b"")
    assert drawn(folder) == ("0 1", {}, []), "what is asked says it"


@pytest.mark.parametrize(
    ("seconds", "n"),
    [
        ({0: (0,), 1: (0,)}, 1),
        ({0: (0, 100), 1: (0, 100), 2: (0,)}, 2),
        ({0: (0, 100), 1: (0,), 2: (0,)}, 2),  # the stray file of one rank, too
        ({0: (0, 5, 10), 1: (0, 5, 10)}, 3),
        ({0: (0,), 1: (0,), 2: (500,), 3: (500,)}, 2),  # two jobs, one rank file each
        ({0: (0, 5, 10)}, 3),
    ],
)
def test_a_folder_says_how_many_recordings_it_holds(tmp_path: Path, seconds: dict[int, tuple[float, ...]], n: int) -> None:
    (run,) = scan(written(tmp_path / "r", seconds)).runs
    assert n_recordings(run) == n


def test_files_whose_time_is_not_told_are_as_many_recordings_as_a_worker_has(tmp_path: Path) -> None:
    for rank in range(2):
        put(tmp_path / "r" / f"rank{rank}.pt.trace.json", chrome_json(rank=rank))
    (run,) = scan(tmp_path / "r").runs
    assert n_recordings(run) == 1
