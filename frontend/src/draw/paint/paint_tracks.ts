/** Paints the lanes in sight: rectangles by colour, columns, then names. Allocates nothing but a lane's strip and names not cut before. */
import { firstEndingAfter } from '../blocks/blocks'
import type { Blocks } from '../blocks/blocks'
import type { Columns } from './columns'
import type { Labels } from './labels'
import { laneTop, lanePx, scrolled } from '../blocks/lane_layout'
import type { LaneLayout, TrackPlace } from '../blocks/lane_layout'
import { VARIANTS, shadeOf } from './palette'
import type { Palette } from './palette'
import type { Rects } from './rects'
import { BANDS, pixelOf, stripOf } from './strip'
import type { Viewport } from '../time/viewport'
import type { Textures } from './textures'
import type { Pen } from './pen'

const NARROW_PX = 2
const LABEL_PX = 34 // a narrower block has no room for four letters
const LABEL_LANE_PX = 12
const PADDING_PX = 4
const THIN_PX = 3 // of the screen: a thinner lane lies between its pixels
const ALONE_PX = 8 // of the screen: with nothing as near, narrow events are full columns, one at least, or nobody would see them
const LEAST_WORK = 1e-3
const ALONE_WIDE_PX = 2 // so far apart are these at most: whether they are one block or two is the chance of where blocks end
const EDGE = 0.12 // of a lane's height
const FEW_PLACES = 1 << 20 // of columns; with larger numbers their parts of one were lost

export interface TracksScene {
  readonly layout: LaneLayout
  readonly view: Viewport
  readonly palette: Palette
  readonly textures: Textures
  readonly rects: Rects
  readonly columns: Columns
  /** Pixels of the screen to one of ours: events are placed on those, so that a column is never one and a bit. */
  readonly screenRatio: number
  readonly labels: Labels
  readonly names: ReadonlyMap<number, string>
  readonly characterPx: number
  readonly scrollTop: number
  readonly height: number
  /** All of it is what filters leave out. */
  readonly isDimmed: boolean
  /** All of it is what filters keep. */
  readonly isKept: boolean
  /** The best picture of a track there is; finer ones come later. */
  readonly blocksFor: (track: TrackPlace) => Blocks | undefined
}

/** Those that are pinned, or those that scroll. */
export function paintTracks(context: Pen, scene: TracksScene, isPinned: boolean): void {
  const { rects, columns, palette, textures, view, screenRatio } = scene
  rects.begin(palette.fills.length)
  columns.begin(view.width * screenRatio)
  eachTrack(context, scene, isPinned, addLane)
  context.save()
  context.scale(1 / screenRatio, 1 / screenRatio)
  textures.moveTo((-view.t0 / view.nsPerPx) * screenRatio, isPinned ? 0 : -scene.scrollTop * screenRatio)
  rects.draw(context, palette.fills, textures.of)
  columns.draw(context)
  context.restore()
  context.textBaseline = 'middle'
  eachTrack(context, scene, isPinned, labelLane)
}

type LaneVisitor = (
  context: Pen,
  scene: TracksScene,
  blocks: Blocks,
  lane: number,
  y: number,
  height: number,
  isMarks: boolean,
  track: number,
) => void

function eachTrack(context: Pen, scene: TracksScene, isPinned: boolean, visit: LaneVisitor): void {
  for (const track of scene.layout.tracks) {
    const y = track.top + scrolled(track, scene.scrollTop)
    if (track.isPinned !== isPinned || y > scene.height || y + track.height < 0) continue
    const blocks = scene.blocksFor(track)
    if (blocks !== undefined) eachLane(context, scene, track, blocks, visit)
  }
}

function eachLane(context: Pen, scene: TracksScene, track: TrackPlace, blocks: Blocks, visit: LaneVisitor): void {
  const first = blocks.trackLane.get(track.id)
  if (first === undefined) return
  const n = track.lanes + (track.marks ? 1 : 0)
  for (let lane = 0; lane < n; lane++) {
    const y = laneTop(track, lane) + scrolled(track, scene.scrollTop)
    const height = lanePx(track, lane)
    if (height === 0 || y + height < 0 || y > scene.height) continue
    visit(context, scene, blocks, first + lane, y, height, lane >= track.lanes, track.id)
  }
}

// Of one lane, used again and again.
let edges = new Uint32Array(0)
let bands = new Uint32Array(0)

function addLane(
  _context: Pen,
  scene: TracksScene,
  blocks: Blocks,
  lane: number,
  y: number,
  height: number,
  isMarks: boolean,
): void {
  const { view, rects, columns, palette, screenRatio, isDimmed, isKept } = scene
  const { start, end, count, paint, fill, otherFirst, nameId, dim } = blocks
  const pxPerUnit = (blocks.unitNs / view.nsPerPx) * screenRatio
  const width = view.width * screenRatio
  const from = (view.t0 - blocks.t0) / blocks.unitNs
  const to = (view.t1 - blocks.t0) / blocks.unitNs
  const first = blocks.laneFirst[lane] as number
  const stop = blocks.laneFirst[lane + 1] as number
  const apart = ALONE_PX / pxPerUnit
  const narrow = ALONE_WIDE_PX / pxPerUnit
  let [aloneEnd, aloneX, alonePx, aloneWork] = [0, 0, 1, 0] // of what is alone: the first after it, its columns, its work
  const h = Math.max(height - (height > 6 ? 1 : 0), 0.5)
  const isThin = h * screenRatio < THIN_PX
  const top = isThin ? y * screenRatio : Math.round(y * screenRatio)
  const tall = isThin ? h * screenRatio : Math.round((y + h) * screenRatio) - top
  let painted = 0 // right edge of the marks that are painted
  const row = columns.row(top, tall)
  if (isKept && edges.length === row.length) edges.fill(0)
  else if (isKept) edges = new Uint32Array(row.length)
  if (bands.length < BANDS * row.length) bands = new Uint32Array(BANDS * row.length)
  const strip = stripOf(row, rects, palette, top, tall, bands, isKept ? edges : undefined)
  strip.blocks = blocks
  strip.isDimmed = isDimmed
  strip.nBands = Math.max(Math.round(tall / Math.ceil(tall / BANDS)), 1) // whole pixels each
  strip.place = Math.round(view.t0 / (view.nsPerPx / screenRatio)) % FEW_PLACES
  for (let i = firstEndingAfter(blocks, lane, from); i < stop; i++) {
    const s = start[i] as number
    if (s > to) break
    const x0 = Math.max((s - from) * pxPerUnit, -10)
    const x1 = Math.min(((end[i] as number) - from) * pxPerUnit, width + 10)
    const isMerged = (count[i] as number) > 1
    const share = (fill[i] as number) / 255
    const color = paint[i] as number
    const isOut = isDimmed || dim[i] === 1
    if (i >= aloneEnd && (i === first || s - (end[i - 1] as number) > apart)) {
      aloneEnd = endOfAlone(blocks, i, stop, apart, narrow)
      aloneWork = 0
      for (let each = i; each < aloneEnd; each++) aloneWork += workOf(blocks, each)
      alonePx = Math.max(Math.round(aloneWork * pxPerUnit), 1)
      aloneX = Math.round(((s + (end[aloneEnd - 1] as number)) / 2 - from) * pxPerUnit - alonePx / 2)
    }
    const isAlone = i < aloneEnd
    if (isMarks) {
      // Whole columns, each painted once: of many marks in one pixel, one is enough.
      const column = isAlone ? aloneX : Math.floor(x0)
      const left = Math.max(column, painted)
      const right = isAlone ? column + alonePx : Math.max(isMerged ? Math.ceil(x1) : 0, column + 1)
      if (right <= painted) continue
      row.fill(pixelOf(palette, isAlone ? 1 : share, color, isOut), left, right)
      painted = right
      continue
    }
    strip.x0 = isAlone ? aloneX : x0
    strip.x1 = isAlone ? aloneX + alonePx : x1
    strip.share = isAlone ? workOf(blocks, i) / aloneWork : share
    strip.other = otherFirst[i] as number
    strip.otherEnd = otherFirst[i + 1] as number
    if (isMerged || x1 - x0 < NARROW_PX) strip.add(color, isOut)
    else strip.wide(shadeOf(nameId[i] as number), color, isOut)
  }
  strip.end()
  if (strip.hasBands) columns.row(top, tall, strip.nBands).set(bands.subarray(0, strip.nBands * row.length))
  if (!isKept) return
  const edge = isThin ? tall * EDGE : Math.max(Math.round(tall * EDGE), 1)
  columns.row(top + tall - edge, edge).set(edges)
}

/** The first block after those from `i` on that are alone together, `i` where it has neighbours. Before it there is none. */
function endOfAlone({ start, end }: Blocks, i: number, stop: number, apart: number, narrow: number): number {
  for (let last = i; (end[last] as number) - (start[i] as number) < narrow; last++)
    if (last + 1 === stop || (start[last + 1] as number) - (end[last] as number) > apart) return last + 1
  return i
}

/** What a block does, in its units; something, as it is there. */
function workOf({ start, end, fill }: Blocks, i: number): number {
  return Math.max((((end[i] as number) - (start[i] as number)) * (fill[i] as number)) / 255, LEAST_WORK)
}

function labelLane(
  context: Pen,
  scene: TracksScene,
  blocks: Blocks,
  lane: number,
  y: number,
  height: number,
  isMarks: boolean,
  track: number,
): void {
  if (isMarks || height < LABEL_LANE_PX) return
  const { view, palette, labels, names, characterPx, isDimmed } = scene
  const pxPerUnit = blocks.unitNs / view.nsPerPx
  const from = (view.t0 - blocks.t0) / blocks.unitNs
  const to = (view.t1 - blocks.t0) / blocks.unitNs
  const stop = blocks.laneFirst[lane + 1] as number
  const needed = LABEL_PX / pxPerUnit
  let ink = ''
  for (let i = firstEndingAfter(blocks, lane, from); i < stop; i++) {
    const s = blocks.start[i] as number
    if (s > to) break
    const e = blocks.end[i] as number
    if (e - s < needed || blocks.count[i] !== 1) continue
    // A long event that begins off screen is named where it is in sight.
    const x0 = Math.max((s - from) * pxPerUnit, 0)
    const room = Math.min((e - from) * pxPerUnit, view.width) - x0 - 2 * PADDING_PX
    const characters = Math.floor(room / characterPx)
    const id = blocks.nameId[i] as number
    const name = names.get(id)
    if (characters < 4 || name === undefined) continue
    const color =
      (blocks.paint[i] as number) * VARIANTS + shadeOf(id) + (isDimmed || blocks.dim[i] === 1 ? palette.dimmed : 0)
    const wanted = palette.inks[color] as string
    if (wanted !== ink) {
      ink = wanted
      context.fillStyle = ink
    }
    context.fillText(labels.fitting(track, id, name, characters), x0 + PADDING_PX, y + height / 2)
  }
}
