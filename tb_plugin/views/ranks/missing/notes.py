"""What is missing of a job, or refused, in sentences; what is in the figures and may be wrong: `doubts.py`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, format_rate
from tb_plugin.compute.distinct import distinct
from tb_plugin.findings import words
from tb_plugin.job.links.links import message_bytes
from tb_plugin.job.own.lost_rows import without_rows
from tb_plugin.job.ranks.no_device import is_not_whole
from tb_plugin.job.ranks.rows import NAMELESS
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.trace.collectives.kinds import SEND
from tb_plugin.views.ranks.basis.names import by_reason, counted
from tb_plugin.views.ranks.basis.sorts import sort_name
from tb_plugin.views.ranks.missing.lacking import named, on_begun_late, on_cut_off, on_queue, on_steps, on_tail
from tb_plugin.views.ranks.missing.mismatched import on_mismatches
from tb_plugin.views.ranks.missing.missing import are_told, unread, without_dimension
from tb_plugin.views.ranks.missing.not_replayed import on_left_out, on_no_path
from tb_plugin.views.ranks.missing.off_host import on_own_clocks, on_unfit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.job.job import Job
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import RankMember

_MOST_ALONE: Final = 3

_STAYS: Final = "What each rank needs for itself, and waits inside one {}, stand."

_NO_GROUP: Final = "gloo, torch before 2.4, or a CUDA graph replayed"
"""Which collectives name none: of a graph only the capture did, and that is not in the file."""


def notes(of: Analysed, others: list[RankMember], noted: list[tuple[str, str]]) -> list[str]:
    """In the order in which they matter; not what a sentence says. `noted`: labels of members, and what is to be said of each."""
    said = on_cut_off(of) + on_begun_late(of) + on_steps(of) + on_queue(of) + on_tail(of)
    told = set(map(id, are_told(of, others)))
    left = [one for one in others if id(one) not in told]
    said += by_reason(_reasons(one for one in left if one.state == "failed"), "{who}: {why}.")
    if waiting := unread(others):
        said.append(f"{waiting} profile{' has' if waiting == 1 else 's have'} not answered yet.")
    said += by_reason([(one.worker, one.reason) for one in left if one.state == "ready" and one.reason], "Apart: {who}: {why}.")
    said += by_reason(noted, "{who}: {why}.")
    said += _on_matching(of) + on_clocks(of.job) + on_left_out(of) + _on_ranks(of)
    return said + ([] if of.paths else on_no_path(of))


def _reasons(members: Iterable[RankMember]) -> list[tuple[str, str]]:
    return [(one.label, one.reason or "not known") for one in members]


def _on_matching(of: Analysed) -> list[str]:
    job, said = of.job, []
    if job.table.unnamed_ranks:
        said.append(
            f"Wait: not recorded. The collectives do not say which process group they are of ({_NO_GROUP}), and the ranks are in "
            "several."
        )
    said += _on_ungrouped(of)
    for place in job.refused.tolist():
        group = job.table.groups[place]
        if group == NAMELESS:
            said.append(
                f"The collectives do not say which process group they are of ({_NO_GROUP}), and as of one they do "
                "not match between ranks: they do not end together, or before the last rank has come. "
                f"{_unlike(of, place)}Not used."
            )
            continue
        what = f"of group {group.name} ({group.description or 'no description'})"
        said.append(
            f"The collectives {what} do not match between ranks: some would end before the last rank has come. "
            f"{_unlike(of, place)}Not used."
        )
    said += on_mismatches(of)
    lost = int((~job.rows.is_there).sum())
    if lost:
        who, whose = ("One collective was", "its kernel is") if lost == 1 else (f"{lost} collectives were", "their kernels are")
        said.append(f"{who} issued and {whose} not in the files: incomplete.")
    if job.has_waits and (message_bytes(job)[job.instances.is_known] == NONE).all():
        said.append("Bytes: not recorded of any matched collective; how fast links are cannot be told.")
    said += _on_nameless_pairs(of)
    said += _on_lone_links(of)
    if NOT_RECORDED in {of.dimensions.names[at] for at in of.dimensions.of_group[:-1].tolist()}:
        some = without_dimension(of)
        whose = f" of {named(of, some)}" if some else ""
        why = "(torch before 2.4, gloo, or a replayed graph); collectives are told by their kind"
        said.append(f"Dimension: not recorded{whose} {why}.")
    return said


def _on_ungrouped(of: Analysed) -> list[str]:
    """Groups that no file names: how many were told by their ends, and collectives that may be of several."""
    job, said = of.job, []
    sizes = Counter(group.size for group in job.table.groups if not group.name and group != NAMELESS)
    if sizes:
        which = ", ".join(f"{n} of {words.counted(size, 'rank')}" for size, n in sorted(sizes.items()))
        said.append(f"Process groups: not recorded; told by which ranks' collectives end together: {which}.")
    rows = job.rows.take(job.table.ungrouped)
    if len(rows):
        streams = distinct(rows.stream[rows.stream != NONE]).tolist()
        which = f"on {counted('stream', streams)} of " if streams else "of "
        who = named(of, distinct(rows.rank).tolist())
        what = f"{len(rows):,} collective{'s' if len(rows) > 1 else ''}"
        said.append(
            f"{what} {which}{who}: the process group is not recorded (torch before 2.4, or a replayed graph), "
            "and by when they end there may be several. Not used."
        )
    return said


def _on_nameless_pairs(of: Analysed) -> list[str]:
    """Sends and receives of a known group of which nobody knows the other side."""
    rows = of.job.rows
    is_nameless = rows.is_between_two & (rows.peer == NONE) & (rows.group != NONE)
    n_sends, n = int((is_nameless & (rows.kind == SEND)).sum()), int(is_nameless.sum())
    parts = [f"{many:,} {what}{'s' if many > 1 else ''}" for many, what in ((n_sends, "send"), (n - n_sends, "receive")) if many]
    if not parts:
        return []
    who = named(of, distinct(rows.rank[is_nameless]).tolist())
    do, its = ("does", "its") if n == 1 else ("do", "their")
    return [f"{' and '.join(parts)} of {who} {do} not say with whom: not matched, and what of {its} time is waiting is not told."]


def _on_lone_links(of: Analysed) -> list[str]:
    """What moves data with nothing like it to be held against."""
    alone = sorted(of.links.alone, key=lambda one: -one.n_instances)
    if not alone or of.links.slow is not None:
        return []
    parts = []
    for one in alone[:_MOST_ALONE]:
        hosts = [of.job.of.hosts[host] for host in one.hosts]
        where = ", ".join(hosts) if len(hosts) <= _MOST_ALONE else f"{len(hosts)} hosts"
        least = "at least " if one.is_at_least else ""
        parts.append(f"{one.dimension} {sort_name(one.kind)} ({where}, {least}{format_rate(one.bandwidth)})")
    more = f" and {len(alone) - _MOST_ALONE} more" if len(alone) > _MOST_ALONE else ""
    return [f"Whether a link is slow cannot be told of {', '.join(parts)}{more}: only one of its kind, nothing to compare with."]


def _unlike(of: Analysed, group: int) -> str:
    """Whose file holds fewer collectives of this group than most of its ranks' do."""
    rows = of.job.rows
    n_of_rank = np.bincount(rows.rank[(rows.group == group) & rows.is_there], minlength=len(of.job.of.ranks))
    counts, n_ranks = np.unique(n_of_rank[n_of_rank > 0], return_counts=True)
    most = int(counts[n_ranks == n_ranks.max()].max())
    fewer = np.flatnonzero((n_of_rank > 0) & (n_of_rank < most)).tolist()
    return f"Fewer than the {most} of most are in the file of {named(of, fewer)}. " if fewer else ""


def has_met(job: Job) -> bool:
    """Not where every group is refused, or none is told, or no file has any: who met whom is not known, and so nothing of
    clocks.
    """
    if len(job.of.lack_device) == len(job.of.ranks):
        return False
    if len(job.table.ungrouped) and not job.matched.is_matched.any():
        return False
    return len(job.refused) == 0 or not job.is_refused[job.matched.is_matched].all()


def on_clocks(job: Job) -> list[str]:
    """Where waits are not given for them."""
    if not has_met(job):
        return []
    said = on_own_clocks(job, are_tied=False)
    if job.clock_refused:
        which = "clock" if job.places.off else "host"
        return [*said, f"Clocks: {job.clock_refused}. No wait is given across {which}s. {_STAYS.format(which)}"]
    if unfit := on_unfit(job):
        them, theirs, others = ("it", "its ranks", "these") if len(job.unfit) == 1 else ("them", "their ranks", "these")
        if min(job.unfit) >= len(job.of.hosts):  # ranks that are on no clock of a host
            them, theirs, others = *2 * [job.whose(list(job.unfit))], "the others"
        given = f"No wait is given of {theirs} with others; {others} wait in what they do with {them} at least as long as told"
        said.append(f"Clocks: {unfit}. {given}.")
    fitting = [host for host in range(len(job.of.hosts)) if host not in job.unfit]
    components = len(distinct(job.clocks.component[fitting]))
    if components > 1:
        parts = f"the {'other ' if job.unfit else ''}hosts fall into {components} parts that no collective ties"
        return [*said, f"Clocks: {parts}. No wait is given across them. {_STAYS.format('part')}"]
    if not job.of.are_hosts_known and len(job.of.ranks) > 1:
        return [*said, "Hosts: not recorded; each rank's clock is solved for itself."]
    return said


def _on_ranks(of: Analysed) -> list[str]:
    job, said = of.job, []
    if not of.has_host:
        said.append("Events of the host: not recorded; idle time of a device is not held against its rank.")
    places = [place for place, rank in enumerate(job.of.ranks) if rank.summary.has_launches and not rank.summary.has_ranges]
    if places:
        whom = named(of, places)
        said.append(
            f"Operators, and annotations but steps: not recorded of {whom}; whether they wait for a data loader is not told."
        )
    if job.has_own_work and (places := without_rows(job)):
        at_most = "of what the host idles what may be waiting is not told apart"
        said.append(f"Collectives: not recorded of {named(of, places)} (no row of gloo's threads); {at_most}.")
    if any(rank.is_on_host and not is_not_whole(rank.summary) for rank in job.of.ranks):
        said.append("Device busy: not recorded (CPU job); computation is operators outside of collectives.")
    return said
