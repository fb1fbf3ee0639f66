import { go } from '../../state/place'

const MARGIN = 0.1 // of a window in the timeline, left and right of what is shown
const LEAST_NS = 10_000

/** Opens the timeline on a stretch of time with something around it, and on an event. */
export function showInTimeline(start: number, length: number, row: number | undefined): void {
  const stretch = Math.max(length, LEAST_NS)
  go({
    view: 'timeline',
    'timeline.t0_ns': String(Math.max(0, Math.floor(start - stretch * MARGIN))),
    'timeline.t1_ns': String(Math.ceil(start + stretch * (1 + MARGIN))),
    'timeline.row': row === undefined ? undefined : String(row),
  })
}
