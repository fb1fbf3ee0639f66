/** Ranks side by side, as pixels: where what lies, what is under the pointer, and the drawing itself. */
import { Names } from '../../../base/names'
import type { Pen } from '../../../draw/paint/pen'
import type { RankLanes } from '../../../wire/wire'
import { gapWords, gapsOf } from './lane_gaps'
import type { Gap } from './lane_gaps'

export const LEFT = 132
export const AXIS = 20
/** Heights of a lane: what it computes, the strip of a dimension, what is between two. */
interface Sizes {
  readonly computing: number
  readonly strip: number
  readonly gap: number
  /** How much of a strip is filled above and below: as `WAIT` and `UNTOLD` of a bar. */
  readonly rails: Readonly<Record<'wait' | 'transfer' | 'untold', readonly [above: number, below: number]>>
}

const USUAL: Sizes = { computing: 16, strip: 13, gap: 10, rails: { wait: [3, 3], transfer: [11, 0], untold: [6, 2] } }
/** Of many ranks: without the names of dimensions, which a member under the pointer says. */
const DENSE: Sizes = { computing: 8, strip: 5, gap: 3, rails: { wait: [1, 1], transfer: [4, 0], untold: [2, 1] } }
const DENSE_FROM = 17
const NAME_PX = 12
const LEAST_PX = 1
const LETTER_PX = 6 // of 11 px
const FLAG_PX = 6 // beside its number
const WORTH_A_TICK_PX = 110

/** A stretch of the step, ns since its start. */
export interface Stretch {
  readonly t0: number
  readonly t1: number
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly sizes: Sizes
  /** Of a rank. */
  readonly laneHeight: number
  /** Dimensions that are drawn, each with a strip. */
  readonly strips: readonly number[]
  /** What is added to a lane's times: nothing, or what its own clock is ahead of the first one's. */
  readonly shift: readonly number[]
  readonly gaps: readonly Gap[]
}

export function layoutOf(reply: RankLanes, width: number, isRaw: boolean): Layout {
  const strips = [...new Set(reply.members.dimension)].sort((a, b) => a - b)
  const sizes = reply.lanes.length < DENSE_FROM ? USUAL : DENSE
  const laneHeight = sizes.computing + strips.length * sizes.strip + sizes.gap
  const first = reply.lanes[0]?.clock_ns ?? 0
  return {
    width,
    height: AXIS + reply.lanes.length * laneHeight,
    sizes,
    laneHeight,
    strips,
    shift: reply.lanes.map((lane) => (isRaw ? lane.clock_ns - first : 0)),
    gaps: gapsOf(reply),
  }
}

export function topOf(layout: Layout, lane: number): number {
  return AXIS + lane * layout.laneHeight
}

export function xOf(layout: Layout, { t0, t1 }: Stretch, ns: number): number {
  return LEFT + ((ns - t0) / Math.max(t1 - t0, 1)) * (layout.width - LEFT)
}

/** The member under the pointer, the shortest of those that lie over each other; -1: none. Three pixels beside one still mean it. */
export function memberAt(reply: RankLanes, layout: Layout, seen: Stretch, x: number, y: number): number {
  const lane = Math.floor((y - AXIS) / layout.laneHeight)
  const strip = Math.floor((y - topOf(layout, lane) - layout.sizes.computing) / layout.sizes.strip)
  const dimension = layout.strips[strip]
  if (dimension === undefined || x < LEFT) return -1
  const ns = seen.t0 + ((x - LEFT) / (layout.width - LEFT)) * (seen.t1 - seen.t0) - (layout.shift[lane] ?? 0)
  const reach = (3 * (seen.t1 - seen.t0)) / (layout.width - LEFT)
  const { members } = reply
  let found = -1
  let shortest = Infinity
  for (let place = 0; place < members.lane.length; place++) {
    if (members.lane[place] !== lane || members.dimension[place] !== dimension) continue
    const start = members.start_ns[place] ?? 0
    const end = members.end_ns[place] ?? 0
    if (ns >= start - reach && ns <= end + reach && end - start < shortest) {
      found = place
      shortest = end - start
    }
  }
  return found
}

/** 1, 2 or 5 of some power of ten, so that ticks do not touch. */
export function tickOf(seen: Stretch, width: number): number {
  const least = ((seen.t1 - seen.t0) * WORTH_A_TICK_PX) / Math.max(width, 1)
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= least) ?? 10 * power
}

export function ticksOf(layout: Layout, seen: Stretch): readonly number[] {
  const tick = tickOf(seen, layout.width - LEFT)
  const first = Math.ceil(seen.t0 / tick)
  return Array.from({ length: Math.max(Math.floor(seen.t1 / tick) - first + 1, 0) }, (_, nth) => (first + nth) * tick)
}

/** Whether its time fits beside a tick here, and no number of a mark stands on it. */
export function hasRoom(layout: Layout, seen: Stretch, x: number, text: string, bands: readonly Stretch[]): boolean {
  const end = x + 4 + text.length * LETTER_PX + FLAG_PX
  const isUnder = (band: Stretch, nth: number): boolean => {
    const flag = xOf(layout, seen, band.t0)
    return flag < end && flag + FLAG_PX + String(nth + 1).length * LETTER_PX > x
  }
  return x + 60 < layout.width && !bands.some(isUnder)
}

export interface Colors {
  readonly text: string
  readonly soft: string
  readonly line: string
  readonly computing: string
  readonly communication: string
  readonly path: string
  readonly hatch: string
  readonly mark: string
}

/** `marked`: a member whose instance is shown with all that are here; -1: none. `bands`: what is marked, over all lanes. */
export function draw(
  context: Pen,
  reply: RankLanes,
  layout: Layout,
  seen: Stretch,
  colors: Colors,
  marked: number,
  bands: readonly Stretch[],
  format: (ns: number) => string,
): void {
  const { computing, members, path } = reply
  const x = (ns: number): number => xOf(layout, seen, ns)
  const bar = (lane: number, start: number, end: number, top: number, height: number): void => {
    const shift = layout.shift[lane] ?? 0
    const from = Math.max(x(start + shift), LEFT)
    const to = Math.min(x(end + shift), layout.width)
    if (to > LEFT && from < layout.width) context.fillRect(from, top, Math.max(to - from, LEAST_PX), height)
  }
  drawAxis(context, layout, seen, colors, bands, format)
  context.save()
  context.beginPath()
  context.rect(LEFT, 0, layout.width - LEFT, layout.height) // beside it stand names
  context.clip()
  for (let lane = 0; lane < reply.lanes.length; lane++) drawLane(context, reply, layout, lane, colors)

  const inset = layout.sizes === DENSE ? 1 : 2
  context.fillStyle = colors.computing
  for (let place = 0; place < computing.lane.length; place++) {
    const lane = computing.lane[place] ?? 0
    bar(
      lane,
      computing.start_ns[place] ?? 0,
      computing.end_ns[place] ?? 0,
      topOf(layout, lane) + inset,
      layout.sizes.computing - 2 * inset,
    )
  }
  context.fillStyle = colors.communication
  for (const part of ['wait', 'transfer', 'untold'] as const) {
    const [above, below] = layout.sizes.rails[part]
    for (let place = 0; place < members.lane.length; place++) {
      const lane = members.lane[place] ?? 0
      const isWait = part === 'wait'
      if (!isWait && (members.is_known[place] === true) !== (part === 'transfer')) continue
      const start = isWait ? members.start_ns[place] : members.arrived_ns[place]
      const end = isWait ? members.arrived_ns[place] : members.end_ns[place]
      const top = stripTop(layout, lane, members.dimension[place] ?? 0)
      if ((end ?? 0) <= (start ?? 0)) continue
      bar(lane, start ?? 0, end ?? 0, top + 1, above)
      bar(lane, start ?? 0, end ?? 0, top + layout.sizes.strip - 1 - below, below)
    }
  }
  drawGaps(context, layout, x, colors, format)
  drawPath(context, path, layout, x, colors)
  bands.forEach((band, nth) => drawBand(context, layout, x(band.t0), x(band.t1), colors, nth))
  if (marked >= 0) drawInstance(context, reply, layout, x, colors, marked)
  context.restore()
  drawNames(context, reply, layout, colors)
}

function stripTop(layout: Layout, lane: number, dimension: number): number {
  return topOf(layout, lane) + layout.sizes.computing + layout.strips.indexOf(dimension) * layout.sizes.strip
}

function drawAxis(
  context: Pen,
  layout: Layout,
  seen: Stretch,
  colors: Colors,
  bands: readonly Stretch[],
  format: (ns: number) => string,
): void {
  context.font = '11px sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  for (const ns of ticksOf(layout, seen)) {
    const at = Math.round(xOf(layout, seen, ns)) + 0.5
    context.fillStyle = colors.line
    context.fillRect(at, 0, 1, layout.height)
    context.fillStyle = colors.soft
    const text = format(ns)
    if (hasRoom(layout, seen, at, text, bands)) context.fillText(text, at + 4, AXIS / 2)
  }
}

function drawLane(context: Pen, reply: RankLanes, layout: Layout, lane: number, colors: Colors): void {
  const top = topOf(layout, lane)
  context.fillStyle = colors.line
  context.fillRect(0, top - layout.sizes.gap / 2, layout.width, 1)
  if (reply.lanes[lane]?.is_tied ?? true) return
  context.strokeStyle = colors.hatch
  context.lineWidth = 1
  context.beginPath()
  for (let at = LEFT; at < layout.width; at += 12) {
    context.moveTo(at, top + layout.laneHeight - layout.sizes.gap)
    context.lineTo(at + 12, top)
  }
  context.stroke()
}

function drawNames(context: Pen, reply: RankLanes, layout: Layout, colors: Colors): void {
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  const hosts = new Names(reply.lanes.map(({ host }) => host ?? ''))
  const isDense = layout.sizes === DENSE
  const each = Math.ceil(NAME_PX / layout.laneHeight)
  reply.lanes.forEach(({ rank, host }, lane) => {
    if (lane % each !== 0) return
    const top = topOf(layout, lane)
    context.fillStyle = colors.text
    context.font = isDense ? 'bold 11px sans-serif' : 'bold 12px sans-serif'
    const name = `rank ${rank}`
    context.fillText(name, 4, top + layout.sizes.computing / 2)
    const after = Math.max(12 + context.measureText(name).width, 62)
    context.font = '11px sans-serif'
    context.fillStyle = colors.soft
    const room = LEFT - 4 - after
    if (host !== null)
      context.fillText(hosts.cut(host, Math.floor(room / LETTER_PX)), after, top + layout.sizes.computing / 2, room)
    if (isDense) return
    layout.strips.forEach((dimension) => {
      const name = reply.dimensions[dimension] ?? ''
      context.fillText(name, 12, stripTop(layout, lane, dimension) + layout.sizes.strip / 2, LEFT - 20)
    })
  })
}

/** What is empty says why, where it has room. */
function drawGaps(
  context: Pen,
  layout: Layout,
  x: (ns: number) => number,
  colors: Colors,
  format: (ns: number) => string,
): void {
  context.font = '11px sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'center'
  context.fillStyle = colors.soft
  let isSaid = false // of many ranks, once: it is so of each
  for (const gap of layout.gaps) {
    if (gap.why === 'not drawn' && isSaid) continue
    const shift = layout.shift[gap.lane] ?? 0
    const from = Math.max(x(gap.start + shift), LEFT)
    const to = Math.min(x(gap.end + shift), layout.width)
    const words = gapWords(gap, format)
    if (to - from <= words.length * LETTER_PX + 12) continue
    isSaid ||= gap.why === 'not drawn'
    context.fillText(words, (from + to) / 2, topOf(layout, gap.lane) + layout.sizes.computing / 2)
  }
  context.textAlign = 'left'
}

/** A line over what is computed, and from rank to rank where the path changes. */
function drawPath(
  context: Pen,
  path: RankLanes['path'],
  layout: Layout,
  x: (ns: number) => number,
  colors: Colors,
): void {
  context.fillStyle = colors.path
  let before = -1
  for (let place = 0; place < path.lane.length; place++) {
    const lane = path.lane[place] ?? -1
    const shift = layout.shift[lane] ?? 0
    const from = Math.max(x((path.start_ns[place] ?? 0) + shift), LEFT)
    const to = Math.min(x((path.end_ns[place] ?? 0) + shift), layout.width)
    if (lane >= 0 && to > LEFT && from < layout.width) {
      context.fillRect(from, topOf(layout, lane) - 2, Math.max(to - from, LEAST_PX), 3)
      if (before >= 0 && before !== lane && from > LEFT) {
        const [low, high] = [topOf(layout, Math.min(before, lane)), topOf(layout, Math.max(before, lane))]
        context.fillRect(from, low - 2, 1, high - low + 3)
      }
    }
    before = lane
  }
}

/** Its number stands on the axis; names and lengths are in the list of marks. */
function drawBand(context: Pen, layout: Layout, from: number, to: number, colors: Colors, nth: number): void {
  context.fillStyle = colors.mark
  context.globalAlpha = 0.1
  context.fillRect(from, 0, to - from, layout.height)
  context.globalAlpha = 1
  context.fillRect(Math.round(from), 0, 1, layout.height)
  context.fillRect(Math.round(to), AXIS, 1, layout.height) // not through the times
  context.font = 'bold 11px sans-serif'
  context.fillText(String(nth + 1), from + 3, AXIS / 2)
}

/** All members that are shown: a frame around each, a line where the last one came. */
function drawInstance(
  context: Pen,
  reply: RankLanes,
  layout: Layout,
  x: (ns: number) => number,
  colors: Colors,
  marked: number,
): void {
  const { members } = reply
  const instance = members.instance[marked]
  const all =
    instance === undefined || instance < 0
      ? [marked]
      : members.instance.flatMap((each, place) => (each === instance ? [place] : []))
  context.strokeStyle = colors.text
  context.fillStyle = colors.text
  context.lineWidth = 1.5
  const spots: [number, number][] = []
  for (const place of all) {
    const lane = members.lane[place] ?? 0
    const shift = layout.shift[lane] ?? 0
    const top = stripTop(layout, lane, members.dimension[place] ?? 0)
    const from = x((members.start_ns[place] ?? 0) + shift)
    const to = x((members.end_ns[place] ?? 0) + shift)
    context.strokeRect(from - 1, top, Math.max(to - from, LEAST_PX) + 2, layout.sizes.strip)
    const arrived = x((members.arrived_ns[place] ?? 0) + shift)
    spots.push([arrived, top + layout.sizes.strip / 2])
    if (members.is_last[place] === true) {
      context.beginPath()
      context.arc(arrived, top + layout.sizes.strip / 2, 4, 0, 2 * Math.PI)
      context.fill()
    }
  }
  context.beginPath()
  spots.forEach(([at, y], nth) => (nth === 0 ? context.moveTo(at, y) : context.lineTo(at, y)))
  context.stroke()
}
