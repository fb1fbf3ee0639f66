from __future__ import annotations

import gzip
import os
import shutil
import tarfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.runs.discover import Scan, listings
from tb_plugin.runs.dumps import find_dumps, read_dumps
from tb_plugin.runs.heads import Head, Heads
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.watch import Watch
from tb_plugin.views.ranks.hang.hang import hang_report
from tests.dump_files import drawn as drawn_dumps
from tests.dump_files import write
from tests.profiles import TRACES
from tests.runs.small import LONG_S, chrome_json, drawn, no_thread_left, put, scan, until

if TYPE_CHECKING:
    from tb_plugin.runs.catalogue import ProfileFile


def test_a_run_is_a_directory_and_everything_is_in_the_order_people_count(tmp_path: Path) -> None:
    for name in ("exp10/w.5", "exp2/w10.5", "exp2/w9.100", "exp2/w9.99", "deep/er/w.1"):
        put(tmp_path / f"{name}.pt.trace.json")
    assert drawn(scan(tmp_path)) == {
        "deep/er/w": ["1"],
        "exp2/w9": ["99", "100"],
        "exp2/w10": ["5"],
        "exp10/w": ["5"],
    }
    assert [run.name for run in scan(tmp_path).runs] == ["deep/er", "exp2", "exp10"]


def test_files_in_the_logdir_itself_are_a_run_with_its_name(tmp_path: Path) -> None:
    put(tmp_path / "resnet" / "w.1.pt.trace.json")
    assert drawn(scan(tmp_path / "resnet")) == {"resnet/w": ["1"]}
    put(tmp_path / "resnet" / "resnet" / "w.2.pt.trace.json")
    assert drawn(scan(tmp_path / "resnet")) == {"./w": ["1"], "resnet/w": ["2"]}


def test_files_of_one_name_are_one_span_and_the_stored_form_is_opened_first(tmp_path: Path) -> None:
    put(tmp_path / "w.1.pt.trace.json.gz")
    put(tmp_path / "w.1.pt.profile.pb", b"x")
    (span,) = scan(tmp_path).spans()
    assert [file.name for file in span.files] == ["w.1.pt.profile.pb", "w.1.pt.trace.json.gz"]


def test_other_json_files_are_profiles_by_their_content_only(tmp_path: Path) -> None:
    put(tmp_path / "trace.json")
    put(tmp_path / "mine.json.gz")
    put(tmp_path / "config.json", b'{"lr": 0.1}')
    put(tmp_path / "model.pb", b"\x08\x01not ours")
    put(tmp_path / "empty.json", b"")
    assert drawn(scan(tmp_path)) == {f"{tmp_path.name}/mine": ["default"], f"{tmp_path.name}/trace": ["default"]}


def test_a_file_that_changes_is_recognised_again(tmp_path: Path) -> None:
    put(tmp_path / "trace.json", b"{}")
    watch = Watch(from_flags(None, str(tmp_path)), min_age_s=0)
    assert not watch.any_profile(LONG_S)
    put(tmp_path / "trace.json")
    assert until(lambda: watch.any_profile(LONG_S), bool)
    watch.close()


def test_a_logdir_spec_names_its_runs(tmp_path: Path) -> None:
    put(tmp_path / "one" / "r" / "w.1.pt.trace.json")
    put(tmp_path / "two" / "w.2.pt.trace.json")
    assert drawn(scan(f"a:{tmp_path / 'one'},b:{tmp_path / 'two'}")) == {"a/r/w": ["1"], "b/w": ["2"]}


def test_linked_directories_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    put(outside / "w.1.pt.trace.json")
    logdir = tmp_path / "logs"
    put(logdir / "real" / "w.2.pt.trace.json")
    (logdir / "linked").symlink_to(outside)
    (logdir / "real" / "up").symlink_to(logdir)
    (logdir / "a_latest").symlink_to(logdir / "real")
    # One directory is one run, under its own name where it has one.
    assert drawn(scan(logdir)) == {"linked/w": ["1"], "real/w": ["2"]}


def test_hidden_and_unfinished_files_are_not_seen(tmp_path: Path) -> None:
    put(tmp_path / ".w.1.pt.trace.json")
    put(tmp_path / ".trash" / "w.1.pt.trace.json")
    put(tmp_path / "w.1.pt.trace.json.tmp")
    assert scan(tmp_path).runs == ()


def test_a_missing_directory_is_a_sentence_not_a_failure(tmp_path: Path) -> None:
    catalogue = scan(tmp_path / "nowhere")
    assert catalogue.runs == ()
    assert catalogue.problems == (f"{tmp_path / 'nowhere'}: No such file or directory",)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root reads everything")
def test_a_closed_directory_loses_only_itself(tmp_path: Path) -> None:
    put(tmp_path / "open" / "w.1.pt.trace.json")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    assert drawn(scan(tmp_path)) == {"open/w": ["1"]}
    assert "closed: Permission denied" in scan(tmp_path).problems[0]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_in_a_circle_is_named_and_hides_nothing_beside_it(tmp_path: Path) -> None:
    put(tmp_path / "a" / "w.1.pt.trace.json")
    put(tmp_path / "a" / "below" / "v.1.pt.trace.json")
    (tmp_path / "a" / "w.2.pt.trace.json").symlink_to("w.2.pt.trace.json")
    (tmp_path / "a" / "notes").symlink_to("notes")
    assert drawn(scan(tmp_path)) == {"a/w": ["1"], "a/below/v": ["1"]}
    (problem,) = scan(tmp_path).problems
    assert "a/w.2.pt.trace.json: Too many levels" in problem


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_what_has_a_profiles_name_and_is_no_file_is_said(tmp_path: Path) -> None:
    put(tmp_path / "a" / "w.1.pt.trace.json")
    (tmp_path / "a" / "w.2.pt.trace.json").symlink_to(tmp_path / "gone.json")
    os.mkfifo(tmp_path / "a" / "w.3.pt.trace.json")
    (tmp_path / "a" / "w.4.pt.trace.json").mkdir()
    (tmp_path / "a" / "notes.json").symlink_to("nothing")  # no name of a profile
    assert drawn(scan(tmp_path)) == {"a/w": ["1"]}
    assert [problem.partition(": ")[2] for problem in scan(tmp_path).problems] == [
        "a link to what is not there",
        "no file, but a pipe or a device",
        "a folder by a profile's name",
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_whose_file_comes_later_is_found_then(tmp_path: Path) -> None:
    """The link's own folder is as it was, and is not listed again."""
    folder = tmp_path / "logs" / "a"
    folder.mkdir(parents=True)
    (folder / "w.1.pt.trace.json").symlink_to(tmp_path / "later.json")
    os.utime(folder, ns=(10**18, 10**18))
    with no_thread_left():
        watch = Watch(from_flags(str(tmp_path / "logs"), None), min_age_s=0)
        assert drawn(watch.catalogue(LONG_S)) == {}
        put(tmp_path / "later.json")
        assert drawn(until(lambda: watch.catalogue(LONG_S), lambda c: len(c.runs) == 1)) == {"a/w": ["1"]}
        watch.close()


def test_new_spans_appear_and_deleted_runs_go(tmp_path: Path) -> None:
    put(tmp_path / "a" / "w.1.pt.trace.json")
    with no_thread_left():
        watch = Watch(from_flags(str(tmp_path), None), min_age_s=0)
        assert drawn(watch.catalogue(LONG_S)) == {"a/w": ["1"]}
        put(tmp_path / "a" / "w.2.pt.trace.json")
        put(tmp_path / "b" / "w.1.pt.trace.json")
        assert drawn(until(lambda: watch.catalogue(LONG_S), lambda c: len(c.runs) == 2)) == {"a/w": ["1", "2"], "b/w": ["1"]}
        shutil.rmtree(tmp_path / "a")
        assert drawn(until(lambda: watch.catalogue(LONG_S), lambda c: len(c.runs) == 1)) == {"b/w": ["1"]}
        watch.close()


def test_a_young_catalogue_is_not_looked_up_again(tmp_path: Path) -> None:
    watch = Watch(from_flags(str(tmp_path), None), min_age_s=60)
    watch.catalogue(LONG_S)
    put(tmp_path / "w.1.pt.trace.json")
    assert watch.catalogue(LONG_S).runs == ()
    assert not watch.scanning


def test_the_first_profile_shows_while_the_scan_still_runs(tmp_path: Path) -> None:
    put(tmp_path / "a" / "w.1.pt.trace.json")
    put(tmp_path / "b" / "slow.json")
    go_on = threading.Event()

    class Slow(Heads):
        def recognise(self, file: ProfileFile) -> Head | None:
            return Head() if go_on.wait(LONG_S) else None

    watch = Watch(from_flags(str(tmp_path), None), Slow())
    assert watch.any_profile(LONG_S)
    assert watch.scanning
    assert drawn(watch.catalogue(0)) == {"a/w": ["1"]}
    go_on.set()
    watch.close()


def test_what_cannot_be_chosen_says_what_there_is(tmp_path: Path) -> None:
    for name in ("w2.1", "w2.3", "w10.9"):
        put(tmp_path / f"{name}.pt.trace.json")
    catalogue = scan(tmp_path)
    assert [part.name for part in catalogue.choose()] == [tmp_path.name, "w2", "3"]
    assert catalogue.choose(worker="w10")[2].name == "9"
    with pytest.raises(NotFoundError, match=r"no worker 'w3' in run .*; there is w10, w2"):
        catalogue.choose(worker="w3")
    with pytest.raises(NotFoundError, match="no run 'x' here"):
        catalogue.choose(run="x")


@pytest.mark.parametrize("name", ["TRACE.JSON", "a.PT.TRACE.JSON.GZ", "A.Json", "w.1.pt.profile.PB"])
def test_capitals_in_an_ending_are_as_good(tmp_path: Path, name: str) -> None:
    put(tmp_path / name, gzip.compress(chrome_json(), mtime=0) if name.endswith("GZ") else None)
    (span,) = scan(tmp_path).spans()
    assert [file.name for file in span.files] == [name]


def test_a_packed_folder_with_a_profile_in_it_is_named(tmp_path: Path) -> None:
    member = put(tmp_path / "elsewhere" / "trace.json")
    (tmp_path / "logs").mkdir()
    with tarfile.open(tmp_path / "logs" / "trace.json.tar.gz", "w:gz") as packed:
        packed.add(member, "job/trace.json")
    with tarfile.open(tmp_path / "logs" / "data.tgz", "w:gz") as packed:
        packed.add(member, "job/picture.png")
    put(tmp_path / "logs" / "broken.tar.gz", b"\x1f\x8b no gzip")
    where = tmp_path / "logs" / "trace.json.tar.gz"
    assert scan(tmp_path / "logs").problems == (f"{where}: a packed folder with trace.json in it; unpack it to see it here",)


def test_an_empty_logdir_names_the_folder_beside_it_where_megatron_writes(tmp_path: Path) -> None:
    put(tmp_path / "torch_profile" / "rank-10.json.gz")
    (tmp_path / "tensorboard").mkdir()
    (problem,) = scan(tmp_path / "tensorboard").problems
    assert str(tmp_path / "torch_profile") in problem
    assert scan(tmp_path / "torch_profile").problems == ()


def test_a_summary_stands_for_a_profile_that_is_gone_and_beside_one_it_is_no_file_of_it(tmp_path: Path) -> None:
    put(tmp_path / "job" / "rank0.1.pt.summary")
    put(tmp_path / "job" / "rank1.1.pt.summary")
    put(tmp_path / "job" / "rank1.1.pt.trace.json")
    found = scan(tmp_path)
    assert drawn(found) == {"job/rank0": ["1"], "job/rank1": ["1"]}
    gone, here = found.spans()
    assert (gone.is_summary, gone.is_asked) == (True, False)
    assert [file.name for file in here.files] == ["rank1.1.pt.trace.json"]
    assert found.choose()[1].name == "rank1"


def test_two_summaries_of_one_name_are_one_span(tmp_path: Path) -> None:
    put(tmp_path / "rank0.pt.summary")
    put(tmp_path / "rank0.trace.pt.summary")
    (span,) = scan(tmp_path).spans()
    assert span.is_summary


def test_dumps_of_flight_recorders_without_a_profile_are_a_run_and_beside_profiles_none(tmp_path: Path) -> None:
    dumps = drawn_dumps("0 | all:1 started\n1 |", {"all": [0, 1]})
    write(tmp_path / "hung" / "fr", dumps)
    write(tmp_path / "job", dumps)
    put(tmp_path / "job" / "w.1.pt.trace.json")
    write(tmp_path / "other" / "fr", dumps)
    put(tmp_path / "other" / "w.1.pt.trace.json")
    put(tmp_path / "logs" / "rank_0", b"step 1")
    put(tmp_path / "logs" / "rank_1", b"")
    found = scan(tmp_path)
    assert drawn(found) == {"hung/fr/dumps": ["default"], "job/w": ["1"], "other/w": ["1"]}
    (span,) = (span for span in found.spans() if span.is_dumps)
    assert [file.name for file in span.files] == ["nccl_trace_rank_0", "nccl_trace_rank_1"]
    assert (opened := found.opens()) is not None
    assert opened.name == "other"  # a profile rather than dumps, whenever they were written


def test_dumps_of_any_name_are_found_by_their_first_bytes_and_empty_ones_by_torchs_own_name(tmp_path: Path) -> None:
    whole = write(tmp_path / "mine", drawn_dumps("0 | all:1 started\n1 |", {"all": [0, 1]}))
    for rank in (0, 1):
        (whole / f"nccl_trace_rank_{rank}").rename(whole / f"job7_rank_{rank}")
    put(tmp_path / "killed" / "nccl_trace_rank_3", b"")
    assert drawn(scan(tmp_path)) == {"killed/dumps": ["default"], "mine/dumps": ["default"]}


@pytest.mark.parametrize(
    ("name", "n_dumps", "verdict"),
    [
        ("flight16_missing", 15, "Rank 4 never issued all_gather_base 40 of default_pg"),
        ("flight16_mismatch", 16, "Rank 1 issued all_gather_base 40 of default_pg with"),
        ("rec_hang_skip6", 8, "Rank 6 never issued all_reduce 4 of default_pg"),
    ],
)
def test_jobs_that_hung_are_runs_whose_dumps_tell_who_did_not_come(name: str, n_dumps: int, verdict: str) -> None:
    folder = TRACES / "distributed" / name
    if not folder.is_dir():
        pytest.skip(f"no {name} beside the checkout")
    first = next(scan(folder).spans())
    assert first.is_dumps
    report = hang_report(*read_dumps(*find_dumps(Path(first.files[0].path).parent)))
    assert (len(first.files), report.n_dumps) == (n_dumps, n_dumps)
    assert (report.verdict or "").startswith(verdict)


def test_files_that_nobody_has_looked_into_are_told_scan_after_scan_until_somebody_has(tmp_path: Path) -> None:
    for name in ("a", "b"):
        put(tmp_path / f"{name}.1717000000123.pt.trace.json")
    heads, known, before = Heads(), listings(), None

    def unread() -> list[ProfileFile]:
        nonlocal before
        before = Scan(from_flags(str(tmp_path), ""), heads, known, before)
        for _ in before.run(threading.Event()):
            pass
        return sorted(before.unread(), key=lambda file: file.name)

    assert [file.name[0] for file in unread()] == ["a", "b"]
    assert [file.name[0] for file in unread()] == ["a", "b"]
    heads.read(unread()[0])
    assert [file.name[0] for file in unread()] == ["b"]
    put(tmp_path / "a.1717000000123.pt.trace.json", b'{"traceEvents": [], "another": 1}')
    put(tmp_path / "c.1717000000123.pt.trace.json")
    assert [file.name[0] for file in unread()] == ["a", "b", "c"]
