/** What is at a point: a lane by its height, then a block by bisection. */
import { firstEndingAfter } from './blocks'
import type { Blocks } from './blocks'
import { laneAt, scrolled, trackAt } from './lane_layout'
import type { LaneLayout, TrackPlace } from './lane_layout'
import type { Viewport } from '../time/viewport'

export interface Hit {
  readonly blocks: Blocks
  readonly block: number
  readonly track: TrackPlace
  readonly lane: number
}

const SLACK_PX = 3 // so that what is one pixel wide can be pointed at

/** The block at (x, y) of the screen; of several within reach the nearest. */
export function hitTest(
  blocksFor: (track: TrackPlace) => Blocks | undefined,
  layout: LaneLayout,
  view: Viewport,
  x: number,
  y: number,
  scrollTop = 0,
): Hit | undefined {
  const track = trackAt(layout, y, scrollTop)
  const blocks = track === undefined ? undefined : blocksFor(track)
  if (track === undefined || blocks === undefined) return undefined
  const lane = laneAt(track, y - scrolled(track, scrollTop))
  const first = blocks.trackLane.get(track.id)
  if (lane === undefined || first === undefined) return undefined
  const block = nearest(blocks, first + lane, view, x)
  return block === undefined ? undefined : { blocks, block, track, lane }
}

function nearest(blocks: Blocks, lane: number, view: Viewport, x: number): number | undefined {
  const unitsPerPx = view.nsPerPx / blocks.unitNs
  const at = (view.time(x) - blocks.t0) / blocks.unitNs
  const reach = SLACK_PX * unitsPerPx
  const end = blocks.laneFirst[lane + 1] as number
  let best: number | undefined
  let bestDistance = reach
  for (let i = firstEndingAfter(blocks, lane, at - reach); i < end; i++) {
    const start = blocks.start[i] as number
    if (start > at + reach) break
    const distance = Math.max(start - at, at - (blocks.end[i] as number), 0)
    if (distance <= bestDistance && (best === undefined || distance < bestDistance)) {
      best = i
      bestDistance = distance
    }
  }
  return best
}
