/** Where blocks begin and end, for what snaps to them. Pure. */
import { firstEndingAfter } from './blocks'
import type { Blocks } from './blocks'

export interface Edge {
  readonly t: number
  readonly isEnd: boolean
}

/** The start or end of a block of this lane that is nearest to `t`, at most `within` ns away; of the block at `t`, if it has one. */
export function nearestEdge(
  blocks: Blocks,
  lane: number,
  t: number,
  within: number,
  sides: readonly boolean[] = [false, true],
): Edge | undefined {
  const first = blocks.laneFirst[lane] ?? 0
  const end = blocks.laneFirst[lane + 1] ?? first
  const i = firstEndingAfter(blocks, lane, (t - blocks.t0) / blocks.unitNs)
  let best: Edge | undefined
  let least = Infinity
  for (let block = Math.max(i - 1, first); block < Math.min(i + 2, end); block++) {
    const [t0, t1] = [blocks.start, blocks.end].map((units) => blocks.t0 + (units[block] ?? 0) * blocks.unitNs) as [
      number,
      number,
    ]
    for (const isEnd of sides) {
      const edge = isEnd ? t1 : t0
      const away = Math.abs(edge - t)
      // Times are rounded outwards, so a neighbour may reach into what is pointed at.
      const rank = t0 <= t && t <= t1 ? away - within : away
      if (away > within || rank >= least) continue
      best = { t: edge, isEnd }
      least = rank
    }
  }
  return best
}
