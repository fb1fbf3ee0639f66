/** Where the chart's points and lines lie, in pixels: both axes are logarithmic. */
import type { Roofline, RooflineRow } from '../../wire/wire'

export interface Box {
  readonly width: number
  readonly height: number
}

export interface Dot {
  readonly row: RooflineRow
  readonly x: number
  readonly y: number
  readonly radius: number
}

export interface Line {
  readonly title: string
  readonly isBest: boolean
  /** From the bandwidth's slope to the right edge. */
  readonly x: number
  readonly y: number
}

export interface Tick {
  readonly at: number
  readonly value: number
}

export interface Plot {
  readonly dots: readonly Dot[]
  readonly roofs: readonly Line[]
  /** The slope that bandwidth is, up to the highest roof; undefined where it is not known. */
  readonly slope: readonly [x1: number, y1: number, x2: number, y2: number] | undefined
  readonly xTicks: readonly Tick[]
  readonly yTicks: readonly Tick[]
  /** Bytes per second. */
  readonly stripTicks: readonly Tick[]
  readonly left: number
  readonly bottom: number
  /** Rows that are too short to be seen, and are in the table alone. */
  readonly nHidden: number
}

export const MARGIN = { left: 66, right: 24, top: 12, bottom: 34 }
/** Of the strip of what computes nothing, left of the chart, with the gap between them. */
export const STRIP = 136
/** Where the chart's own axis is written. */
export const GAP = 84
const MOST_DOTS = 400
const LARGEST = 30
const SMALLEST = 2.5

/** The plot of a reply. Where peaks are unknown, the points set the scale alone. */
export function plotOf(roofline: Roofline, { width, height }: Box): Plot {
  const all = roofline.rows.filter((row) => isCounted(row) || (row.bytes_per_s ?? 0) > 0)
  const rows = [...all].sort((a, b) => b.total_ns - a.total_ns).slice(0, MOST_DOTS)
  const inside = rows.filter(isCounted)
  const peaks = roofline.roofs.flatMap((roof) => [roof.flops_per_s ?? [], roof.best_flops_per_s ?? []].flat())
  const bandwidth = roofline.bytes_per_s
  const knees = bandwidth === null ? [] : roofline.roofs.map((roof) => (roof.flops_per_s ?? 0) / bandwidth)
  const x = scale(
    [...inside.map((row) => row.flops_per_byte ?? 1), ...knees],
    MARGIN.left + STRIP,
    width - MARGIN.right,
  )
  const rates = inside.map((row) => row.flops_per_s ?? 1)
  const y = scale([...rates, ...peaks], height - MARGIN.bottom, MARGIN.top)
  const moved = rows.flatMap((row) => (isCounted(row) ? [] : [row.bytes_per_s ?? 1]))
  const strip = scale([...moved, ...(bandwidth === null ? [] : [bandwidth])], height - MARGIN.bottom, MARGIN.top)
  const largest = Math.max(...rows.map((row) => row.wall_ns), 1)
  const dots = rows.map((row) => ({
    row,
    x: isCounted(row) ? x.at(row.flops_per_byte ?? 1) : MARGIN.left + (STRIP - GAP) / 2,
    y: isCounted(row) ? y.at(row.flops_per_s ?? 1) : strip.at(row.bytes_per_s ?? 1),
    radius: Math.max(SMALLEST, LARGEST * Math.sqrt(row.wall_ns / largest)),
  }))
  return {
    dots,
    roofs: roofline.roofs.flatMap((roof) =>
      [
        { title: roof.rate_type, rate: roof.flops_per_s, isBest: false },
        { title: `best ${roof.rate_type}`, rate: roof.best_flops_per_s, isBest: true },
      ].flatMap(({ title, rate, isBest }) =>
        rate === null || rate <= 0
          ? []
          : [
              {
                title,
                isBest,
                x: bandwidth === null ? x.from : Math.max(x.at(rate / bandwidth), x.from),
                y: y.at(rate),
              },
            ],
      ),
    ),
    slope: slopeOf(bandwidth, peaks, x, y),
    xTicks: x.ticks(),
    yTicks: y.ticks(),
    stripTicks: moved.length === 0 ? [] : strip.ticks(),
    left: MARGIN.left + STRIP,
    bottom: height - MARGIN.bottom,
    nHidden: all.length - rows.length,
  }
}

/** What computes nothing has its place on the strip. */
function isCounted(row: RooflineRow): boolean {
  return (row.flops_per_byte ?? 0) > 0 && (row.flops_per_s ?? 0) > 0
}

function slopeOf(bandwidth: number | null, peaks: readonly number[], x: Scale, y: Scale): Plot['slope'] {
  if (bandwidth === null) return undefined
  // From where it enters the chart, at the left or at the bottom, to the highest roof.
  const low = Math.max(x.low, y.low / bandwidth)
  const high = peaks.length === 0 ? Math.min(x.high, y.high / bandwidth) : Math.max(...peaks) / bandwidth
  return low < high ? [x.at(low), y.at(low * bandwidth), x.at(high), y.at(high * bandwidth)] : undefined
}

interface Scale {
  readonly low: number
  readonly high: number
  readonly from: number
  readonly at: (value: number) => number
  readonly ticks: () => readonly Tick[]
}

const TICK_PX = 36 // between two of them, which stand beside or above each other

/** Whole powers of ten around these values. */
function scale(values: readonly number[], from: number, to: number): Scale {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value))
  const least = positive.length === 0 ? 0 : Math.floor(Math.log10(Math.min(...positive)))
  const most = positive.length === 0 ? 1 : Math.ceil(Math.log10(Math.max(...positive) * 1.05))
  const decades = Math.max(most - least, 1)
  const step = Math.ceil((decades * TICK_PX) / Math.max(Math.abs(to - from), 1))
  const at = (value: number): number => {
    const share = (Math.log10(Math.max(value, 1e-30)) - least) / decades
    return from + Math.min(Math.max(share, 0), 1) * (to - from)
  }
  return {
    low: 10 ** least,
    high: 10 ** (least + decades),
    from,
    at,
    ticks: () =>
      Array.from({ length: Math.floor(decades / step) + 1 }, (_, place) => {
        const value = 10 ** (least + place * step)
        return { at: at(value), value }
      }),
  }
}
