/** A window's reply as typed arrays, lane after lane. One event where `count` is 1, else several that were too short to tell apart.

    lane      0        1     2          lanes of a track follow each other: track 4 begins at lane 0, track 7 at lane 2
    blocks    0 1 2 3  4 5   6 7 8      laneFirst = 0 4 6 9
*/
import { decodeColumns } from '../../data/columns'
import type { ColumnsHeader } from '../../data/columns'

/** How busy something is in each part of the whole recording, and how many events without length lie there. */
export interface StripRow {
  readonly device: number | null
  readonly busy: readonly number[]
  readonly points: readonly number[]
}

interface WindowHeader extends ColumnsHeader {
  readonly t0_ns: number
  readonly t1_ns: number
  readonly unit_ns: number
  readonly bucket_ns: number
  readonly lane_track: readonly number[]
  readonly lane_blocks: readonly number[]
  readonly names: Readonly<Record<string, string>>
  readonly density?: readonly StripRow[]
}

export interface Blocks {
  readonly t0: number
  readonly t1: number
  readonly unitNs: number
  /** Events shorter than this may be merged. */
  readonly bucketNs: number
  readonly trackLane: ReadonlyMap<number, number>
  readonly laneFirst: Int32Array
  /** In units from t0; an end is after its start. */
  readonly start: Int32Array
  readonly end: Int32Array
  readonly longestNs: Float32Array
  readonly row: Int32Array
  readonly nameId: Int32Array
  readonly count: Int32Array
  readonly paint: Uint8Array
  readonly fill: Uint8Array
  /** The paints that block i has besides `paint`, and the part of its time that each has, of 255: from `otherFirst[i]` on. */
  readonly otherFirst: Int32Array
  readonly other: Uint8Array
  readonly part: Uint8Array
  /** 1 where its colour is off; `otherDim` of the others. */
  readonly dim: Uint8Array
  readonly otherDim: Uint8Array
  readonly names: Readonly<Record<string, string>>
  /** Of the whole recording: the strip, where not all is kept. */
  readonly density?: readonly StripRow[] | undefined
}

export function decodeBlocks(buffer: ArrayBuffer): Blocks {
  const { header, columns } = decodeColumns<WindowHeader>(buffer)
  const start = runningSum(columns['start'] as Int32Array)
  const width = columns['width'] as Uint32Array
  const end = new Int32Array(start.length)
  for (let i = 0; i < end.length; i++) end[i] = (start[i] as number) + (width[i] as number)
  const other = columns['other'] as Uint8Array
  const trackLane = new Map<number, number>()
  header.lane_track.forEach((track, lane) => {
    if (!trackLane.has(track)) trackLane.set(track, lane)
  })
  return {
    t0: header.t0_ns,
    t1: header.t1_ns,
    unitNs: header.unit_ns,
    bucketNs: header.bucket_ns,
    trackLane,
    laneFirst: firsts(header.lane_blocks),
    start,
    end,
    longestNs: columns['longest_ns'] as Float32Array,
    row: runningSum(columns['row'] as Int32Array),
    nameId: columns['name_id'] as Int32Array,
    count: columns['count'] as Int32Array,
    paint: columns['paint'] as Uint8Array,
    fill: columns['fill'] as Uint8Array,
    otherFirst: firsts(columns['others'] as Uint8Array),
    other,
    part: columns['part'] as Uint8Array,
    dim: new Uint8Array(start.length),
    otherDim: new Uint8Array(other.length),
    names: header.names,
    density: header.density,
  }
}

/** Where each group begins, and the last one ends, of how many it has. */
function firsts(sizes: ArrayLike<number>): Int32Array {
  const first = new Int32Array(sizes.length + 1)
  for (let i = 0; i < sizes.length; i++) first[i + 1] = (first[i] as number) + (sizes[i] as number)
  return first
}

/** Differences to values, in int32 arithmetic that wraps as the server's does. In place: the buffer is ours. */
function runningSum(column: Int32Array): Int32Array {
  for (let i = 1; i < column.length; i++) column[i] = ((column[i - 1] as number) + (column[i] as number)) | 0
  return column
}

/** Some of the blocks, in the same lanes. */
export function someOf(blocks: Blocks, isKept: (at: number) => boolean): Blocks {
  const kept = Uint8Array.from(blocks.start, (_, at) => Number(isKept(at)))
  const before = [0]
  kept.forEach((one, at) => before.push((before[at] as number) + one))
  const some = (column: unknown): unknown =>
    column instanceof Int32Array || column instanceof Float32Array || column instanceof Uint8Array
      ? column.filter((_: number, at: number) => kept[at] === 1)
      : column
  return {
    ...(Object.fromEntries(Object.entries(blocks).map(([key, column]) => [key, some(column)])) as unknown as Blocks),
    laneFirst: blocks.laneFirst.map((first) => before[first] as number),
  }
}

/** The first block of the lane that ends at or after `units`. */
export function firstEndingAfter(blocks: Blocks, lane: number, units: number): number {
  let low = blocks.laneFirst[lane] as number
  let high = blocks.laneFirst[lane + 1] as number
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks.end[middle] as number) < units) low = middle + 1
    else high = middle
  }
  return low
}

/** Marks every block whose paint is in `out`, and what it has of others. */
export function markDim({ dim, paint, otherDim, other }: Blocks, out: ReadonlySet<number>): void {
  for (let i = 0; i < dim.length; i++) dim[i] = out.has(paint[i] as number) ? 1 : 0
  for (let i = 0; i < otherDim.length; i++) otherDim[i] = out.has(other[i] as number) ? 1 : 0
}
