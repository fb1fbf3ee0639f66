"""What is in the figures and may mislead, in sentences; what is missing or refused: `notes.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.job.replay.direct import untold_sends
from tb_plugin.job.what_if.what_if import DECIDES
from tb_plugin.job.why.lacking_rows import lacks_rows
from tb_plugin.views.ranks.basis.names import by_reason, counted, ranges
from tb_plugin.views.ranks.missing.lacking import counted_otherwise, damage, damage_in_words, named, on_shifts, with_file
from tb_plugin.views.ranks.missing.notes import has_met
from tb_plugin.views.ranks.missing.off_host import on_may_differ, on_own_clocks
from tb_plugin.views.ranks.told.blame import what_ran

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.ranks.ranks import Ranks
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import Blamed

_NOTABLE: Final = 0.03
_OF_CAUSES: Final = {
    "kernels": "The same kernels taking longer is likely a slower device; why, no profile tells (its clock lowered by heat or a "
    "power cap, memory errors, a neighbour on the machine).",
    "stage": "The same kernels taking longer on a whole stage is imbalance (larger shapes of the same kernels) or slower "
    "devices: which, only shapes of inputs tell (record_shapes=True).",
    "names": "Operators of the same names taking longer is a larger batch or a slower processor: which, a profile without "
    "shapes of inputs does not tell (record_shapes=True does).",
    "operators": "The same operators taking longer is likely a slower processor; why, no profile tells (its clock lowered by "
    "heat or a power cap, other processes on the machine).",
    "pause": "What the host does in a gap without any event is not recorded: Python of its own (with_stack=True shows it), "
    "files, the network, garbage collection or preemption.",
}


def doubts(of: Analysed, found: Sequence[Blamed]) -> list[str]:
    """In the order in which they matter."""
    said = _on_damage(of) + _on_lengths(of) + counted_otherwise(of) + on_shifts(of) + _on_numbers(of.job.of)
    said += _on_hosts(of) + on_held_up(of) + (on_sends(of) if of.paths else [])
    return said + on_causes(of, found)


def _on_damage(of: Analysed) -> list[str]:
    return [] if damage_in_words(of) else by_reason(damage(of), "{who}: {why}.")


def _on_lengths(of: Analysed) -> list[str]:
    """The file is whole, and what its figures are of is not."""
    said = [(with_file(rank), " ".join(rank.summary.without_length)) for rank in of.job.of.ranks if rank.summary.without_length]
    return by_reason(said, "{who}: {why} Its steps and its work may be longer than told here.")


def _on_numbers(of: Ranks) -> list[str]:
    said = []
    if of.beyond:
        whose, is_one = ("Rank", "is none") if len(of.beyond) == 1 else ("Ranks", "are none")
        said.append(f"{whose} {ranges(of.beyond)} {is_one} of a job of {of.world_size}: the number is wrong, or the size.")
    if not of.are_numbers_known:
        said.append("Rank: not recorded; ranks are numbered in the order of their names.")
    return said


def _on_hosts(of: Analysed) -> list[str]:
    job = of.job
    said = on_own_clocks(job, are_tied=True) + on_may_differ(job) if has_met(job) else []
    if job.of.of_neighbours:
        of_them = named(of, job.of.of_neighbours)
        said.append(
            f"Host of {of_them}: not recorded; taken for that of the ranks before and after, as ranks are dealt host by host."
        )
    return said


def on_held_up(of: Analysed) -> list[str]:
    """Beside what a step would be, where it may decide."""
    found = of.held_up
    if found is None or found.share <= _NOTABLE:
        return []
    why = "than any event explains"
    if lacks_rows(of.job, of.own)[found.rank, of.own.number == found.step].any():
        why = "than what is in its file explains, as after a collective whose kernel is not in it"
    said = (
        f"On rank {of.job.of.numbers[found.rank]} work that was launched long ago begins later {why}, by "
        f"{format_ns(found.time)} of step {found.step} in sum ({percent(found.share)}), on no rank more; other work may run "
        "meanwhile. Nobody knows whether that would go if others were quicker: what a step would be is from all of it to none, "
        f"and is not told where these are more than {100 * DECIDES:.0f} % of the step apart."
    )
    return [said]


def on_sends(of: Analysed) -> list[str]:
    """Beside what a step would be."""
    n = untold_sends(of.job)
    if not n:
        return []
    who = "one send" if n == 1 else f"{n} sends"
    path = "the critical path goes past them, and what a step would be keeps the waiting for them as it was"
    return [f"Whether kernels wait for {who} cannot be told from these files: {path}."]


def on_causes(of: Analysed, found: Sequence[Blamed]) -> list[str]:
    """What a profile cannot tell apart, of causes that are likely at most; once for all that it is said of."""
    said = []
    for one in found:
        if "slow_kernels" in (one.cause, one.also):
            other = _on_other_devices(of, one)
            ran = what_ran(of, one.ranks)
            said.append(other or _OF_CAUSES["stage" if ran == "kernels" and one.level == "stage" else ran])
        if (one.cause == "pause" and one.confidence != "sure") or one.also == "pause":
            said.append(_OF_CAUSES["pause"])
    return list(dict.fromkeys(said))


def _on_other_devices(of: Analysed, one: Blamed) -> str | None:
    """Where its device is none of those of the ranks that are not blamed with it: what a profile does tell."""
    ranks = of.job.of.ranks
    mine = {rank.summary.device for rank in ranks if rank.number in one.ranks}
    theirs = {rank.summary.device for rank in ranks if rank.number not in one.ranks}
    if None in mine | theirs or not theirs or mine & theirs:
        return None
    runs = "runs" if len(one.ranks) == 1 else "run"
    others = ", ".join(sorted(filter(None, theirs)))
    return f"{counted('rank', one.ranks).capitalize()} {runs} on {', '.join(sorted(filter(None, mine)))}, the others on {others}."
