/** The curve, drawn by uPlot: bytes from 0, stepped. Colours are read from CSS each time it is drawn. */
import 'uplot/dist/uPlot.min.css'

import UPlot from 'uplot'

import { formatBytes } from '../../../base/units'
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
const AXIS_FONT = '11px system-ui, sans-serif'
const BYTES_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power)
const HEADROOM = 1.06
const MARK_PX = 90 // between two marks of time

export function plot(target: HTMLElement, wish: PlotWish): UPlot {
  const { curve, range, width, height } = wish
  const highest = Math.max(1, ...highestOf(curve.allocated_bytes), ...highestOf(curve.reserved_bytes ?? []))
  const data: UPlot.AlignedData = [[...curve.time_ns], [...curve.allocated_bytes]]
  if (curve.reserved_bytes !== null) data.push([...curve.reserved_bytes])
  const stepped = UPlot.paths.stepped?.({ align: 1 })
  const line = { ...(stepped === undefined ? {} : { paths: stepped }), points: { show: false } }
  const series: UPlot.Series[] = [
    {},
    { ...line, label: 'Allocated', width: 1.5, stroke: () => color('--c-kernel'), fill: () => faint('--c-kernel') },
  ]
  if (curve.reserved_bytes !== null) {
    series.push({ ...line, label: 'Reserved', width: 1.5, dash: [5, 3], stroke: () => color('--c-communication') })
  }
  const drawn = new UPlot(
    {
      width,
      height,
      padding: [8, 34, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false, dist: LEAST_DRAG_PX }, points: { show: false }, y: false },
      scales: { x: { time: false, range: [range[0], range[1]] }, y: { range: [0, highest * HEADROOM] } },
      axes: [
        { ...axis(), size: 26, ...timeMarks(range, width) },
        { ...axis(), size: 66, space: 34, incrs: BYTES_STEPS, values: (_, splits) => splits.map(formatBytes) },
      ],
      series,
      bands: curve.reserved_bytes === null ? [] : [{ series: [2, 1], fill: () => faint('--c-communication') }],
      hooks: {
        draw: [(self) => drawMarks(self, wish)],
        setCursor: [(self) => wish.onPoint(self.cursor.left === -10 ? undefined : (self.cursor.idx ?? undefined))],
        setSelect: [
          (self) => {
            const { left, width: wide } = self.select
            if (wide < LEAST_DRAG_PX) return
            const [from, to] = [self.posToVal(left, 'x'), self.posToVal(left + wide, 'x')]
            self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            wish.onRange([Math.floor(from), Math.ceil(to)])
          },
        ],
      },
    },
    data,
    target,
  )
  listen(drawn, wish)
  return drawn
}

/** A click chooses an instant, a double click the whole recording; a drag is neither. */
function listen(drawn: UPlot, { onInstant, onReset }: PlotWish): void {
  let pressedAt = 0
  let waiting: ReturnType<typeof setTimeout> | undefined
  drawn.over.addEventListener('mousedown', (event) => (pressedAt = event.clientX))
  drawn.over.addEventListener('click', (event) => {
    clearTimeout(waiting)
    if (event.detail > 1 || Math.abs(event.clientX - pressedAt) >= LEAST_DRAG_PX) return
    const time = drawn.posToVal(event.clientX - drawn.over.getBoundingClientRect().left, 'x')
    waiting = setTimeout(() => onInstant(time), CLICK_MS)
  })
  drawn.over.addEventListener('dblclick', onReset)
}

function drawMarks(self: UPlot, { mark, life }: PlotWish): void {
  const { ctx, bbox } = self
  const x = (time: number): number => self.valToPos(time, 'x', true)
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  if (life !== undefined) {
    ctx.fillStyle = color('--text')
    ctx.globalAlpha = 0.14
    ctx.fillRect(x(life[0]), bbox.top, Math.max(x(life[1]) - x(life[0]), 2), bbox.height)
    ctx.globalAlpha = 1
  }
  const [left, top] = [x(mark[0]), self.valToPos(mark[1], 'y', true)]
  ctx.strokeStyle = ctx.fillStyle = color('--text')
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash([]) // the last series left its own
  ctx.beginPath()
  ctx.moveTo(left, bbox.top)
  ctx.lineTo(left, bbox.top + bbox.height)
  ctx.stroke()
  ctx.beginPath()
  ctx.arc(left, top, 4 * devicePixelRatio, 0, 2 * Math.PI)
  ctx.fill()
  ctx.restore()
}

/** The same marks as on the timeline. Far into a long recording they count from an origin, which the first one names. */
function timeMarks([from, to]: PlotWish['range'], width: number): Pick<UPlot.Axis, 'splits' | 'values'> {
  const marks = timeAxis(from, (to - from) / width, width, MARK_PX)
  const count = Math.floor((to - marks.first) / marks.step) + 1
  const splits = Array.from({ length: count }, (_, index) => marks.first + index * marks.step).filter(
    (at) => at >= from,
  )
  const origin = marks.origin === 0 ? '' : `${originWords(marks.origin)} `
  return {
    splits: () => splits,
    values: () => splits.map((at, index) => (index === 0 ? origin : '') + markWords(marks, at)),
  }
}

function axis(): UPlot.Axis {
  return {
    font: AXIS_FONT,
    stroke: () => color('--text-soft'),
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { show: false },
  }
}

/** The highest, if there is one; `Math.max(...values)` of a long list is too many arguments for some browsers. */
function highestOf(values: readonly number[]): readonly number[] {
  return values.length === 0 ? [] : [values.reduce((a, b) => Math.max(a, b))]
}

function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** The same, see-through: what is below a line. All our colours are `#rrggbb`. */
function faint(name: string): string {
  return `${color(name)}26`
}
