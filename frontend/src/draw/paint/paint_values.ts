/** Values over time, a row each: what is always there solid, what comes and goes above it as pale as it is seldom. */
import { formatBytes, formatNumber, formatShare } from '../../base/units'
import type { Viewport } from '../time/viewport'
import type { Palette } from './palette'
import type { Pen } from './pen'

export const VALUE_PX = 34
const EDGE_PX = 3
const SOLID = 0.76
const LEAST = 0.35 // what hardly lasts shows, by its end alone: all of it would hide a pause beside
const PEAK_PX = 1
const UNKNOWN_PX = 80 // as wide as its words

export interface ValueRow {
  readonly unit: 'bytes' | 'count' | 'share' | 'number'
  readonly device: number | null
  readonly lowest: number
  readonly highest: number
  readonly least: readonly (number | null)[]
  readonly most: readonly (number | null)[]
  readonly mean: readonly (number | null)[]
  /** What it is by what filters and a search keep alone. */
  readonly kept: readonly (number | null)[] | null
}

export interface ValuesScene {
  readonly view: Viewport
  readonly palette: Palette
  readonly t0: number
  readonly t1: number
  /** Columns end where a pixel of the screen does: no seams between them. */
  readonly screenRatio: number
  readonly rows: readonly ValueRow[]
  /** Filters or a search leave something out: grey. */
  readonly isLit: boolean
  /** Where the pointer is, as a time. */
  readonly pointer: number | undefined
  /** What is said of a time that nothing has come of. */
  readonly away: string
}

export function paintValues(context: Pen, scene: ValuesScene): void {
  scene.rows.forEach((row, place) => {
    const top = place * VALUE_PX
    const color = row.device === null ? scene.palette.host : scene.palette.device
    paintRow(context, scene, row, top, scene.isLit ? scene.palette.left : color)
    const { kept } = row
    if (kept !== null) paintRow(context, scene, { ...row, least: kept, most: kept, mean: kept }, top, color)
    paintEnd(context, scene, row, top)
  })
}

function paintRow(
  context: Pen,
  { view, palette, t0, t1, screenRatio: ratio }: ValuesScene,
  row: ValueRow,
  top: number,
  color: string,
): void {
  const bottom = top + VALUE_PX - 1
  const [lowest, highest] = [Math.min(row.lowest, 0), Math.max(row.highest, 0)]
  const scale = (VALUE_PX - 2 * EDGE_PX) / Math.max(highest - lowest, 1e-12)
  const zero = bottom + lowest * scale
  const part = (t1 - t0) / row.most.length
  let first = 0 // of columns alike, which are one rectangle
  let [low, high, share] = [0, 0, 0]

  function fill(from: number, to: number, x: number, alpha: number): void {
    context.globalAlpha = alpha
    context.fillRect(first, zero - to * scale, x - first, (to - from) * scale)
  }

  context.fillStyle = color
  for (let x = 0; x <= view.width; x++) {
    const column = x < view.width ? columnOf(row, (view.time(x) - t0) / part, (view.time(x + 1) - t0) / part) : NOTHING
    if (column.low === low && column.high === high && column.share === share) continue
    const next = Math.round(x * ratio) / ratio
    const always = Math.min(Math.max(low, 0), high) // reached all the time, whatever comes on top
    const edge = PEAK_PX / scale
    if (share === UNKNOWN.share) {
      paintUnknown(context, palette, first, next, top)
      context.fillStyle = color
    }
    if (always !== 0) fill(Math.min(always, 0), Math.max(always, 0), next, SOLID)
    if (high > always) {
      fill(always, high, next, share * SOLID)
      if (share * SOLID < LEAST) fill(Math.max(high - edge, always), high, next, LEAST)
    }
    if (low < always) {
      fill(low, always, next, (1 - share) * SOLID)
      if ((1 - share) * SOLID < LEAST) fill(low, Math.min(low + edge, always), next, LEAST)
    }
    first = next
    low = column.low
    high = column.high
    share = column.share
  }
  context.globalAlpha = 1
  context.fillStyle = palette.line
  if (lowest < 0) context.fillRect(0, zero, view.width, 1)
}

function paintEnd(
  context: Pen,
  { view, palette, t0, t1, pointer, away }: ValuesScene,
  row: ValueRow,
  top: number,
): void {
  const part = (t1 - t0) / row.most.length
  context.fillStyle = palette.line
  context.fillRect(0, top + VALUE_PX - 1, view.width, 1)
  if (pointer !== undefined)
    paintWords(
      context,
      view,
      palette,
      pointer < t0 || pointer >= t1 ? away : valueWords(row, Math.floor((pointer - t0) / part)),
      pointer,
      top,
    )
}

interface Column {
  readonly low: number
  readonly high: number
  /** How much of the way from low to high the mean is: of a value that jumps between two, the time that it is high. */
  readonly share: number
}

const NOTHING: Column = { low: 0, high: 0, share: 0 }
const UNKNOWN: Column = { ...NOTHING, share: -1 }
const found = { ...NOTHING } // one for all columns: they are as many as pixels, in each frame

/** What lies between two places among the parts, until the next call; nothing beyond them, and `UNKNOWN` where none has a value. */
export function columnOf({ least, most, mean }: ValueRow, from: number, to: number): Column {
  let low = Infinity
  let high = -Infinity
  let sum = 0
  let known = 0
  for (let i = Math.max(Math.floor(from), 0); i < Math.min(to, most.length); i++) {
    const value = mean[i] ?? null
    if (value === null) continue
    const weight = Math.min(i + 1, to) - Math.max(i, from)
    low = Math.min(low, least[i] ?? value)
    high = Math.max(high, most[i] ?? value)
    sum += value * weight
    known += weight
  }
  if (known <= 0) return to > 0 && from < most.length ? UNKNOWN : NOTHING
  found.low = low
  found.high = high
  found.share = high > low ? Math.min(Math.max((sum / known - low) / (high - low), 0), 1) : 0
  return found
}

/** No value is not 0. */
function paintUnknown(context: Pen, palette: Palette, x0: number, x1: number, top: number): void {
  context.globalAlpha = 1
  context.fillStyle = palette.raised
  context.fillRect(x0, top, x1 - x0, VALUE_PX - 1)
  if (x1 - x0 < UNKNOWN_PX) return
  context.fillStyle = palette.soft
  context.textBaseline = 'middle'
  context.fillText('not recorded', x0 + 4, top + VALUE_PX / 2)
}

function paintWords(context: Pen, view: Viewport, palette: Palette, words: string, pointer: number, top: number): void {
  const x = Math.round(view.x(pointer))
  const width = context.measureText(words).width + 6
  const left = x + 4 + width > view.width ? x - 4 - width : x + 4
  context.fillStyle = palette.accent
  context.fillRect(x, top, 1, VALUE_PX)
  context.fillStyle = palette.background
  context.globalAlpha = 0.85
  context.fillRect(left, top + 8, width, 16)
  context.globalAlpha = 1
  context.fillStyle = palette.text
  context.textBaseline = 'middle'
  context.fillText(words, left + 3, top + 16)
}

/** `1.20 GiB`, or from the least to the most where it changes within the part by as much as is shown. */
export function valueWords({ unit, least, most }: ValueRow, part: number): string {
  const [low, high] = [least[part] ?? null, most[part] ?? null]
  if (low === null || high === null) return 'not recorded'
  const words = { bytes: formatBytes, count: formatNumber, share: formatShare, number: formatNumber }[unit]
  const [from, to] = [words(low), words(high)]
  return from === to ? to : `${from} to ${to}`
}
