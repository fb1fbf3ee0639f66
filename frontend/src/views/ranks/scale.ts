/** The colours of the map: how far a value is from the median of the peers, in four classes to either side; and where cells lie. */

/** -4 to 4; 0 is near the median. */
export type Level = number

export interface Scale {
  /** What the strongest class goes up to. */
  readonly limit: number
  readonly levelOf: (value: number) => Level
}

/** Where classes begin, as parts of the limit: each is twice the last, so that one outlier does not hide the others. */
export const EDGES: readonly number[] = [1 / 16, 1 / 8, 1 / 4, 1 / 2]

/** `least`: what is not worth a strong colour even if it is the most there is. */
export function scaleOf(values: readonly (number | null)[], least: number): Scale {
  const limit = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), Math.max(least, 1))
  const levelOf = (value: number): Level => {
    const level = EDGES.filter((edge) => Math.abs(value) >= edge * limit).length
    return value < 0 ? -level : level
  }
  return { limit, levelOf }
}

export interface Cells {
  readonly across: number
  readonly down: number
  readonly width: number
  readonly height: number
}

const LEAST_WIDTH = 3
const MOST_WIDTH = 96
const LEAST_HEIGHT = 4
const MOST_HEIGHT = 24
const USUAL_HEIGHT = 220

/** Cells that fill `room` pixels where they can; many are 3 px wide, and the map scrolls. */
export function cellsOf(across: number, down: number, room: number): Cells {
  return {
    across,
    down,
    width: clamp(Math.floor(room / across), LEAST_WIDTH, MOST_WIDTH),
    height: clamp(Math.floor(USUAL_HEIGHT / down), LEAST_HEIGHT, MOST_HEIGHT),
  }
}

/** Every how many columns or rows one is named: names need `px`. */
export function everyOf(size: number, px: number): number {
  return Math.max(1, Math.ceil(px / size))
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
