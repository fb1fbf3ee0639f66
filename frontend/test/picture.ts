/** A picture of a report as a test draws it. */
import type { Blocks } from '../src/draw/blocks/blocks'
import { TRACKS } from './timeline'

export const TWO_TRACKS = { ...TRACKS, start_ns: 1000, end_ns: 2000, n_events: 9, tracks: [{ ...TRACKS.tracks[0], id: 4, name: 'stream 7', device: 0 }, { ...TRACKS.tracks[0], id: 9, name: 'thread 1' }] } as typeof TRACKS // prettier-ignore
export const PAINTS = ['gemm', 'operator']

/** Track 4 has one lane, track 9 two. Block after block, in ns from 1000. */
export function picture(
  unitNs: number,
  blocks: readonly (readonly [
    lane: number,
    start: number,
    length: number,
    row: number,
    name: number,
    count?: number,
    fill?: number,
    paint?: number,
  ])[],
): Blocks {
  const of = (nth: 1 | 2 | 3 | 4) => blocks.map((block) => block[nth])
  const before = (lane: number) => blocks.filter((block) => block[0] < lane).length
  return {
    ...{ t0: 1000, t1: 2000, unitNs, bucketNs: unitNs, trackLane: new Map([[4, 0], [9, 1]]) }, // prettier-ignore
    ...{
      laneFirst: Int32Array.of(0, before(1), before(2), blocks.length),
      names: { 1: 'gemm (a)', 2: 'aten::mm', 3: 'mm' },
    },
    start: Int32Array.from(of(1), (ns) => ns / unitNs),
    end: Int32Array.from(blocks, ([, start, length]) => Math.ceil((start + length) / unitNs)),
    longestNs: Float32Array.from(of(2)),
    row: Int32Array.from(of(3)),
    nameId: Int32Array.from(of(4)),
    count: Int32Array.from(blocks, ([, , , , , count = 1]) => count),
    fill: Uint8Array.from(blocks, ([, , , , , , fill = 255]) => fill),
    paint: Uint8Array.from(blocks, ([lane, , , , , , , paint = Math.min(lane, 1)]) => paint),
  } as unknown as Blocks
}
