"""Which call started which device work, and which operator that work belongs to.

Order of trust: the correlation id of any `*_runtime` or `*_driver` call in the file; else the External id, where files
mean an operator by it; what neither finds stays -1, "not attributed". One launch may own hundreds of kernels (graphs).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, Int32Array, Int64Array
from tb_plugin.compute import nesting
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, Kind, is_kind

_OWNER_KINDS = (Kind.OPERATOR, Kind.ANNOTATION)
_LAUNCHED_KINDS = (*DEVICE_KINDS, Kind.SYNC)


def launches(kind: npt.NDArray[np.uint8], correlation: Int64Array, start_ns: Int64Array) -> Int32Array:
    """For device rows the row of the call that started them, else NONE.

    Where calls share an id (a driver call inside a runtime call) the first to start is taken: it holds the other.
    """
    launch = np.full(len(kind), NONE, np.int32)
    calls = np.flatnonzero(is_kind(kind, LAUNCH_KINDS) & (correlation > 0))
    work = np.flatnonzero(is_kind(kind, _LAUNCHED_KINDS) & (correlation > 0))
    if len(calls) == 0 or len(work) == 0:
        return launch
    calls = calls[np.lexsort((start_ns[calls], correlation[calls]))]
    ids = correlation[calls]
    place = np.minimum(np.searchsorted(ids, correlation[work]), len(ids) - 1)
    found = ids[place] == correlation[work]
    launch[work[found]] = calls[place[found]]
    return launch


def owners(
    kind: npt.NDArray[np.uint8],
    nest_parent: Int32Array,
    launch: Int32Array,
    external_id: Int64Array,
    correlation: Int64Array,
) -> Int32Array:
    """For device rows the innermost operator or annotation around their launch, or the launch itself when none is.

    Files of 2022 and 2023 write the correlation id as External id: it then names no operator and is not used.
    """
    is_owner = is_kind(kind, _OWNER_KINDS)
    owner = np.full(len(kind), NONE, np.int32)
    launched = np.flatnonzero(launch >= 0)
    around = nesting.marked_around(nest_parent, is_owner, launch[launched])
    owner[launched] = np.where(around >= 0, around, launch[launched])

    alone = np.flatnonzero(is_kind(kind, DEVICE_KINDS) & (launch < 0) & (external_id > 0))
    device = is_kind(kind, DEVICE_KINDS)
    means_operator = bool((external_id[device] != correlation[device]).any())
    candidates = np.flatnonzero(is_owner & (external_id > 0))
    if len(alone) and len(candidates) and means_operator:
        candidates = candidates[np.argsort(external_id[candidates], kind="stable")]
        ids = external_id[candidates]
        place = np.minimum(np.searchsorted(ids, external_id[alone]), len(ids) - 1)
        found = ids[place] == external_id[alone]
        owner[alone[found]] = candidates[place[found]]
    return owner


def host_ranges(
    kind: npt.NDArray[np.uint8], name_id: Int32Array, external_id: Int64Array, start_ns: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """(rows of annotations on a device, of each the host's annotation that it is): one name and one External id say so.

    Where an id comes again, as in files put together, it is the last that began before.
    """
    host, device = (np.flatnonzero((kind == each) & (external_id > 0)) for each in (Kind.ANNOTATION, Kind.DEVICE_ANNOTATION))
    if len(host) == 0 or len(device) == 0:
        return device[:0], device[:0]
    rows = np.concatenate((host, device))
    rows = rows[np.lexsort((kind[rows] == Kind.DEVICE_ANNOTATION, start_ns[rows], external_id[rows], name_id[rows]))]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (np.diff(name_id[rows]) != 0) | (np.diff(external_id[rows]) != 0)
    group = np.cumsum(is_new)
    place = np.flatnonzero(kind[rows] == Kind.ANNOTATION)
    asks = np.flatnonzero(kind[rows] == Kind.DEVICE_ANNOTATION)
    # Clocks of host and device may differ by a little: before all of its id it is the first of them.
    after = np.searchsorted(place, asks)
    before = place[np.maximum(after - 1, 0)]
    found = np.where(group[before] == group[asks], before, place[np.minimum(after, len(place) - 1)])
    is_same = group[found] == group[asks]
    return rows[asks[is_same]], rows[found[is_same]]
