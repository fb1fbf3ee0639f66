/** What the edges of the canvas name: the ends of the nearest arrows of the selection that are not seen while their others are. Pure. */
import { cutLabel } from '../../../base/cut'
import { formatNs, plural } from '../../../base/units'
import { lanePx, laneTop, scrolled } from '../../../draw/blocks/lane_layout'
import { arrowTimes } from '../../../draw/paint/paint_overlay'
import type { TimelineEvent, TrackEvent } from '../../../wire/wire'
import type { Picture } from './picture'
import type { TimeWindow } from './time_window'

const CHARACTER_PX = 14 // a name takes half of the width
const NAME_PX = 24
const SHORT_PX = 110 // of one without a name, at most
const NEAR_PX = 40 // a free row that is farther from what a name is about says nothing of it
const SIGNS = ['↖', '↑', '↗', '←', '', '→', '↙', '↓', '↘']

/** An event, and where on the edge of the canvas its name lies. */
export interface Away {
  readonly event: TrackEvent
  readonly words: string
  /** What it says where events lie beneath it. */
  readonly short: string | undefined
  readonly x: number
  /** Of its middle. */
  readonly y: number
  /** How much of its own width it lies left of that place: all of it at the right edge. */
  readonly before: number
}

interface Sight {
  readonly selection: {
    readonly event: { readonly peek: () => TimelineEvent | undefined }
    readonly near: readonly { readonly from: TrackEvent; readonly to: TrackEvent }[]
  }
  readonly picture: Pick<Picture, 'layout' | 'places' | 'scrollTop' | 'height' | 'track'>
  readonly window: Pick<TimeWindow, 'view'>
}

export function outOfSight(sight: Sight): readonly Away[] {
  const selected = sight.selection.event.peek()
  if (selected === undefined) return []
  const { view } = sight.window
  const found: Away[] = []
  const told = new Set<string>()
  for (const arrow of sight.selection.near) {
    const [t0, t1] = arrowTimes(arrow)
    const ends = [
      { event: arrow.from, other: arrow.to, ...sideOf(sight, arrow.from, t0) },
      { event: arrow.to, other: arrow.from, ...sideOf(sight, arrow.to, t1) },
    ]
    const [hidden] = ends.filter(({ isSeen }) => !isSeen)
    if (hidden === undefined || ends.every(({ isSeen }) => !isSeen)) continue
    const { event, other, dx, dy, x, y, isShown } = hidden
    const sign = SIGNS[3 * dy + dx + 4] ?? ''
    const what = `${sign} ${roleOf(selected, event)}`.trim()
    if (told.has(what)) continue // of many kernels on one side the first tells where they are
    told.add(what)
    const later = event.start_ns - other.start_ns
    const length = formatNs(Math.abs(later))
    const words = [
      `${what} ${cutLabel(event.name, view.width / CHARACTER_PX)}`,
      // Left of what it lies beside, and yet later: a launch goes on while its work runs.
      `${length} ${later < 0 ? 'before' : dx < 0 ? 'after its launch began' : 'later'}`,
      !isShown ? 'folded or hidden' : dy === 0 ? '' : tracksBetween(sight, event, other),
    ]
    const isFree = (at: number): boolean => found.every((each) => Math.abs(each.y - at) >= NAME_PX)
    const nearest = (all: readonly number[]): number | undefined =>
      all.filter(isFree).sort((a, b) => Math.abs(a - y) - Math.abs(b - y))[0]
    const row = nearest(freeRows(sight.picture).filter((at) => Math.abs(at - y) <= NEAR_PX))
    const own = row ?? nearest(besideOf(sight, selected, x, y))
    if (own === undefined) continue
    const short = row === undefined ? `${sign} ${length}` : undefined
    found.push({ event, words: words.filter(Boolean).join(', '), short, x, y: own, before: x / view.width })
  }
  return found
}

/** The middles of rows in sight in which no event is drawn: those of groups, and what lies below all tracks. */
function freeRows({ layout, scrollTop, height }: Sight['picture']): readonly number[] {
  const { groups, pinnedPx, height: all } = layout.value
  return [...groups.map(({ top }) => top), all]
    .map((top) => top - scrollTop + NAME_PX / 2)
    .filter((y) => y - NAME_PX / 2 >= pinnedPx && y + NAME_PX / 2 <= height)
}

/** Where the middle of a short name may lie: in sight, and above or below the selected event rather than on it. */
function besideOf(sight: Sight, selected: TimelineEvent, x: number, y: number): readonly number[] {
  const { view } = sight.window
  const { y: at, px, isSeen } = sideOf(sight, selected, selected.start_ns)
  const [first, last] = [NAME_PX / 2, sight.picture.height - NAME_PX / 2]
  const left = x * (1 - SHORT_PX / view.width)
  const isBelow = view.x(selected.start_ns) < left + SHORT_PX && view.x(selected.start_ns + selected.duration_ns) > left
  const apart = isSeen && isBelow ? (NAME_PX + px) / 2 : 0
  const all = [-1, 0, 1].map((n) => Math.min(Math.max(y + n * NAME_PX, first), last))
  return [...all, at - apart, at + apart].filter(
    (each) => each >= first && each <= last && Math.abs(each - at) >= apart,
  )
}

/** On which side of what is seen an event lies, and the place on the canvas that is next to it. */
function sideOf({ picture, window: { view } }: Sight, event: TrackEvent, t: number) {
  const { layout, scrollTop, height } = picture
  const { pinnedPx, groups } = layout.value
  const place = picture.places.get(event.track)
  const dx = view.x(event.start_ns + event.duration_ns) < 0 ? -1 : view.x(event.start_ns) > view.width ? 1 : 0
  const x = Math.min(Math.max(view.x(t), 0), view.width)
  // What is folded away lies where its group is.
  const group = groups.find(({ index }) => index === picture.track(event.track)?.group)
  const lane = place === undefined ? 0 : lanePx(place, event.lane)
  const px = place === undefined ? (group?.height ?? 0) : lane
  const top =
    place === undefined ? (group?.top ?? 0) - scrollTop : laneTop(place, event.lane) + scrolled(place, scrollTop)
  const edge = place?.isPinned === true ? 0 : pinnedPx
  const dy = top + px <= edge ? -1 : top >= height ? 1 : 0
  const y = Math.min(Math.max(top + px / 2, edge), height)
  return { dx, dy, x, y, px, isShown: lane > 0, isSeen: dx === 0 && dy === 0 && lane > 0 }
}

function roleOf({ row, launch, forward, backward }: TimelineEvent, event: TrackEvent): string {
  const isIn = (events: readonly TrackEvent[]): boolean => events.some((each) => each.row === event.row)
  if (event.row === row) return 'selected'
  if (event.row === launch?.row) return 'launch'
  return isIn(forward) ? 'forward' : isIn(backward) ? 'backward' : event.kind.replaceAll('_', ' ')
}

/** `2 tracks up`; nothing of one track. */
function tracksBetween({ picture }: Sight, event: TrackEvent, other: TrackEvent): string {
  const [at, from] = [event, other].map(({ track }) => picture.layout.value.tracks.findIndex(({ id }) => id === track))
  const n = (at ?? 0) - (from ?? 0)
  return n === 0 ? '' : `${plural(Math.abs(n), 'track')} ${n < 0 ? 'up' : 'down'}`
}
