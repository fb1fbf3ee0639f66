/** A lane where blocks are narrower than pixels: each column shows what most of it is, as pale as it is empty.

    blocks    ██ █    ██ ██ a a     columns  | ██ a |  ██  |      two thirds ██ with a little a; half empty

    Nothing is left out and nothing counts twice, so what repeats in the data looks the same wherever it falls on the pixels. */
import { VARIANTS, mergedVariant } from './palette'
import type { Palette } from './palette'
import type { Rects } from './rects'

const LEAST = 0.02 // of a column: what takes no time shows where nothing else does

export interface Strip {
  /** A block from `x0` to `x1`, `share` of it covered. What a search found goes before what it left out. */
  readonly add: (x0: number, x1: number, share: number, paint: number, isDim: boolean) => void
  /** Draws the last column, not beyond `limit`. */
  readonly end: (limit: number) => void
}

const weight = new Float32Array(256) // of the paints in a column

/** The strip of one lane; one at a time. */
export function stripOf(rects: Rects, palette: Palette, y: number, height: number): Strip {
  let column = -1
  let total = 0
  let most = 0
  let main = 0
  let allDim = true

  function clear(): void {
    weight.fill(0)
    total = most = 0
  }

  function end(limit: number): void {
    const width = Math.min(limit - column, 1)
    if (total > 0 && width > 0) {
      rects.add(main * VARIANTS + mergedVariant(total) + (allDim ? palette.dimmed : 0), column, y, width, height)
    }
    clear()
    allDim = true
  }

  function add(x0: number, x1: number, share: number, paint: number, isDim: boolean): void {
    // Times are rounded outwards, so a block may begin a little before the last one ends: never in a column before its.
    const first = Math.max(Math.floor(x0), column, 0)
    const last = Math.max(Math.ceil(x1) - 1, first)
    for (let at = first; at <= last; at++) {
      if (at !== column) end(at)
      column = at
      if (isDim && !allDim) continue
      if (isDim !== allDim) clear()
      allDim = isDim
      const covered = Math.max((Math.min(x1, at + 1) - Math.max(x0, at)) * share, LEAST)
      const sum = (weight[paint] as number) + covered
      weight[paint] = sum
      total += covered
      if (sum > most) {
        most = sum
        main = paint
      }
    }
  }

  clear()
  return { add, end }
}
