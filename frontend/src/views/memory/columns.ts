import type { MemoryAllocation, MemoryGroup, MemorySegment, MemoryUse } from '../../data/wire'
import type { Column } from '../../widgets/table/column'
import * as define from './definitions'

export interface CurvePoint {
  readonly time_ns: number
  readonly allocated_bytes: number
  readonly reserved_bytes: number | null
}

export const NOT_ATTRIBUTED = 'not attributed'

const TITLES: Readonly<Record<string, string>> = {
  operator: 'Operator',
  module: 'Module',
  call_site: 'Call site',
  stack: 'Innermost frame',
  category: 'Category',
}

/** Columns of the groups of one grouping. Without addresses the file cannot say what is alive. */
export function groupColumns(use: MemoryUse): readonly Column<MemoryGroup>[] {
  const all = use.held.allocated_bytes
  const columns: readonly Column<MemoryGroup>[] = [
    {
      id: 'name',
      title: TITLES[use.group_by] ?? 'Name',
      kind: 'name',
      value: (row) => row.name ?? NOT_ATTRIBUTED,
      definition: define.name,
    },
    {
      id: 'via',
      title: 'Via',
      kind: 'text',
      width: 150,
      absent: '–',
      hidden: use.group_by !== 'operator',
      value: (row) => row.via,
      definition: define.via,
    },
    {
      id: 'alive_bytes',
      title: 'Alive',
      kind: 'bytes',
      sums: true,
      value: (row) => row.alive_bytes,
      definition: define.alive_bytes,
    },
    {
      id: 'share',
      title: 'Of allocated',
      kind: 'share',
      sums: true,
      value: (row) => (row.alive_bytes === null || all === 0 ? null : row.alive_bytes / all),
      definition: define.share,
    },
    {
      id: 'alive',
      title: 'Blocks alive',
      kind: 'count',
      sums: true,
      value: (row) => row.alive,
      definition: define.alive,
    },
    {
      id: 'allocations',
      title: 'Allocations',
      kind: 'count',
      sums: true,
      value: (row) => row.allocations,
      definition: define.groups_allocations,
    },
    {
      id: 'allocated_bytes',
      title: 'Allocated',
      kind: 'bytes',
      sums: true,
      value: (row) => row.allocated_bytes,
      definition: define.groups_allocated_bytes,
    },
    {
      id: 'largest_bytes',
      title: 'Largest',
      kind: 'bytes',
      absent: '–',
      value: (row) => row.largest_bytes,
      definition: define.largest_bytes,
    },
    {
      id: 'releases',
      title: 'Releases',
      kind: 'count',
      sums: true,
      value: (row) => row.releases,
      definition: define.groups_releases,
    },
    {
      id: 'released_bytes',
      title: 'Released',
      kind: 'bytes',
      sums: true,
      value: (row) => row.released_bytes,
      definition: define.released_bytes,
    },
    {
      id: 'increase_bytes',
      title: 'Increase',
      kind: 'bytes',
      sums: true,
      value: (row) => row.increase_bytes,
      definition: define.increase_bytes,
    },
    {
      id: 'never_released_bytes',
      title: 'Never freed',
      kind: 'bytes',
      sums: true,
      value: (row) => row.never_released_bytes,
      definition: define.never_released_bytes,
    },
    {
      id: 'never_released',
      title: 'Blocks never freed',
      kind: 'count',
      sums: true,
      hidden: true,
      value: (row) => row.never_released,
      definition: define.groups_never_released,
    },
  ]
  return use.held.known === null ? columns.map(withoutAlive) : columns
}

const NEEDS_ADDRESSES = new Set(['alive_bytes', 'share', 'alive', 'never_released', 'never_released_bytes'])

/** Said once, in the column choice, not in every cell. */
function withoutAlive(column: Column<MemoryGroup>): Column<MemoryGroup> {
  if (!NEEDS_ADDRESSES.has(column.id)) return column
  return { ...column, hidden: true, isEmpty: true, sums: false }
}

/**
 * Without addresses a release is a row of its own, and nothing tells when its block was allocated. What the file does not have
 * is hidden, and a file without operators has the call site first.
 */
export function allocationColumns(use: MemoryUse): readonly Column<MemoryAllocation>[] {
  const hasAddresses = use.held.known !== null
  const lacks = (id: string): boolean => use.groupings.find((each) => each.id === id)?.missing !== null
  const columns: readonly Column<MemoryAllocation>[] = [
    {
      id: 'name',
      title: 'Allocated in',
      kind: 'name',
      value: (row) => row.name ?? NOT_ATTRIBUTED,
      definition: define.allocations_name,
    },
    {
      id: 'via',
      title: 'Via',
      kind: 'text',
      absent: '–',
      hidden: true,
      value: (row) => row.via,
      definition: define.via,
    },
    { id: 'bytes', title: 'Size', kind: 'bytes', value: (row) => row.bytes, definition: define.allocations_bytes },
    {
      id: 'allocated_ns',
      title: 'Allocated at',
      kind: 'ns',
      width: 172,
      absent: hasAddresses ? 'before the recording' : 'not recorded',
      value: (row) => row.allocated_ns,
      definition: define.allocations_allocated_ns,
    },
    {
      id: 'released_ns',
      title: 'Freed at',
      kind: 'ns',
      absent: hasAddresses ? 'still held' : 'not recorded',
      value: (row) => row.released_ns,
      definition: define.allocations_released_ns,
    },
    {
      id: 'lifetime_ns',
      title: 'Life time',
      kind: 'ns',
      absent: 'not known',
      value: (row) => row.lifetime_ns,
      definition: define.allocations_lifetime_ns,
    },
    {
      id: 'module',
      hidden: lacks('module'),
      title: 'Module',
      kind: 'text',
      width: 190,
      absent: 'not in a module',
      value: (row) => row.module,
      definition: define.allocations_module,
    },
    {
      id: 'call_site',
      hidden: lacks('call_site'),
      title: 'Call site',
      kind: 'text',
      width: 210,
      absent: 'not recorded',
      value: (row) => row.call_site,
      definition: define.allocations_call_site,
    },
    {
      id: 'category',
      hidden: lacks('category'),
      title: 'Category',
      kind: 'text',
      absent: 'not recorded',
      value: (row) => row.category,
      definition: define.allocations_category,
    },
    {
      id: 'device',
      title: 'Device',
      kind: 'text',
      width: 80,
      value: (row) => row.device,
      definition: define.allocations_device,
    },
    {
      id: 'address',
      title: 'Address',
      kind: 'text',
      width: 130,
      value: (row) => row.address,
      definition: define.allocations_address,
    },
  ]
  const site = columns.find((column) => column.id === 'call_site')
  if (!lacks('operator') || site === undefined || site.hidden === true) return columns
  const others = columns.filter((column) => column !== site)
  return [{ ...site, kind: 'name' }, ...others.map((each) => (each.id === 'name' ? { ...each, hidden: true } : each))]
}

export const SEGMENTS: readonly Column<MemorySegment>[] = [
  {
    id: 'address',
    title: 'Segment',
    kind: 'name',
    value: (row) => `0x${row.address.toString(16)}`,
    definition: define.address,
  },
  { id: 'kind', title: 'Kind', kind: 'text', width: 110, value: (row) => row.kind, definition: define.kind },
  { id: 'stream', title: 'Stream', kind: 'number', value: (row) => row.stream, definition: define.stream },
  ...segmentBytes('total_bytes', 'Size', define.total_bytes),
  ...segmentBytes('free_bytes', 'Free', define.free_bytes),
  {
    id: 'largest_free_bytes',
    title: 'Largest free piece',
    kind: 'bytes',
    value: (row) => row.largest_free_bytes,
    definition: define.largest_free_bytes,
  },
  {
    id: 'free_blocks',
    title: 'Free pieces',
    kind: 'count',
    sums: true,
    value: (row) => row.free_blocks,
    definition: define.free_blocks,
  },
  ...segmentBytes('allocated_bytes', 'Allocated', define.segments_allocated_bytes),
  ...segmentBytes('requested_bytes', 'Requested', define.requested_bytes),
  ...segmentBytes('awaiting_bytes', 'Awaiting', define.awaiting_bytes),
  {
    id: 'blocks',
    title: 'Blocks',
    kind: 'count',
    sums: true,
    value: (row) => row.blocks,
    definition: define.blocks,
  },
]

type SegmentBytes = 'total_bytes' | 'free_bytes' | 'allocated_bytes' | 'requested_bytes' | 'awaiting_bytes'

function segmentBytes(id: SegmentBytes, title: string, definition: string): readonly [Column<MemorySegment>] {
  return [{ id, title, kind: 'bytes', sums: true, value: (row) => row[id], definition }]
}

export const POINTS: readonly Column<CurvePoint>[] = [
  { id: 'time_ns', title: 'Time', kind: 'ns', value: (row) => row.time_ns, definition: define.curve_time_ns },
  {
    id: 'allocated_bytes',
    title: 'Allocated',
    kind: 'bytes',
    value: (row) => row.allocated_bytes,
    definition: define.curve_allocated_bytes,
  },
  {
    id: 'reserved_bytes',
    title: 'Reserved',
    kind: 'bytes',
    value: (row) => row.reserved_bytes,
    definition: define.curve_reserved_bytes,
  },
  {
    id: 'fragmentation_bytes',
    title: 'Fragmentation',
    kind: 'bytes',
    value: (row) => (row.reserved_bytes === null ? null : Math.max(0, row.reserved_bytes - row.allocated_bytes)),
    definition: define.curve_fragmentation_bytes,
  },
]
