import type { Blocks } from '../../../draw/blocks/blocks'
import type { EventPlace } from '../../../draw/paint/paint_overlay'
import type { TrackEvent } from '../../../wire/wire'

/** The block after or before an event in its lane. Pure. */
export function neighbour(
  blocks: Blocks | undefined,
  event: EventPlace,
  direction: 1 | -1,
): Pick<TrackEvent, 'row' | 'start_ns' | 'duration_ns'> | undefined {
  const lane = blocks?.trackLane.get(event.track)
  if (blocks === undefined || lane === undefined) return undefined
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
  const start_ns = blocks.t0 + (blocks.start[next] as number) * blocks.unitNs
  return { row: blocks.row[next] as number, start_ns, duration_ns: blocks.longestNs[next] as number }
}
