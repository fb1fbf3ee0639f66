/** A lane where blocks are narrower than pixels: each column shows what most of it is, as pale as it is empty.

    blocks    ██ █    ██ ██ a a     columns  | ██ a |  ██  |      two thirds ██ with a little a; half empty

    Nothing is left out and nothing counts twice, so what repeats in the data looks the same wherever it falls on the pixels. An
    event that is wide is a rectangle of its own; where it ends amid a column with narrow ones, the column shows its part too. */
import { VARIANTS, mergedVariant } from './palette'
import type { Palette } from './palette'
import type { Rects } from './rects'

const LEAST = 0.02 // of a column: what takes no time shows where nothing else does

const WIDE_PX = 6
const APART_PX = 1 // between events that touch; half as much between less wide ones

export interface Strip {
  /** A block from `x0` to `x1`, `share` of it covered. What a search found goes before what it left out. */
  readonly add: (x0: number, x1: number, share: number, paint: number, isDim: boolean) => void
  /** One event, wide enough for a rectangle of its own, in the shade of its name. */
  readonly wide: (x0: number, x1: number, shade: number, paint: number, isDim: boolean) => void
  /** Draws the last column. */
  readonly end: () => void
}

const weight = new Float32Array(256) // of the paints in a column
const inColumn: number[] = [] // those that have one

/** The strip of one lane; one at a time. What is narrow goes to `row`, a pixel for each column, what is wide to `rects`. */
export function stripOf(row: Uint32Array, rects: Rects, palette: Palette, y: number, height: number): Strip {
  let column = -1
  let total = 0
  let most = 0
  let main = 0
  let allDim = true
  let edge = -1 // where the last wide event ends
  let tail = 0 // its paint
  let isTailDim = false

  function clear(): void {
    for (const paint of inColumn) weight[paint] = 0
    inColumn.length = 0
    total = most = 0
  }

  function end(): void {
    if (total > 0) row[column] = pixelOf(palette, total, main, allDim)
    clear()
    allDim = true
  }

  /** So much of the column `at` is covered. */
  function cover(at: number, covered: number, paint: number, isDim: boolean): void {
    if (at !== column) {
      end()
      column = at
      if (at < edge) cover(at, edge - at, tail, isTailDim)
    }
    if (isDim && !allDim) return
    if (isDim !== allDim) clear()
    allDim = isDim
    const before = weight[paint] as number
    if (before === 0) inColumn.push(paint)
    const sum = before + covered
    weight[paint] = sum
    total += covered
    if (sum > most) {
      most = sum
      main = paint
    }
  }

  function add(x0: number, x1: number, share: number, paint: number, isDim: boolean): void {
    // Times are rounded outwards, so a block may begin a little before the last one ends: never in a column before its.
    const from = Math.max(x0, edge)
    const first = Math.max(Math.floor(from), column, 0)
    const last = Math.min(Math.max(Math.ceil(x1) - 1, first), row.length)
    coverPart(first, from, x1, share, paint, isDim)
    if (last > first + 1) row.fill(pixelOf(palette, Math.max(share, LEAST), paint, isDim), first + 1, last)
    if (last > first) coverPart(last, from, x1, share, paint, isDim)
  }

  function coverPart(at: number, x0: number, x1: number, share: number, paint: number, isDim: boolean): void {
    cover(at, Math.max((Math.min(x1, at + 1) - Math.max(x0, at)) * share, LEAST), paint, isDim)
  }

  function wide(x0: number, x1: number, shade: number, paint: number, isDim: boolean): void {
    let from = Math.max(x0, edge + (x1 - x0 > WIDE_PX ? APART_PX : APART_PX / 2))
    if (total > 0 && column >= Math.floor(x0)) {
      cover(column, column + 1 - Math.max(x0, column), paint, isDim)
      from = column + 1
    }
    end()
    rects.add(paint * VARIANTS + shade + (isDim ? palette.dimmed : 0), from, y, x1 - from, height)
    edge = x1
    tail = paint
    isTailDim = isDim
  }

  return { add, wide, end }
}

/** Of a column, or a mark, that is covered to `share`. */
export function pixelOf(palette: Palette, share: number, paint: number, isDim: boolean): number {
  return palette.pixels[paint * VARIANTS + mergedVariant(share) + (isDim ? palette.dimmed : 0)] as number
}
