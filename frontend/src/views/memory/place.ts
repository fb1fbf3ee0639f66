/** The link's part of the memory view: keys of the place as values, and back. Pure. */
import type { Changes, Place } from '../../state/hash'

export const TABLES = [
  { id: 'groups', label: 'Groups' },
  { id: 'blocks', label: 'Blocks alive' },
  { id: 'allocations', label: 'All allocations' },
  { id: 'segments', label: 'Segments' },
  { id: 'curve', label: 'Curve as a table' },
] as const

export type TableId = (typeof TABLES)[number]['id']

/** What the list of allocations is cut to. */
export const ONLY = [
  { id: 'all', label: 'all' },
  { id: 'held', label: 'never freed' },
  { id: 'earlier', label: 'from before' },
] as const

export type OnlyId = (typeof ONLY)[number]['id']

export interface MemoryPlace {
  readonly device: string | undefined
  /** Whole nanoseconds, the second after the first; undefined is the whole recording. */
  readonly range: readonly [number, number] | undefined
  /** The instant whose blocks are listed; undefined is the peak. */
  readonly at: number | undefined
  readonly table: TableId
  /** Undefined: what the file has first. */
  readonly by: string | undefined
  readonly only: OnlyId
  readonly minBytes: number | undefined
  readonly allDevices: boolean
  readonly hasTreemap: boolean
}

export function readPlace(place: Place): MemoryPlace {
  const [t0, t1] = [whole(place['memory.t0_ns']), whole(place['memory.t1_ns'])]
  const least = whole(place['memory.min_bytes'])
  return {
    device: place['memory.device'],
    range: t0 === undefined || t1 === undefined || t1 <= t0 ? undefined : [t0, t1],
    at: whole(place['memory.at_ns']),
    table: TABLES.find(({ id }) => id === place['memory.table'])?.id ?? 'groups',
    by: place['memory.by'],
    only: ONLY.find(({ id }) => id === place['memory.only'])?.id ?? 'all',
    minBytes: least === undefined || least <= 0 ? undefined : least,
    allDevices: place['memory.devices'] === 'all',
    hasTreemap: place['memory.treemap'] !== '0',
  }
}

/** Another range has another peak: the instant goes with the range that it was chosen in. */
export function rangeChanges(range: readonly [number, number] | undefined): Changes {
  const [t0, t1] = range ?? []
  return {
    'memory.t0_ns': t0 === undefined ? undefined : String(Math.round(t0)),
    'memory.t1_ns': t1 === undefined ? undefined : String(Math.round(t1)),
    ...instantChanges(undefined),
  }
}

export function instantChanges(at: number | undefined): Changes {
  return { 'memory.at_ns': at === undefined ? undefined : String(Math.round(at)), 'memory_blocks.row': undefined }
}

export function deviceChanges(device: string): Changes {
  return { 'memory.device': device, 'memory.row': undefined, ...instantChanges(undefined) }
}

export function tableChanges(table: TableId): Changes {
  return { 'memory.table': table === 'groups' ? undefined : table }
}

/** Rows of one grouping mean nothing in another. */
export function groupingChanges(by: string): Changes {
  return { 'memory.by': by, 'memory.row': undefined }
}

function whole(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}
