"""Is what Ranks says of a job right, and how fast is it? The 28 checks of the specification's section 8, a line each and set.

    python benchmarks/ranks.py [FOLDER] [--only 13 14]     default: ../shared/traces/distributed, jobs with their exact truth
    TB_PLUGIN_PEERS=DIRECTORY                              where `pip install --target` has put HolisticTraceAnalysis

    word   check, set                                   what was asked -> what is
    pass   13 who is late, in which steps  syn8_ep4...  rank 6 in [12] -> rank 6 in [12]

Figures are held against the truth that was written beside the files. `declined` says why something was not measured. Exit codes:
0 all that was measured is as asked, 1 something is not, or a check has no line, 2 there is nothing to measure.
What would make it lie: a truth that was made by the code under test (it was not), and checks that no set here can fail.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import ranks_blame as who
import ranks_changed as changed
import ranks_hangs as dumps
import ranks_matching as matching
import ranks_page as page
import ranks_peers as peers
import ranks_production as rows
import ranks_replay as replayed
import ranks_scale as scale
import ranks_times as times
from ranks_jobs import Line, Recorded, recorded
from run import NOTHING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from tb_plugin.job.ranks.ranks import RankProfile

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "traces" / "distributed"
CHECKS = range(1, 29)


def of_set(one: Recorded, readme: Path) -> Iterator[Line]:
    """All that is asked of one job."""
    yield from matching.ranks_found(one)
    yield from times.sums(one)
    yield from times.totals(one, readme)
    if one.name == "dlrm8_v100_2023":
        yield from matching.matched_real(one)
        yield times.totals_of_ranks(one, readme)
    if one.truth:
        yield from who.blame(one)
    replay = one.of.replay
    yield replayed.unchanged(one, replay)
    if one.is_simulated:
        pairs = matching.paired(one)
        yield from matching.matched(one, pairs)
        yield from times.clocks(one)
        yield times.waits(one, pairs)
        yield from times.instances(one, pairs)
        yield times.bandwidth(one, pairs)
        if one.of.pipeline is not None:
            yield replayed.bubbles(one, one.of.pipeline, pairs)
        if replay is not None:
            yield from replayed.paths(one, replay)
            yield from replayed.what_if(one, replay)
    if one.of.balance is not None:
        yield who.tokens(one, one.of.balance)
    yield from changed.moved(one)
    yield changed.permuted(one)
    yield changed.one_less(one)


def of_all(sets: Sequence[Recorded], folder: Path, screens: page.Started | None, checks: Container[int]) -> Iterator[Line]:
    """What is asked of several jobs, or of folders without profiles. What takes long is left out where it is not in `checks`."""
    yield from matching.jobs_apart(sets)
    yield from matching.refused(sets, folder.parent)
    yield from rows.production(folder)
    yield from dumps.hangs(folder)
    yield from dumps.hostile()
    kinds = list(changed.DAMAGES)
    for nth, one in enumerate(each for each in sets if len(each.profiles) == 8 and 27 in checks):
        yield from changed.damaged(one, kinds if one.name.endswith("_slow") else kinds[nth % len(kinds) :][:1])
    if screens is not None:
        yield from screens.lines()
    wide = next((one for one in sets if len(one.profiles) == scale.SIZES[0]), None)
    if wide is not None and 25 in checks:
        yield from scale.budgets(wide.profiles, wide.folder)
    if 25 in checks:
        yield from peers.side_by_side(folder)


def _of_size(sets: Sequence[Recorded], n_ranks: int) -> list[RankProfile]:
    """Profiles of the last set that has so many; none where there is none."""
    return next((one.profiles for one in reversed(sets) if len(one.profiles) == n_ranks and one.is_simulated), [])


def show(lines: Iterable[Line]) -> list[Line]:
    """Each as it comes."""
    shown = []
    for line in lines:
        print(f"{line.word:8} {line.check:2} {line.what:45} {line.of:26} {line.asked} -> {line.ours}", flush=True)
        shown.append(line)
    return shown


def conclude(lines: Sequence[Line], checks: Iterable[int]) -> int:
    """How many of each check, and the exit code."""
    words = {check: Counter(line.word for line in lines if line.check == check) for check in checks}
    print()
    for check, counted in words.items():
        print(f"check {check:2}: {', '.join(f'{n} {word}' for word, n in sorted(counted.items())) or 'NO LINE'}")
    total = Counter(line.word for line in lines)
    print(f"{len(lines)} lines: {total['pass']} pass, {total['FAIL']} FAIL, {total['declined']} declined")
    return int(total["FAIL"] > 0 or not all(words.values()))


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--only", type=int, nargs="+", choices=CHECKS, metavar="CHECK", help="show the lines of these checks")
    parser.add_argument("--pictures", type=Path, help="a directory for screenshots of the page")
    options = parser.parse_args(words)
    paths = sorted(each for each in options.folder.glob("*") if any(each.glob("*.trace.json.gz")))
    if not paths:
        print(f"{options.folder}: no set of profiles lies there, so nothing was checked", file=sys.stderr)
        return NOTHING
    begun = time.monotonic()
    sets = [recorded(path) for path in paths]
    readme = options.folder / "README.md"
    checks = options.only or CHECKS
    screens = page.Started(_of_size(sets, 64), _of_size(sets, 8), options.pictures) if 26 in checks else None
    every = (
        line for part in (*(of_set(one, readme) for one in sets), of_all(sets, options.folder, screens, checks)) for line in part
    )
    lines = show(line for line in every if line.check in checks)
    code = conclude(lines, checks)
    print(f"after {time.monotonic() - begun:.0f} s, load {os.getloadavg()[0]:.1f}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
