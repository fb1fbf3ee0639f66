/** The curve on a canvas: bytes from 0, stepped. Colours are read from CSS each time it is drawn. */
import { formatBytes } from '../../../base/units'
import { onPicture } from '../../../draw/paint/pen'
import type { Pen } from '../../../draw/paint/pen'
import { markWords, originWords, timeAxis } from '../../../draw/time/time_axis'
import type { MemoryCurve } from '../../../wire/wire'

export interface PlotWish {
  readonly curve: MemoryCurve
  readonly range: readonly [number, number]
  /** The instant that is marked, and the bytes allocated then. */
  readonly mark: readonly [time: number, bytes: number]
  /** The life of the block whose row is open. */
  readonly life: readonly [number, number] | undefined
  readonly width: number
  readonly height: number
  readonly onRange: (range: readonly [number, number]) => void
  readonly onInstant: (time: number) => void
  readonly onReset: () => void
  readonly onPoint: (index: number | undefined) => void
}

const CLICK_MS = 250 // a second click within it makes both one double click
const LEAST_DRAG_PX = 4
const FONT = '11px system-ui, sans-serif'
const [LEFT, TOP, RIGHT, BOTTOM] = [66, 8, 34, 26] // around the curve: bytes, air, half a word, times
const GAP_PX = 5 // from a word to the curve
const HEADROOM = 1.06
const TIME_PX = 90 // between two marks of time
const BYTES_PX = 34 // and of bytes

/** Draws it into `target` and listens; the returned function takes it away. */
export function plot(target: HTMLElement, wish: PlotWish): () => void {
  const canvas = document.createElement('canvas')
  const over = document.createElement('div')
  over.className = 'memory-over'
  over.append(document.createElement('i'), document.createElement('i'))
  Object.assign(over.style, { inset: `${TOP}px ${RIGHT}px ${BOTTOM}px ${LEFT}px` })
  target.append(canvas, over)
  const context = sized(canvas, wish, devicePixelRatio)
  if (context !== undefined) draw(context, wish)
  const stop = new AbortController()
  onPicture((penFor) => draw(penFor(canvas), wish), stop)
  listen(over, wish)
  return () => {
    stop.abort()
    canvas.remove()
    over.remove()
  }
}

/** A click chooses an instant, a double click the whole recording, a drag a range. */
function listen(over: HTMLElement, { curve, range, width, onRange, onInstant, onReset, onPoint }: PlotWish): void {
  const [cursor, stretch] = over.children as unknown as readonly [HTMLElement, HTMLElement]
  const most = width - LEFT - RIGHT
  const at = ({ clientX }: PointerEvent | MouseEvent): number =>
    Math.min(Math.max(clientX - over.getBoundingClientRect().left, 0), most)
  const timeAt = (x: number): number => range[0] + (x / most) * (range[1] - range[0])
  let pressed: number | undefined
  let isDrag = false
  let waiting: ReturnType<typeof setTimeout> | undefined
  over.addEventListener('pointerdown', (event) => {
    isDrag = false
    if (event.button !== 0) return
    pressed = at(event)
    over.setPointerCapture(event.pointerId)
  })
  over.addEventListener('pointermove', (event) => {
    const x = at(event)
    if (pressed !== undefined && Math.abs(x - pressed) >= LEAST_DRAG_PX) isDrag = true
    Object.assign(cursor.style, { left: `${x}px`, display: 'block' })
    Object.assign(stretch.style, {
      left: `${Math.min(x, pressed ?? x)}px`,
      width: `${isDrag ? Math.abs(x - (pressed ?? x)) : 0}px`,
    })
    onPoint(nearest(curve.time_ns, timeAt(x)))
  })
  over.addEventListener('pointerup', (event) => {
    const [from, to] = [pressed ?? 0, at(event)].sort((a, b) => a - b) as [number, number]
    if (isDrag && pressed !== undefined) onRange([Math.floor(timeAt(from)), Math.ceil(timeAt(to))])
  })
  for (const end of ['pointerup', 'pointercancel', 'pointerleave'])
    over.addEventListener(end, () => {
      pressed = undefined
      stretch.style.width = '0'
    })
  over.addEventListener('pointerleave', () => {
    cursor.style.display = 'none'
    onPoint(undefined)
  })
  over.addEventListener('click', (event) => {
    clearTimeout(waiting)
    if (event.detail > 1 || isDrag) return
    const time = timeAt(at(event))
    waiting = setTimeout(() => onInstant(time), CLICK_MS)
  })
  over.addEventListener('dblclick', onReset)
}

/** The place of the point next to `time`; undefined of none. */
export function nearest(times: readonly number[], time: number): number | undefined {
  let [low, high] = [0, times.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((times[middle] as number) < time) low = middle
    else high = middle
  }
  if (high < 0) return undefined
  return time - (times[low] as number) <= (times[high] as number) - time ? low : high
}

function sized(
  canvas: HTMLCanvasElement,
  { width, height }: PlotWish,
  ratio: number,
): CanvasRenderingContext2D | undefined {
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
  const context = canvas.getContext('2d')
  context?.scale(ratio, ratio)
  return context ?? undefined
}

function draw(ctx: Pen, wish: PlotWish): void {
  const { curve, range, mark, life, width, height } = wish
  const { time_ns: times, allocated_bytes: allocated, reserved_bytes: reserved } = curve
  const most = [...allocated, ...(reserved ?? [])].reduce((a, b) => Math.max(a, b), 1) * HEADROOM
  const [wide, high] = [width - LEFT - RIGHT, height - TOP - BOTTOM]
  const x = (time: number): number => LEFT + ((time - range[0]) / (range[1] - range[0])) * wide
  const y = (bytes: number): number => TOP + (1 - bytes / most) * high

  // What stands at its edges, and lines across it, on whole pixels.
  ctx.font = FONT
  ctx.strokeStyle = color('--line')
  ctx.fillStyle = color('--text-soft')
  ctx.textAlign = 'right'
  ctx.textBaseline = 'middle'
  const step = 2 ** Math.max(Math.ceil(Math.log2((most / high) * BYTES_PX)), 0)
  for (let bytes = 0; bytes <= most; bytes += step) {
    line(ctx, [LEFT, Math.round(y(bytes)) + 0.5], [LEFT + wide, Math.round(y(bytes)) + 0.5])
    ctx.fillText(formatBytes(bytes), LEFT - GAP_PX, y(bytes))
  }
  ctx.textAlign = 'center'
  ctx.textBaseline = 'top'
  for (const [time, words] of timeMarks(range, width)) {
    line(ctx, [Math.round(x(time)) + 0.5, TOP], [Math.round(x(time)) + 0.5, TOP + high])
    ctx.fillText(words, x(time), TOP + high + GAP_PX)
  }

  ctx.beginPath()
  ctx.rect(LEFT, TOP, wide, high)
  ctx.clip()
  ctx.lineWidth = 1.5
  const fill = (from: (index: number) => number, to: readonly number[], paint: string): void => {
    ctx.beginPath()
    times.slice(1).forEach((end, i) => {
      const [low, top, left] = [from(i), to[i] as number, x(times[i] as number)]
      if (top > low) ctx.rect(left, y(top), x(end) - left, y(low) - y(top))
    })
    ctx.fillStyle = `${color(paint)}26` // see-through: all our colours are `#rrggbb`
    ctx.fill()
  }
  const steps = (bytes: readonly number[], paint: string): void => {
    ctx.beginPath()
    times.forEach((time, i) => {
      ctx.lineTo(x(time), y(bytes[Math.max(i - 1, 0)] as number))
      ctx.lineTo(x(time), y(bytes[i] as number))
    })
    ctx.strokeStyle = color(paint)
    ctx.stroke()
  }
  fill(() => 0, allocated, '--c-kernel')
  if (reserved !== null) fill((i) => allocated[i] as number, reserved, '--c-communication')
  steps(allocated, '--c-kernel')
  if (reserved !== null) {
    ctx.setLineDash([5, 3])
    steps(reserved, '--c-communication')
    ctx.setLineDash([])
  }

  ctx.strokeStyle = ctx.fillStyle = color('--text')
  ctx.lineWidth = 1
  if (life !== undefined) {
    ctx.globalAlpha = 0.14
    ctx.fillRect(x(life[0]), TOP, Math.max(x(life[1]) - x(life[0]), 2), high)
    ctx.globalAlpha = 1
  }
  const [left, top] = [x(mark[0]), y(mark[1])]
  line(ctx, [left, TOP], [left, TOP + high])
  ctx.beginPath()
  ctx.arc(left, top, 4, 0, 2 * Math.PI)
  ctx.fill()
}

type Point = readonly [x: number, y: number]

function line(ctx: Pen, from: Point, to: Point): void {
  ctx.beginPath()
  ctx.moveTo(...from)
  ctx.lineTo(...to)
  ctx.stroke()
}

/** The same marks as on the timeline. Far into a long recording they count from an origin, which the first one names. */
function timeMarks([from, to]: PlotWish['range'], width: number): readonly (readonly [time: number, words: string])[] {
  const marks = timeAxis(from, (to - from) / width, width, TIME_PX)
  const count = Math.floor((to - marks.first) / marks.step) + 1
  const origin = marks.origin === 0 ? '' : `${originWords(marks.origin)} `
  return Array.from({ length: count }, (_, index) => marks.first + index * marks.step)
    .filter((at) => at >= from)
    .map((at, index) => [at, (index === 0 ? origin : '') + markWords(marks, at)])
}

function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
