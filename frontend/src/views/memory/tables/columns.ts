import { columnsOf, type Column } from '../../../widgets/table/column'
import type { MemoryAllocation, MemoryGroup, MemorySegment, MemoryUse } from '../../../wire/wire'
import { MEMORY_ALLOCATION, MEMORY_CURVE, MEMORY_GROUP, MEMORY_SEGMENT } from '../row_figures'

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
  const columns = columnsOf<MemoryGroup, typeof MEMORY_GROUP>(MEMORY_GROUP, {
    name: { title: TITLES[use.group_by] ?? 'Name', kind: 'name', value: (row) => row.name ?? NOT_ATTRIBUTED },
    via: { width: 150, hidden: use.group_by !== 'operator' },
    alive_bytes: {},
    share: { value: (row) => (row.alive_bytes === null || all === 0 ? null : row.alive_bytes / all) },
    alive: {},
    allocations: {},
    allocated_bytes: {},
    largest_bytes: {},
    releases: {},
    released_bytes: {},
    increase_bytes: {},
    never_released_bytes: {},
    never_released: { hidden: true },
  })
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
  const columns = columnsOf<MemoryAllocation, typeof MEMORY_ALLOCATION>(MEMORY_ALLOCATION, {
    name: { kind: 'name', value: (row) => row.name ?? NOT_ATTRIBUTED },
    via: { hidden: true },
    bytes: {},
    allocated_ns: { width: 172, ...(hasAddresses ? { absent: 'before the recording' } : {}) },
    released_ns: hasAddresses ? { absent: 'still held' } : {},
    lifetime_ns: {},
    module: { hidden: lacks('module'), width: 190 },
    call_site: { hidden: lacks('call_site'), width: 210 },
    category: { hidden: lacks('category') },
    device: { width: 80 },
    address: { width: 130 },
  })
  const site = columns.find((column) => column.id === 'call_site')
  if (!lacks('operator') || site === undefined || site.hidden === true) return columns
  const others = columns.filter((column) => column !== site)
  return [{ ...site, kind: 'name' }, ...others.map((each) => (each.id === 'name' ? { ...each, hidden: true } : each))]
}

export const SEGMENTS = columnsOf<MemorySegment, typeof MEMORY_SEGMENT>(MEMORY_SEGMENT, {
  address: { kind: 'name', value: (row) => `0x${row.address.toString(16)}` },
  kind: { width: 110 },
  stream: {},
  total_bytes: {},
  free_bytes: {},
  largest_free_bytes: {},
  free_blocks: {},
})

export const POINTS = columnsOf<CurvePoint, typeof MEMORY_CURVE>(MEMORY_CURVE, {
  time_ns: {},
  allocated_bytes: {},
  reserved_bytes: {},
  fragmentation_bytes: {
    value: (row) => (row.reserved_bytes === null ? null : Math.max(0, row.reserved_bytes - row.allocated_bytes)),
  },
})
