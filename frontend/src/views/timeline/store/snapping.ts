/** What is drawn over tracks begins and ends where events do. */
import { nearestEdge } from '../../../draw/blocks/edges'
import { lanePx, laneTop, scrolled } from '../../../draw/blocks/lane_layout'
import type { TrackPlace } from '../../../draw/blocks/lane_layout'
import type { Viewport } from '../../../draw/time/viewport'
import type { Loader } from './loader'
import type { Picture } from './picture'

const SNAP_PX = 7
const REACH_PX = 44 // above and below: two lanes

/** An instant; where it is an edge of the picture, in which lane, and how to learn it to the nanosecond. */
export interface Snapped {
  readonly t: number
  readonly lane?: { readonly track: number; readonly lane: number }
  readonly exact?: () => Promise<number>
}

/** The edge of an event that is near to what is pointed at: of the lane there, else of the nearest that has one; else where the pointer is. */
export function snappedAt(
  picture: Pick<Picture, 'layout' | 'scrollTop'>,
  loader: Pick<Loader, 'blocksFor' | 'exact'>,
  view: Viewport,
  x: number,
  y: number,
): Snapped {
  const t = view.time(x)
  for (const { track, lane } of lanesNear(picture, y)) {
    const blocks = loader.blocksFor(track, view)
    const first = blocks?.trackLane.get(track)
    if (blocks === undefined || first === undefined) continue
    const edge = nearestEdge(blocks, first + lane, t, SNAP_PX * view.nsPerPx)
    if (edge !== undefined)
      return { t: edge.t, lane: { track, lane }, exact: () => loader.exact(track, lane, edge, blocks.unitNs) }
  }
  return { t }
}

/** The nearest first. */
function lanesNear({ layout, scrollTop }: Pick<Picture, 'layout' | 'scrollTop'>, y: number): readonly Near[] {
  const { tracks, pinnedPx } = layout.value
  return tracks
    .filter((track) => track.isPinned === y < pinnedPx) // those lie over what is scrolled beneath them
    .flatMap((track) => lanesOf(track, y - scrolled(track, scrollTop)))
    .sort((one, other) => one.away - other.away)
}

interface Near {
  readonly track: number
  readonly lane: number
  readonly away: number
}

/** `y`: a height of the layout. */
function lanesOf(track: TrackPlace, y: number): readonly Near[] {
  if (y < track.top - REACH_PX || y > track.top + track.height + REACH_PX) return []
  return Array.from({ length: track.lanes + (track.marks ? 1 : 0) }, (_, lane) => {
    const [top, tall] = [laneTop(track, lane), lanePx(track, lane)]
    return { track: track.id, lane, away: tall === 0 ? Infinity : Math.max(top - y, y - top - tall, 0) }
  }).filter(({ away }) => away <= REACH_PX)
}
