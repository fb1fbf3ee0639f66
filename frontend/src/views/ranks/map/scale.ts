/** The colours of the map: how far a value is from the median of the peers; and where cells lie. */

/** Of a value: 0 near the median, `STRENGTHS` as far from it as any, negative below it. */
export type Level = number

export interface Scale {
  /** The least and the most there is; the median, 0, is between them. */
  readonly low: number
  readonly high: number
  readonly levelOf: (value: number) => Level
}

export const STRENGTHS = 8
/** The part of the most that has half its colour: one outlier does not hide the others, and two large values still differ. */
const HALF = 1 / 3
const POWER = Math.log(0.5) / Math.log(HALF)

/** `least`: what is not worth the full colour even if it is the most there is. */
export function scaleOf(values: readonly (number | null)[], least: number): Scale {
  const end = (of: (...two: number[]) => number): number => values.reduce<number>((so, value) => of(so, value ?? 0), 0)
  const [low, high] = [end(Math.min), end(Math.max)]
  const limit = Math.max(high, -low, least, 1)
  return {
    ...{ low, high },
    levelOf: (value) => Math.sign(value) * Math.round(STRENGTHS * (Math.abs(value) / limit) ** POWER),
  }
}

/** Diverging, blue to vermilion: told apart also by who sees no red or no green. */
const COLORS = ['var(--c-kernel)', 'var(--line)', 'var(--c-communication)'] as const

/** Null: nothing was recorded. */
export function colorOf(level: Level | null): string {
  if (level === null) return 'none'
  return `color-mix(in srgb, ${COLORS[level < 0 ? 0 : 2]} ${(100 * Math.abs(level)) / STRENGTHS}%, ${COLORS[1]})`
}

/** Whether what is written on it is in the colour of the page, for contrast. */
export function isStrong(level: Level): boolean {
  return Math.abs(level) > 5
}

export interface Cells {
  readonly across: number
  readonly down: number
  readonly width: number
  readonly height: number
}

const LEAST_WIDTH = 3
const MOST_WIDTH = 120
const LEAST_HEIGHT = 3
const MOST_HEIGHT = 24
const USUAL_HEIGHT = 220
export const LINE_PX = 14

/** Cells that fill `room` pixels where they can; many are 3 px wide, and the map scrolls. `areNamed`: each row has a line of text. */
export function cellsOf(across: number, down: number, room: number, areNamed = false): Cells {
  return {
    across,
    down,
    width: clamp(Math.floor(room / across), LEAST_WIDTH, MOST_WIDTH),
    height: clamp(Math.floor(USUAL_HEIGHT / down), areNamed ? LINE_PX : LEAST_HEIGHT, MOST_HEIGHT),
  }
}

export type Place = readonly [x: number, y: number]

/** What covers two cells and all between. */
export function areaOf({ width, height }: Cells, left: number, one: Place, other: Place) {
  const [x, y] = [Math.min(one[0], other[0]), Math.min(one[1], other[1])]
  return {
    x: left + x * width,
    y: y * height,
    width: (Math.abs(one[0] - other[0]) + 1) * width,
    height: (Math.abs(one[1] - other[1]) + 1) * height,
  }
}

/** Every how many columns or rows one is named: names need `px`. */
export function everyOf(size: number, px: number): number {
  return Math.max(1, Math.ceil(px / size))
}

export const LETTER_PX = 7
const MARGIN_PX = 6

/** Which column is named first: the first one, else the middle of its share, so that a long name does not reach into the title. */
export function firstNamed(name: string, every: number, px: number): number {
  return name.length * LETTER_PX <= px + 2 * MARGIN_PX ? 0 : every >> 1
}

/** Of names that take `px` each in the middle of cells of `size`: those of the first turn where they do not overlap, then of the
 * next such as have room beside these. `least`, `most`: what none reaches over.
 */
export function withRoom(
  px: readonly number[],
  size: number,
  turnOf: (at: number) => number,
  [least, most]: readonly [number, number],
): ReadonlySet<number> {
  const taken: (readonly [from: number, to: number])[] = []
  const found = new Set<number>()
  for (const at of [...px.keys()].sort((one, other) => turnOf(one) - turnOf(other))) {
    const [middle, half] = [(at + 0.5) * size, (px[at] ?? 0) / 2]
    const [from, to] = [middle - half, middle + half]
    if (from < least || to > most || taken.some((other) => from < other[1] && other[0] < to)) continue
    taken.push([from, to])
    found.add(at)
  }
  return found
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
