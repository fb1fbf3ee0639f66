/** Where the points, lines and changes of a chart lie, in CSS pixels. */
import { exactCount, formatShare, formatTime } from '../../base/units'
import { ticks } from '../../layout/ticks'
import type { LevelChange, TrendLine, TrendPoint } from '../../wire/wire'
import type { ChartOf } from './charts'

export type Along = 'order' | 'time' | 'step'

export interface Box {
  readonly width: number
  readonly height: number
}

/** A point by its line and its place in it. */
export interface Place {
  readonly line: number
  readonly at: number
}

export interface Dot extends Place {
  readonly x: number
  readonly y: number
  readonly value: number | null
  readonly quality: TrendPoint['quality']
}

export interface Tick {
  readonly x: number
  readonly line: number
  readonly change: LevelChange
}

export interface Plot {
  readonly dots: readonly Dot[]
  /** One path of SVG a line, broken where no line goes through. */
  readonly paths: readonly string[]
  readonly bands: readonly string[]
  readonly ticks: readonly Tick[]
  readonly marks: readonly { readonly y: number; readonly value: number }[]
  /** The median of what is kept as the baseline. */
  readonly baseline: { readonly y: number; readonly value: number } | undefined
  readonly below: readonly { readonly x: number; readonly text: string }[]
}

export const MARGIN = { left: 62, right: 14, top: 20, bottom: 24 }
const MOST_BELOW = 4 // marks along, each as wide as a date
const DAY_S = 86_400
const AROUND = 0.12 // of the range of values, above and below it
const LEAST_AROUND = 0.01 // of the values

export function plotOf(
  lines: readonly TrendLine[],
  chart: ChartOf,
  along: Along,
  { width, height }: Box,
  baseline: readonly TrendPoint[] = [],
): Plot {
  // Figures of half a file are not drawn.
  const valueOf = (point: TrendPoint): number | null => (point.quality === 'trouble' ? null : chart.value(point))
  const all = lines.flatMap(({ points }) => points)
  const placeOf = placesAlong(lines, along)
  const places = all.map(placeOf)
  const x = spread(places, MARGIN.left, width - MARGIN.right)
  const bottom = height - MARGIN.bottom
  const values = [...all, ...baseline].flatMap((point) => valueOf(point) ?? [])
  const isShare = chart.format === formatShare && values.every((value) => value <= 1)
  // More than all of it there is not.
  const marks = marksOf(values, chart.id === 'peak_memory' ? 1024 : 1000).filter((mark) => !isShare || mark < 1 + 1e-9)
  const [low, high] = [marks[0] ?? 0, marks.at(-1) ?? 1]
  const y = (value: number): number => bottom - ((value - low) / Math.max(high - low, 1e-12)) * (bottom - MARGIN.top)
  const dots = lines.flatMap(({ points }, line) =>
    points.map((point, at): Dot => {
      const value = valueOf(point)
      return {
        ...{ line, at, value, quality: point.quality },
        x: x(placeOf(point)),
        y: value === null ? bottom : y(value),
      }
    }),
  )
  const level = medianOf(baseline.flatMap((point) => valueOf(point) ?? []))
  const own = lines.map((_, line) => dots.filter((dot) => dot.line === line))
  return {
    dots: dots.filter((dot) => dot.value !== null || dot.quality === 'trouble'),
    paths: lines.map((line, place) =>
      partsOf(own[place] ?? [], line.changes)
        .map((part) => part.map((dot, i) => `${i === 0 ? 'M' : 'L'}${px(dot.x)} ${px(dot.y)}`).join(''))
        .join(''),
    ),
    bands:
      chart.id !== 'step_time'
        ? []
        : lines.map((line, place) =>
            partsOf(own[place] ?? [], line.changes)
              .map((part) => {
                const edge = (dot: Dot, name: 'p5_ns' | 'p95_ns'): string => {
                  const value = line.points[dot.at]?.[name] ?? dot.value ?? low
                  return `${px(dot.x)} ${px(y(Math.min(Math.max(value, low), high)))}`
                }
                return `M${[...part.map((dot) => edge(dot, 'p95_ns')), ...[...part].reverse().map((dot) => edge(dot, 'p5_ns'))].join('L')}Z`
              })
              .join(''),
          ),
    ticks: lines.flatMap(({ changes, points }, line) =>
      changes.flatMap((change): readonly Tick[] => {
        const point = points[change.at]
        const isHere = change.figure === null || change.figure === chart.id
        return point === undefined || !isHere ? [] : [{ x: x(placeOf(point)), line, change }]
      }),
    ),
    marks: marks.map((value) => ({ value, y: y(value) })),
    baseline: level === undefined ? undefined : { value: level, y: y(level) },
    below: belowOf(places, along).map(({ at, text }) => ({ x: x(at), text })),
  }
}

/** The nearest of the points, whatever its distance. */
export function nearest(dots: readonly Dot[], x: number, y: number): Dot | undefined {
  const off = (dot: Dot): number => (dot.x - x) ** 2 + (dot.y - y) ** 2
  return dots.reduce<Dot | undefined>(
    (best, dot) => (best === undefined || off(dot) < off(best) ? dot : best),
    undefined,
  )
}

/** What one line goes through: not points in trouble, and not from one recording to another kind of it. */
function partsOf(dots: readonly Dot[], changes: readonly LevelChange[]): readonly (readonly Dot[])[] {
  const resets = new Set(changes.filter(({ kind }) => kind === 'reset').map(({ at }) => at))
  const parts: Dot[][] = [[]]
  for (const dot of dots) {
    if (dot.quality === 'pending') continue
    const isBroken = dot.value === null
    if (isBroken || resets.has(dot.at)) parts.push([])
    if (!isBroken) parts.at(-1)?.push(dot)
  }
  return parts.filter((part) => part.length > 0)
}

/** Where a point stands along. In order: that of all recordings, so that runs which followed one another do so here. */
function placesAlong(lines: readonly TrendLine[], along: Along): (point: TrendPoint) => number {
  if (along === 'time') return (point) => point.recorded_ns / 1e9
  const all = lines.flatMap(({ points }) => points)
  const order = new Map(
    [...all].sort((a, b) => a.recorded_ns - b.recorded_ns).map((point, place) => [point, place + 1]),
  )
  return (point) => (along === 'step' ? (point.last_step ?? 0) : (order.get(point) ?? 0))
}

function medianOf(values: readonly number[]): number | undefined {
  const ordered = [...values].sort((a, b) => a - b)
  const [low, high] = [ordered[(ordered.length - 1) >> 1], ordered[ordered.length >> 1]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

/** Round places below the chart; times as the clock of whoever reads has them. */
export function belowOf(
  places: readonly number[],
  along: Along,
): readonly { readonly at: number; readonly text: string }[] {
  if (places.length === 0) return []
  const low = places.reduce((a, b) => Math.min(a, b))
  const high = places.reduce((a, b) => Math.max(a, b))
  if (along === 'time') {
    const wanted = high > low ? [low, (low + high) / 2, high] : [low]
    const cut = (at: number): string =>
      high - low < DAY_S ? formatTime(at * 1e9).slice(11) : formatTime(at * 1e9).slice(0, 10)
    return wanted.map((at) => ({ at, text: cut(at) }))
  }
  if (high === low) return [{ at: low, text: String(low) }]
  const step = Math.max(ticks(high - low, MOST_BELOW)[1] ?? 1, 1)
  const first = Math.ceil(low / step)
  const count = Math.floor(high / step) - first + 1
  return Array.from({ length: count }, (_, i) => ({ at: (first + i) * step, text: exactCount((first + i) * step) }))
}

function spread(values: readonly number[], from: number, to: number): (value: number) => number {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity)
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity)
  return (value) => (high > low ? from + ((value - low) / (high - low)) * (to - from) : (from + to) / 2)
}

/**
 * Round values around these, the least and the largest of them are the edges of the chart. Values that differ by less than a change
 * would stay close together, and their marks apart. `prefix`: what kilo is, so that MiB are round and not their millions of bytes.
 */
export function marksOf(values: readonly number[], prefix = 1000): readonly number[] {
  if (values.length === 0) return []
  const least = values.reduce((a, b) => Math.min(a, b))
  const most = values.reduce((a, b) => Math.max(a, b))
  const size = Math.max(Math.abs(least), Math.abs(most))
  const around = most > least ? Math.max((most - least) * AROUND, size * LEAST_AROUND) : Math.max(size * AROUND, 1e-3)
  const low = least >= 0 ? Math.max(least - around, 0) : least - around
  const unit = size > 0 ? prefix ** Math.floor(Math.log(size) / Math.log(prefix)) : 1
  const step = roundStep((most + around - low) / 3 / unit) * unit
  const first = Math.floor(low / step)
  const count = Math.ceil((most + around) / step - 1e-9) - first
  return Array.from({ length: count + 1 }, (_, i) => (first + i) * step)
}

function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted))
  return ([1, 2, 2.5, 5, 10].find((one) => one * power >= wanted) ?? 10) * power
}

function px(value: number): string {
  return value.toFixed(1)
}
