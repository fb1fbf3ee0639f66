/** Above the tracks: the whole trace as a strip with the window in it, the time axis, and the steps by name. */
import type { StripRow } from '../blocks/blocks'
import type { Palette } from './palette'
import { paintStepLines } from './step_lines'
import { markWords, originWords, timeAxis } from '../time/time_axis'
import type { Viewport } from '../time/viewport'
import type { Pen } from './pen'

export const AXIS_PX = 22
export const STEPS_PX = 18

const STRIP_EDGE_PX = 4
const FEW_PX = 32 // two rows or one
const ROW_PX = 11
const MOST_ROWS_PX = 99 // a host and eight devices
const MARK_GAP_PX = 90
const CHARACTER_PX = 6.2
const NARROW_PX = 4
const POINT_PX = 3
const PADDING_PX = 4

export interface Step {
  readonly name: string
  readonly number: number
  readonly start_ns: number
  readonly end_ns: number
  readonly complete: boolean
}

export interface HeaderScene {
  readonly view: Viewport
  readonly palette: Palette
  readonly steps: readonly Step[]
  readonly density: readonly StripRow[]
  /** The same rows with what filters and a search keep: of all the rest is grey. */
  readonly kept: readonly StripRow[] | undefined
  /** Search hits per part of the whole trace. */
  readonly hits: readonly number[]
  /** Where the pointer is, as a time. */
  readonly pointer: number | undefined
  /** What is being selected with the pointer, as times. */
  readonly range: readonly [number, number] | undefined
}

/** A row of the strip; of more rows than are named each is as high as there is room. */
export function stripRowPx(nRows: number): number {
  return nRows <= 2 ? FEW_PX / Math.max(nRows, 1) : Math.min(ROW_PX, MOST_ROWS_PX / nRows)
}

export function stripPx(nRows: number): number {
  return Math.round(2 * STRIP_EDGE_PX + Math.max(nRows, 1) * stripRowPx(nRows))
}

export function headerPx({ density, steps }: Pick<HeaderScene, 'density' | 'steps'>): number {
  return stripPx(density.length) + AXIS_PX + (steps.length > 0 ? STEPS_PX : 0)
}

/** Where a time lies on the strip. */
export function stripX(view: Viewport, t: number): number {
  return ((t - view.start) / Math.max(view.end - view.start, 1)) * view.width
}

export function stripTime(view: Viewport, x: number): number {
  return view.start + (x / view.width) * (view.end - view.start)
}

export function paintHeader(context: Pen, scene: HeaderScene): void {
  context.textBaseline = 'middle'
  paintStrip(context, scene)
  paintAxis(context, scene)
  if (scene.steps.length > 0) paintSteps(context, scene)
}

function paintStrip(context: Pen, { view, palette, density, kept, steps, hits }: HeaderScene): void {
  const tall = stripPx(density.length)
  paintRows(context, density, view, palette, kept && palette.left)
  paintRows(context, kept ?? [], view, palette)
  paintStepLines(context, steps, view, view.start, view.end, palette.soft, 6)
  const most = hits.reduce((a, b) => Math.max(a, b), 0)
  if (most > 0) {
    context.fillStyle = palette.text
    context.beginPath()
    const partPx = view.width / hits.length
    hits.forEach((n, part) => {
      if (n > 0) context.rect(part * partPx, 0, Math.max(partPx, 1.5), 3 + 3 * (n / most))
    })
    context.fill()
  }
  const x0 = stripX(view, view.t0)
  const x1 = Math.max(stripX(view, view.t1), x0 + 3)
  context.globalAlpha = 0.68
  context.fillStyle = palette.background
  context.fillRect(0, 0, x0, tall)
  context.fillRect(x1, 0, view.width - x1, tall)
  context.globalAlpha = 1
  context.strokeStyle = palette.accent
  context.lineWidth = 1
  context.strokeRect(Math.round(x0) + 0.5, 0.5, Math.max(Math.round(x1) - Math.round(x0) - 1, 2), tall - 1)
  context.fillStyle = palette.line
  context.fillRect(0, tall - 1, view.width, 1)
}

function paintRows(
  context: Pen,
  rows: readonly StripRow[],
  view: Viewport,
  palette: Palette,
  color?: Palette['left'],
): void {
  const rowPx = stripRowPx(rows.length)
  rows.forEach((row, nth) => {
    context.fillStyle = color ?? busyColor(row, palette)
    paintBusy(context, row, view.width, 0, view.width / row.busy.length, 6 + nth * rowPx, rowPx - 2)
  })
}

export function busyColor({ device }: StripRow, palette: Palette): string {
  return device === null ? palette.host : palette.device
}

/** How busy, part after part from `x0` on, each `partPx` wide; what of it is between 0 and `width`. */
export function paintBusy(
  context: Pen,
  { busy, points }: StripRow,
  width: number,
  x0: number,
  partPx: number,
  top: number,
  tall: number,
): void {
  context.beginPath() // of all bars: smoothed one by one, what is busy throughout had stripes where they end amid pixels
  busy.forEach((share, part) => {
    const x = x0 + part * partPx
    if (x >= width || x + partPx <= 0) return
    const height = Math.max(share * tall, 1) // what there is can be seen
    if (share > 0) context.rect(x, top + tall - height, partPx, height)
    // What takes no time is no bar: dots, at half height.
    else if ((points[part] ?? 0) > 0)
      context.rect(x + partPx / 2 - POINT_PX / 2, top + (tall - POINT_PX) / 2, POINT_PX, POINT_PX)
  })
  context.fill()
}

function paintAxis(context: Pen, { view, palette, density, pointer, range }: HeaderScene): void {
  const top = stripPx(density.length)
  const middle = top + AXIS_PX / 2
  if (range !== undefined) {
    const [a, b] = range
    context.fillStyle = palette.selected
    context.fillRect(view.x(a), top, view.x(b) - view.x(a), AXIS_PX)
  }
  const axis = timeAxis(view.t0 - view.start, view.nsPerPx, view.width, MARK_GAP_PX)
  const isShifted = axis.origin !== 0
  const from = isShifted ? 8 + originWords(axis.origin).length * CHARACTER_PX : 0
  for (let t = axis.first; t <= view.t1 - view.start; t += axis.step) {
    const x = Math.round(view.x(t + view.start))
    context.fillStyle = palette.lineStrong
    context.fillRect(x, top + AXIS_PX - 6, 1, 6)
    context.fillStyle = palette.soft
    const words = markWords(axis, t)
    const isCut = x + 4 + words.length * CHARACTER_PX > view.width
    if (x >= from && !isCut) context.fillText(words, x + 4, middle)
  }
  if (isShifted) {
    context.fillStyle = palette.text
    context.fillText(originWords(axis.origin), 4, middle)
  }
  if (pointer !== undefined) {
    context.fillStyle = palette.accent
    context.fillRect(Math.round(view.x(pointer)), top, 1, AXIS_PX)
  }
  context.fillStyle = palette.line
  context.fillRect(0, top + AXIS_PX - 1, view.width, 1)
}

function paintSteps(context: Pen, { view, palette, density, steps }: HeaderScene): void {
  const top = stripPx(density.length) + AXIS_PX
  let painted = 0 // right edge of the narrow ones, which are whole pixels of one colour: of two they would beat
  steps.forEach((step, index) => {
    const x0 = Math.max(view.x(step.start_ns), -1)
    const x1 = Math.min(view.x(step.end_ns), view.width + 1)
    if (x1 < 0 || x0 > view.width) return
    const isNarrow = x1 - x0 < NARROW_PX
    const left = isNarrow ? Math.max(Math.floor(x0), painted) : x0
    const right = isNarrow ? Math.ceil(x1) : x1
    if (right <= left) return
    painted = right
    context.fillStyle = !isNarrow && index % 2 === 0 ? palette.raised : palette.selected
    context.fillRect(left, top, right - left, STEPS_PX)
  })
  const naming = stepNaming(steps, view)
  let named = -1 // right edge of the last name
  context.fillStyle = palette.text
  for (const step of steps) {
    const x0 = Math.max(view.x(step.start_ns), -1)
    const x1 = Math.min(view.x(step.end_ns), view.width + 1)
    if (x0 < named || x1 < 0 || x0 > view.width) continue
    const words = stepWords(step, charactersIn(x1 - x0), naming)
    const end = x0 + PADDING_PX + words.length * CHARACTER_PX
    if (words === '' || end > view.width) continue
    context.fillText(words, x0 + PADDING_PX, top + STEPS_PX / 2)
    named = end
  }
  context.fillStyle = palette.line
  context.fillRect(0, top + STEPS_PX - 1, view.width, 1)
}

function charactersIn(px: number): number {
  return Math.floor((px - 2 * PADDING_PX) / CHARACTER_PX)
}

/** How all steps in sight are called: by their whole names or by number, and by which numbers where steps are narrower than that. */
export interface StepNaming {
  readonly isShort: boolean
  readonly every: number
}

export function stepNaming(
  steps: readonly Step[],
  { t0, t1, nsPerPx }: Pick<Viewport, 't0' | 't1' | 'nsPerPx'>,
): StepNaming {
  const from = steps.findIndex((step) => step.end_ns > t0)
  const end = steps.findLastIndex((step) => step.start_ns < t1)
  const [first, last] = [steps[from], steps[end]]
  if (first === undefined || last === undefined) return { isShort: true, every: 1 }
  const mean = (last.end_ns - first.start_ns) / (end - from + 1)
  let least = mean
  for (let i = from; i <= end; i++) {
    const step = steps[i] as Step
    const ns = step.end_ns - step.start_ns
    if (ns > mean / 2) least = Math.min(least, ns) // what is cut short is no measure for the others
  }
  return {
    isShort: charactersIn(least / nsPerPx) < last.name.length,
    every: timeAxis(0, 1, 0, ((`#${last.number}`.length * CHARACTER_PX + 2 * PADDING_PX) * nsPerPx) / mean).step,
  }
}

/** `ProfilerStep#17 (cut)`, where not all have room `#17`; its number is whole or not there: of 170 `17…` would tell nothing. */
export function stepWords(
  { name, number, complete }: Pick<Step, 'name' | 'number' | 'complete'>,
  characters: number,
  { isShort, every }: StepNaming,
): string {
  const short = `#${number}`
  const words = isShort ? [short] : [complete ? name : `${name} (cut)`, name]
  const isMeant = every > 1 ? number % every === 0 : short.length <= characters
  return words.find(({ length }) => length <= characters) ?? (isMeant ? short : '')
}
