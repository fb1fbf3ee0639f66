/** Which Python frames cover all that is seen: `main`, `train`, and whatever called them. Pure. */
import { firstEndingAfter } from '../../../draw/blocks/blocks'
import type { Blocks } from '../../../draw/blocks/blocks'
import type { Viewport } from '../../../draw/time/viewport'
import type { TrackRow } from '../../../wire/wire'

const EDGE = 0.02 // of what is seen: a frame that begins that near to its edge covers it

/** Of a track's lanes of Python, from the outermost on, how many hold one frame from edge to edge. */
export function coveringFrames(track: TrackRow, blocks: Blocks, view: Viewport): number {
  const before = track.parts.findIndex(({ kind }) => kind === 'python')
  const lane0 = blocks.trackLane.get(track.id)
  if (before < 0 || lane0 === undefined) return 0
  const first = lane0 + track.parts.slice(0, before).reduce((sum, { lanes }) => sum + lanes, 0)
  const lanes = track.parts[before]?.lanes ?? 0
  const slack = (view.t1 - view.t0) * EDGE
  const t0 = (Math.max(view.t0, view.start) + slack - blocks.t0) / blocks.unitNs
  const t1 = (Math.min(view.t1, view.end) - slack - blocks.t0) / blocks.unitNs
  let n = 0
  while (n < lanes && covers(blocks, first + n, t0, t1)) n++
  return n
}

function covers(blocks: Blocks, lane: number, t0: number, t1: number): boolean {
  const block = firstEndingAfter(blocks, lane, t1)
  if (block >= (blocks.laneFirst[lane + 1] as number)) return false
  return blocks.count[block] === 1 && (blocks.start[block] as number) <= t0
}
