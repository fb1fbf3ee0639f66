/** Where blocks begin and end, for what snaps to them. Pure. */
import { firstEndingAfter } from './blocks'
import type { Blocks } from './blocks'

/** The start or end of a block of this lane that is nearest to `t`, at most `within` ns away. */
export function nearestEdge(blocks: Blocks, lane: number, t: number, within: number): number | undefined {
  const first = blocks.laneFirst[lane] ?? 0
  const end = blocks.laneFirst[lane + 1] ?? first
  const i = firstEndingAfter(blocks, lane, (t - blocks.t0) / blocks.unitNs)
  let best: number | undefined
  for (let block = Math.max(i - 1, first); block < Math.min(i + 2, end); block++) {
    for (const units of [blocks.start[block] ?? 0, blocks.end[block] ?? 0]) {
      const edge = blocks.t0 + units * blocks.unitNs
      if (Math.abs(edge - t) <= Math.min(within, Math.abs((best ?? Infinity) - t))) best = edge
    }
  }
  return best
}
