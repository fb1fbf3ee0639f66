/** Over the tracks: step boundaries, the marked stretches, what is pointed at and selected, hits of a search, arrows. */
import { cutMiddle } from '../../base/cut'
import { formatNs } from '../../base/units'
import { laneTop, lanePx, scrolled } from '../blocks/lane_layout'
import type { LaneLayout, TrackPlace } from '../blocks/lane_layout'
import type { Palette } from './palette'
import { paintStepLines } from './step_lines'
import type { Times } from './step_lines'
import type { Viewport } from '../time/viewport'
import type { Pen } from './pen'

const MARK_CHARACTERS = 28
const MARK_PX = 16
const EDGE_PX = 4

/** An event's place; what the server's TrackEvent says. */
export interface EventPlace {
  readonly track: number
  readonly lane: number
  readonly start_ns: number
  readonly duration_ns: number
}

export interface Arrow {
  readonly from: EventPlace
  readonly to: EventPlace
}

export interface OverlayScene {
  readonly layout: LaneLayout
  readonly places: ReadonlyMap<number, TrackPlace>
  readonly view: Viewport
  readonly palette: Palette
  readonly scrollTop: number
  readonly height: number
  readonly steps: Times
  readonly hovered: EventPlace | undefined
  readonly selected: EventPlace | undefined
  readonly hits: readonly EventPlace[]
  readonly arrows: readonly Arrow[]
  readonly marks: readonly { readonly t0: number; readonly t1: number; readonly name: string }[]
  readonly range: readonly [number, number] | undefined
  /** What is drawn next would begin or end there. */
  readonly edge: { readonly t: number; readonly lane?: Pick<EventPlace, 'track' | 'lane'> } | undefined
  readonly area: { readonly t0: number; readonly t1: number; readonly tracks: readonly number[] } | undefined
}

export function paintOverlay(context: Pen, scene: OverlayScene): void {
  const { view, palette } = scene
  paintStepLines(context, scene.steps, view, view.t0, view.t1, palette.lineStrong, scene.height)
  paintHits(context, scene)
  paintMarks(context, scene)
  paintArea(context, scene)
  if (scene.hovered !== undefined) outline(context, scene, scene.hovered, palette.text, 1)
  if (scene.selected !== undefined) outline(context, scene, scene.selected, palette.accent, 2)
  for (const arrow of scene.arrows) paintArrow(context, scene, arrow)
  paintEdge(context, scene)
}

/** A line over its lane and a little more, and, before anything is drawn, when it is. */
function paintEdge(context: Pen, { view, palette, places, scrollTop, range, edge }: OverlayScene): void {
  const { t, lane } = edge ?? {}
  const track = places.get(lane?.track ?? -1)
  if (t === undefined || lane === undefined || track === undefined) return
  const top = laneTop(track, lane.lane) + scrolled(track, scrollTop) - EDGE_PX
  const height = lanePx(track, lane.lane) + 2 * EDGE_PX
  const x = Math.round(view.x(t))
  context.fillStyle = palette.text
  context.fillRect(x - 1, top, 2, height)
  if (range === undefined) paintWords(context, palette, formatNs(t - view.start), x, top, view.width)
}

function paintWords(context: Pen, palette: Palette, text: string, x: number, y: number, most: number): void {
  const width = context.measureText(text).width + 8
  const left = x + 4 + width > most ? x - 4 - width : x + 4
  const top = Math.max(y - MARK_PX + EDGE_PX, 0)
  context.fillStyle = palette.background
  context.fillRect(left, top, width, MARK_PX)
  context.fillStyle = palette.text
  context.textBaseline = 'middle'
  context.fillText(text, left + 4, top + MARK_PX / 2)
}

function paintBand(
  context: Pen,
  { view, palette, height }: OverlayScene,
  [t0, t1]: readonly [number, number],
  alpha: number,
): void {
  const x0 = Math.max(view.x(t0), -2)
  const x1 = Math.min(view.x(t1), view.width + 2)
  context.fillStyle = palette.accent
  context.globalAlpha = alpha
  context.fillRect(x0, 0, x1 - x0, height)
  context.globalAlpha = 1
  context.fillRect(Math.round(x0), 0, 1, height)
  context.fillRect(Math.round(x1) - 1, 0, 1, height)
}

/** Bands with their names and lengths; what is being measured is the last. */
function paintMarks(context: Pen, scene: OverlayScene): void {
  const { view, palette, marks, range } = scene
  const seen = marks.filter((mark) => view.x(mark.t0) <= view.width && view.x(mark.t1) >= 0)
  for (const { t0, t1 } of seen) paintBand(context, scene, [t0, t1], 0.1)
  const words = seen.map((mark) => ({ t: mark.t0, text: markWords(mark) }))
  if (range !== undefined) {
    paintBand(context, scene, range, 0.2)
    words.push({ t: range[0], text: formatNs(range[1] - range[0]) })
  }
  const boxes = words.map(({ t, text }) => {
    const width = context.measureText(text).width + 8
    return { left: Math.max(Math.min(view.x(t), view.width - width), 0), width, text } // as far as it is in sight
  })
  const rows = rowsApart(boxes)
  const tops = markTops(scene, Math.max(-1, ...rows) + 1)
  boxes.forEach(({ left, width, text }, nth) => {
    const top = tops[rows[nth] ?? 0] ?? 0
    context.fillStyle = palette.background
    context.fillRect(left, top, width, MARK_PX)
    context.strokeStyle = palette.accent
    context.lineWidth = 1
    context.strokeRect(left + 0.5, top + 0.5, width - 1, MARK_PX - 1)
    context.fillStyle = palette.text
    context.textBaseline = 'middle'
    context.fillText(text, left + 4, top + MARK_PX / 2)
  })
}

/** Its name, the beginning of its note, and its length. */
export function markWords({ name, t0, t1 }: OverlayScene['marks'][number]): string {
  const [first = '', ...note] = name.split('\n') // the list of marks shows the note whole
  const words = [first, note.join(' ')].map((text) => cutMiddle(text, MARK_CHARACTERS))
  return [...words, formatNs(t1 - t0)].filter(Boolean).join('  ')
}

/** The row of each box, so that none lies on another: the first row that is free over its width. */
export function rowsApart(boxes: readonly { readonly left: number; readonly width: number }[]): readonly number[] {
  const rows: number[] = []
  for (const { left, width } of boxes) {
    const taken = boxes.slice(0, rows.length).map((box, nth) => {
      return box.left < left + width && left < box.left + box.width ? rows[nth] : undefined
    })
    let row = 0
    while (taken.includes(row)) row += 1
    rows.push(row)
  }
  return rows
}

/** Where rows of names go: no event lies in the rows of groups. What these in sight have no room for lies below the first of them. */
export function markTops(
  { layout, scrollTop, height }: Pick<OverlayScene, 'layout' | 'scrollTop' | 'height'>,
  n: number,
): readonly number[] {
  const tops = layout.groups
    .map((group) => group.top - scrollTop + (group.height - MARK_PX) / 2)
    .filter((top) => top >= layout.pinnedPx && top + MARK_PX <= height)
  for (let top = tops[0] ?? 2; tops.length < n; top += MARK_PX + 1)
    if (tops.every((each) => Math.abs(each - top) > MARK_PX)) tops.push(top)
  return tops
}

/** Only its tracks, so that it shows what is counted: framed, and tinted beneath the events, whose names stay as readable as they are. */
function paintArea(context: Pen, scene: OverlayScene): void {
  const { view, palette, places, scrollTop, area } = scene
  const { pinnedPx } = scene.layout
  if (area === undefined) return
  const x0 = Math.max(view.x(area.t0), -2)
  const x1 = Math.min(view.x(area.t1), view.width + 2)
  if (x1 < 0 || x0 > view.width) return
  for (const id of area.tracks) {
    const track = places.get(id)
    if (track === undefined) continue
    const y = Math.max(track.top + scrolled(track, scrollTop), track.isPinned ? 0 : pinnedPx)
    const height = track.top + scrolled(track, scrollTop) + track.height - y
    if (height <= 0) continue
    context.fillStyle = palette.accent
    context.globalAlpha = 0.2
    context.globalCompositeOperation = 'destination-over'
    context.fillRect(x0, y, x1 - x0, height)
    context.globalCompositeOperation = 'source-over'
    context.globalAlpha = 1
    const left = Math.round(x0) + 0.5
    context.strokeStyle = palette.accent
    context.lineWidth = 1
    context.strokeRect(left, y + 0.5, Math.round(x1) - 0.5 - left, height - 1)
  }
}

function paintHits(context: Pen, scene: OverlayScene): void {
  const { view, palette, hits, places, scrollTop, height } = scene
  context.fillStyle = palette.accent
  for (const hit of hits) {
    const track = places.get(hit.track)
    if (track === undefined || hit.start_ns > view.t1 || hit.start_ns + hit.duration_ns < view.t0) continue
    const y = laneTop(track, hit.lane) + scrolled(track, scrollTop) + lanePx(track, hit.lane) - 3
    if (y < topOf(scene, track) || y > height || lanePx(track, hit.lane) === 0) continue
    const x0 = Math.max(view.x(hit.start_ns), -1)
    context.fillRect(x0, y, Math.max(Math.min(view.x(hit.start_ns + hit.duration_ns), view.width + 1) - x0 - 1, 2), 2)
  }
}

/** Above it a track is not seen: pinned ones lie there. */
function topOf({ layout }: OverlayScene, track: TrackPlace): number {
  return track.isPinned ? 0 : layout.pinnedPx
}

function outline(context: Pen, scene: OverlayScene, event: EventPlace, color: string, px: number): void {
  const { view, places, scrollTop } = scene
  const track = places.get(event.track)
  if (track === undefined) return
  const x0 = Math.max(view.x(event.start_ns), -4)
  const x1 = Math.min(view.x(event.start_ns + event.duration_ns), view.width + 4)
  if (x1 < -4 || x0 > view.width + 4) return
  const y = laneTop(track, event.lane) + scrolled(track, scrollTop)
  if (y + lanePx(track, event.lane) <= topOf(scene, track) || lanePx(track, event.lane) === 0) return
  context.strokeStyle = color
  context.lineWidth = px
  context.strokeRect(x0 - px / 2, y - px / 2, Math.max(x1 - x0, 2) + px - 1, lanePx(track, event.lane) + px - 1)
}

/** When an arrow begins and ends: within what launches, before what it launches. */
export function arrowTimes({ from, to }: Arrow): readonly [number, number] {
  return [from.start_ns + Math.min(from.duration_ns, Math.max(to.start_ns - from.start_ns, 0)) / 2, to.start_ns]
}

function paintArrow(context: Pen, scene: OverlayScene, { from, to }: Arrow): void {
  const { view, places, scrollTop, height, palette } = scene
  const a = places.get(from.track)
  const b = places.get(to.track)
  if (a === undefined || b === undefined) return
  const [x0, x1] = arrowTimes({ from, to }).map((t) => view.x(t)) as [number, number]
  if (Math.max(x0, x1) < -50 || Math.min(x0, x1) > view.width + 50) return
  // From edge to edge, so that names stay readable: down to a lower lane, up to a higher one.
  const top0 = laneTop(a, from.lane) + scrolled(a, scrollTop)
  const top1 = laneTop(b, to.lane) + scrolled(b, scrollTop)
  const isDown = top1 > top0
  const y0 = isDown ? top0 + lanePx(a, from.lane) : top0
  const y1 = isDown || top1 === top0 ? top1 : top1 + lanePx(b, to.lane)
  if (Math.max(y0, y1) < -50 || Math.min(y0, y1) > height + 50) return
  const bend = (isDown ? 1 : -1) * Math.min(Math.max(Math.abs(y1 - y0) / 2, 16), 90)
  const landing = top1 === top0 ? -bend : bend
  const sign = Math.sign(landing)
  context.strokeStyle = palette.accent
  context.fillStyle = palette.accent
  context.lineWidth = 1.5
  context.beginPath()
  context.moveTo(x0, y0)
  context.bezierCurveTo(x0, y0 + bend, x1, y1 - landing, x1, y1 - 4 * sign)
  context.stroke()
  context.beginPath()
  context.moveTo(x1, y1)
  context.lineTo(x1 - 3.5, y1 - 7 * sign)
  context.lineTo(x1 + 3.5, y1 - 7 * sign)
  context.fill()
}
