"""What the answer of the modules view holds for any profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tb_plugin.views.modules.result import Modules, PhaseTimes


def checked(result: Modules) -> Modules:
    """What holds for every profile: self times add up, totals hold what is below, nothing is negative."""
    rows = result.rows
    assert [row.id for row in rows] == list(range(len(rows)))
    assert sum(row.device.self_ns for row in rows) == result.totals.device_ns
    assert sum(row.host.self_ns for row in rows if row.host) == result.totals.host_ns
    assert sum(row.kernels_self for row in rows) == result.totals.kernels
    for row in rows:
        below = [child for child in rows if child.parent == row.id]
        assert all(child.id > row.id and child.depth == row.depth + 1 for child in below)
        assert row.kernels_total == row.kernels_self + sum(child.kernels_total for child in below)
        assert row.operators_total == row.operators_self + sum(child.operators_total for child in below)
        for memory in ("host_memory", "device_memory"):
            mine = getattr(row, memory)
            for size in ("allocated", "net") if mine else ():
                inside = sum(getattr(getattr(child, memory), f"{size}_total_bytes") for child in below)
                assert getattr(mine, f"{size}_total_bytes") == getattr(mine, f"{size}_self_bytes") + inside
            assert mine is None or mine.allocated_self_bytes >= max(0, mine.net_self_bytes)
        for side in ("host", "device"):
            times: PhaseTimes | None = getattr(row, side)
            if times is None:
                continue
            assert times.total_ns == times.self_ns + sum(getattr(child, side).total_ns for child in below)
            assert min(times.self_ns, times.backward_self_ns or 0, times.forward_self_ns or 0) >= 0
            if row.kind == "module":
                assert times.self_ns == (times.forward_self_ns or 0) + (times.backward_self_ns or 0)
    return result


def of_classes(each: Modules) -> dict[str, dict[str, int]]:
    """Class to values, from a row for each module: own ones of all, and totals of those in no other of the class."""
    found: dict[str, dict[str, int]] = {}
    for row in each.rows:
        around, above = set(), row.parent
        while above is not None:
            around.add(each.rows[above].class_name)
            above = each.rows[above].parent
        sums = found.setdefault(row.class_name or row.name, dict.fromkeys(("self", "total", "host_self", "host_total"), 0))
        for side, times in (("", row.device), ("host_", row.host)):
            sums[f"{side}self"] += times.self_ns if times else 0
            sums[f"{side}total"] += times.total_ns if times and row.class_name not in around else 0
    return found


def checked_classes(each: Modules, classes: Modules) -> Modules:
    """Classes by own time, each the sum of its modules; what lies below a class are its modules as they are by themselves."""
    assert classes.group_by == "class"
    assert classes.totals == each.totals
    heads = [row for row in classes.rows if row.parent is None]
    found = {
        row.class_name or row.name: {
            "self": row.device.self_ns,
            "total": row.device.total_ns,
            "host_self": row.host.self_ns if row.host else 0,
            "host_total": row.host.total_ns if row.host else 0,
        }
        for row in heads
    }
    assert found == of_classes(each)
    own = [(row.device if any(row.device.self_ns for row in heads) else row.host) for row in heads if row.kind == "module"]
    assert [times.self_ns for times in own if times] == sorted((times.self_ns for times in own if times), reverse=True)
    by_path = {row.path: row for row in each.rows}
    for row in classes.rows:
        if row.parent is not None:
            alone = by_path[row.path]
            assert (row.name, row.class_name, row.device, row.host, row.calls) == (
                *(alone.name, alone.class_name, alone.device, alone.host, alone.calls),
            )
            assert classes.rows[row.parent].class_name == row.class_name
    return classes
