import type { Blocks } from '../../../draw/blocks/blocks'
import type { EventPlace } from '../../../draw/paint/paint_overlay'

export interface Neighbour {
  readonly row: number
  readonly start: number
  readonly end: number
}

/** The block after or before an event in its lane. Pure. */
export function neighbour(blocks: Blocks, event: EventPlace, direction: 1 | -1): Neighbour | undefined {
  const lane = blocks.trackLane.get(event.track)
  if (lane === undefined) return undefined
  const first = blocks.laneFirst[lane + event.lane] as number
  const end = blocks.laneFirst[lane + event.lane + 1] as number
  const at = (event.start_ns - blocks.t0) / blocks.unitNs
  let next = -1
  if (direction > 0) {
    for (next = first; next < end && (blocks.start[next] as number) <= at; next++);
  } else {
    for (next = end - 1; next >= first && (blocks.start[next] as number) >= Math.floor(at); next--);
  }
  if (next < first || next >= end) return undefined
  const start = blocks.t0 + (blocks.start[next] as number) * blocks.unitNs
  return { row: blocks.row[next] as number, start, end: start + (blocks.longestNs[next] as number) }
}
