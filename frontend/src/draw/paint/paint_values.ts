/** Values over time, a row each: what is always there solid, what comes and goes above it pale. */
import { exactCount, formatBytes, formatShare } from '../../base/units'
import type { Viewport } from '../time/viewport'
import type { Palette } from './palette'

export const VALUE_PX = 34
const EDGE_PX = 3
const PALE = 0.4

export interface ValueRow {
  readonly unit: 'bytes' | 'count' | 'share' | 'number'
  readonly device: number | null
  readonly highest: number
  readonly least: readonly (number | null)[]
  readonly most: readonly (number | null)[]
}

export interface ValuesScene {
  readonly view: Viewport
  readonly palette: Palette
  readonly t0: number
  readonly t1: number
  readonly rows: readonly ValueRow[]
  /** Where the pointer is, as a time. */
  readonly pointer: number | undefined
}

export function paintValues(context: CanvasRenderingContext2D, scene: ValuesScene): void {
  scene.rows.forEach((row, place) => paintRow(context, scene, row, place * VALUE_PX))
}

function paintRow(
  context: CanvasRenderingContext2D,
  { view, palette, t0, t1, pointer }: ValuesScene,
  row: ValueRow,
  top: number,
): void {
  const { least, most, highest } = row
  const bottom = top + VALUE_PX - 1
  const scale = (VALUE_PX - 2 * EDGE_PX) / Math.max(highest, 1e-12)
  const part = (t1 - t0) / most.length
  const first = Math.max(Math.floor((view.t0 - t0) / part), 0)
  const last = Math.min(Math.ceil((view.t1 - t0) / part), most.length)
  context.fillStyle = row.device === null ? palette.host : palette.device
  for (const [column, alpha] of [
    [most, PALE],
    [least, 1 - PALE],
  ] as const) {
    context.globalAlpha = alpha
    for (let i = first; i < last; i++) {
      const height = (column[i] ?? 0) * scale
      if (height <= 0) continue
      const x = Math.round(view.x(t0 + i * part)) // edges between pixels would show as stripes
      context.fillRect(x, bottom - height, Math.max(Math.round(view.x(t0 + (i + 1) * part)) - x, 1), height)
    }
  }
  context.globalAlpha = 1
  context.fillStyle = palette.line
  context.fillRect(0, bottom, view.width, 1)
  if (pointer !== undefined)
    paintWords(context, view, palette, valueWords(row, Math.floor((pointer - t0) / part)), pointer, top)
}

function paintWords(
  context: CanvasRenderingContext2D,
  view: Viewport,
  palette: Palette,
  words: string,
  pointer: number,
  top: number,
): void {
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

/** `1.20 GiB`, or from the least to the most where it changes within the part. */
export function valueWords({ unit, least, most }: ValueRow, part: number): string {
  const [low, high] = [least[part] ?? null, most[part] ?? null]
  if (low === null || high === null) return 'not recorded'
  const words = { bytes: formatBytes, count: exactCount, share: formatShare, number: plain }[unit]
  return low === high ? words(high) : `${words(low)} to ${words(high)}`
}

function plain(value: number): string {
  return String(Number(value.toPrecision(6)))
}
