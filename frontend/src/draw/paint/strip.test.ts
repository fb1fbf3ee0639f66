import { expect, it } from 'vitest'

import { SEAM, SHADES, VARIANTS, makePalette, mergedVariant } from './palette'
import type { Rects } from './rects'
import { BANDS, stripOf } from './strip'

const STEPS = SEAM - SHADES
const colors = makePalette(['a', 'b', 'c'], () => '#336699')
const palette = { ...colors, pixels: colors.pixels.map((_, index) => index + 1) }

const NO_BANDS = new Uint32Array(0)

interface Drawn {
  readonly color: number
  readonly x: number
  readonly width: number
}

interface Adder {
  readonly add: (x0: number, x1: number, share: number, paint: number, isDim: boolean) => void
  readonly wide: (x0: number, x1: number, shade: number, paint: number, isDim: boolean) => void
}

/** Columns and wide events from left to right. */
function drawn(add: (adder: Adder) => void): readonly Drawn[] {
  const found: Drawn[] = []
  const row = new Uint32Array(500)
  const rects = { add: (color: number, x: number, _y: number, width: number) => found.push({ color, x, width }) }
  const strip = stripOf(row, rects as unknown as Rects, palette, 0, 10, NO_BANDS)
  add({
    add: (x0, x1, share, ...rest) => Object.assign(strip, { x0, x1, share }).add(...rest),
    wide: (x0, x1, ...rest) => Object.assign(strip, { x0, x1 }).wide(...rest),
  })
  strip.end()
  row.forEach((pixel, x) => pixel > 0 && found.push({ color: pixel - 1, x, width: 1 }))
  return found.sort((a, b) => a.x - b.x)
}

function color(paint: number, share: number): number {
  return paint * VARIANTS + mergedVariant(share)
}

it('draws what repeats the same everywhere, by how much of it is at work', () => {
  for (const period of [0.37, 0.9, 1.31]) {
    const found = drawn((strip) => {
      for (let x = 0; x < 500; x += period) strip.add(x, x + 0.6 * period, 1, 1, false)
    })
    expect(new Set(found.map((rect) => Math.floor(rect.color / VARIANTS)))).toEqual(new Set([1]))
    expect(found.reduce((sum, rect) => sum + rect.width, 0)).toBeCloseTo(500, -1)
    // Any thirty columns are as full as all: nothing beats that is not in the data.
    const fullness = Array.from({ length: 500 }, () => 0)
    for (const rect of found)
      for (let x = rect.x; x < rect.x + rect.width; x++) fullness[x] = (SEAM - (rect.color % VARIANTS)) / STEPS
    for (let x = 30; x < 460; x++) {
      const mean = fullness.slice(x, x + 30).reduce((a, b) => a + b) / 30
      expect(Math.abs(mean - 0.6)).toBeLessThan(0.04)
    }
  }
})

it('is as pale as it is empty where one column has a hundred short blocks', () => {
  const found = drawn((strip) => {
    for (let i = 0; i < 100; i++) strip.add(3 + i / 100, 3 + (i + 0.25) / 100, 0.5, 1, false)
  })
  expect(found).toEqual([{ color: color(1, 0.125), x: 3, width: 1 }])
})

it('draws no column twice where rounded times overlap', () => {
  const found = drawn((strip) => {
    strip.add(0, 1.01, 1, 0, false)
    strip.add(0.95, 2.04, 1, 0, false)
    strip.add(1.98, 3, 1, 0, false)
  })
  expect(found).toEqual([0, 1, 2].map((x) => ({ color: color(0, 1), x, width: 1 })))
})

it('has the colour of what takes most of a column, whatever comes first', () => {
  const found = drawn((strip) => {
    strip.add(0, 0.2, 1, 0, false)
    strip.add(0.2, 0.9, 1, 2, false)
    strip.add(0.9, 1.4, 0.5, 0, false)
  })
  expect(found).toEqual([
    { color: color(2, 0.95), x: 0, width: 1 },
    { color: color(0, 0.2), x: 1, width: 1 },
  ])
})

it('shows what a search found and what takes no time', () => {
  const found = drawn((strip) => {
    strip.add(0, 1, 1, 0, true)
    strip.add(0.4, 0.5, 1, 1, false)
    strip.add(2, 2, 1, 1, true)
  })
  expect(found).toEqual([
    { color: color(1, 0.1), x: 0, width: 1 },
    { color: color(1, 0) + palette.dimmed, x: 2, width: 1 },
  ])
})

it('counts all that lies in the column where a wide event begins or ends', () => {
  const found = drawn((strip) => {
    strip.add(3, 4.5, 1, 0, false)
    strip.wide(4.5, 20.25, 2, 0, false)
    strip.add(20.25, 20.75, 1, 1, false)
  })
  expect(found).toEqual([
    { color: color(0, 1), x: 3, width: 1 },
    { color: color(0, 1), x: 4, width: 1 },
    { color: 2, x: 5, width: 15.25 },
    { color: color(1, 0.75), x: 20, width: 1 },
  ])
})

it('tells wide events that touch apart by a seam of a whole column, and shows what is empty between others', () => {
  const found = drawn((strip) => {
    strip.wide(0, 10, 0, 1, false)
    strip.wide(10, 20.5, 1, 1, false)
    strip.wide(20.4, 30.3, 2, 1, true) // times are rounded outwards
    strip.wide(30.8, 40.6, 3, 1, false)
    strip.wide(41.2, 43.9, 0, 2, false)
    strip.wide(43.9, 46, 1, 2, false) // too narrow for a seam
  })
  const at = (variant: number): number => VARIANTS + variant
  expect(found.map(({ width, ...each }) => ({ ...each, width: Number(width.toFixed(6)) }))).toEqual([
    { color: at(0), x: 0, width: 10 },
    { color: at(SEAM), x: 10, width: 1 },
    { color: at(1), x: 11, width: 9.5 },
    { color: at(SEAM) + palette.dimmed, x: 20, width: 1 },
    { color: at(2) + palette.dimmed, x: 21, width: 9.3 },
    { color: color(1, 0.2), x: 30, width: 1 },
    { color: at(3), x: 31, width: 9.6 },
    { color: 2 * VARIANTS, x: 41.2, width: 2.7 },
    { color: 2 * VARIANTS + 1, x: 43, width: 3 },
  ])
})

it('fills what lies inside of one block, and ends at the edge of the picture', () => {
  const found = drawn((strip) => {
    strip.add(-10, 2.5, 0.25, 0, false)
    strip.add(2.75, 3, 1, 1, false)
    strip.add(490.5, 510, 0.5, 2, true)
  })
  expect(found.slice(0, 4)).toEqual([
    { color: color(0, 0.25), x: 0, width: 1 },
    { color: color(0, 0.25), x: 1, width: 1 },
    { color: color(1, 0.375), x: 2, width: 1 },
    { color: color(2, 0.25) + palette.dimmed, x: 490, width: 1 },
  ])
  expect(found.slice(4)).toEqual(
    Array.from({ length: 9 }, (_, i) => ({ color: color(2, 0.5) + palette.dimmed, x: 491 + i, width: 1 })),
  )
})

it('leaves no garbage: a frame has a hundred thousand blocks', () => {
  const row = new Uint32Array(2000)
  const rects = { add: () => undefined } as unknown as Rects
  const frame = (): void => {
    for (let lane = 0; lane < 50; lane++) {
      const strip = stripOf(row, rects, palette, 0.5, 10, NO_BANDS)
      for (let x = 0; x < 1999; x += 0.97) {
        strip.x0 = x
        strip.x1 = x + 0.5
        strip.share = 0.7
        strip.add(lane % 3, false)
      }
      strip.end()
    }
  }
  for (let i = 0; i < 50; i++) frame() // until it is compiled
  const left = Array.from({ length: 9 }, () => {
    const before = process.memoryUsage().heapUsed
    frame()
    return process.memoryUsage().heapUsed - before
  })
  expect(left.sort((a, b) => a - b)[4]).toBeLessThan(500_000) // where fractions are boxed: millions
})

it('draws what a filter keeps in the shade of its share, as without a filter, over an edge that is as strong as can be', () => {
  const rects = { add: () => undefined } as unknown as Rects
  const edges = new Uint32Array(20)
  const [kept, plain] = [edges, undefined].map((lower) => {
    const row = new Uint32Array(20)
    const strip = stripOf(row, rects, palette, 0, 10, NO_BANDS, lower)
    Object.assign(strip, { x0: 2, x1: 3, share: 0.036 })
    strip.add(0, false)
    Object.assign(strip, { x0: 5, x1: 12, share: 0.5 })
    strip.add(1, false)
    strip.end()
    return row
  })
  expect(kept).toEqual(plain)
  expect(kept?.[2]).toBe(color(0, 0.036) + 1)
  const full = (x: number): number => (x === 2 ? color(0, 1) + 1 : x >= 5 && x < 12 ? color(1, 1) + 1 : 0)
  expect([...edges]).toEqual(Array.from(edges, (_, x) => full(x)))
})

/** Of columns 0 to `width` the paints of each, from above. */
function cut(
  width: number,
  nBands: number,
  place: number,
  add: (strip: ReturnType<typeof stripOf>) => void,
): number[][] {
  const row = new Uint32Array(width)
  const bands = new Uint32Array(BANDS * width).fill(7)
  const strip = stripOf(row, { add: () => undefined } as unknown as Rects, palette, 0, 12, bands)
  Object.assign(strip, { nBands, place })
  add(strip)
  strip.end()
  const pixel = (column: number, band: number): number => {
    const own = strip.hasBands ? (bands[band * width + column] ?? 0) : 0
    return own === 0 ? (row[column] ?? 0) : own
  }
  return Array.from(row, (_, column) =>
    Array.from({ length: nBands }, (_, band) => Math.floor((pixel(column, band) - 1) / VARIANTS)),
  )
}

it('gives each paint of a column its part of the height, in one order, and of a block all of its own', () => {
  for (const turned of [false, true]) {
    const shown = cut(4, 6, 0, (strip) => {
      const add = (x0: number, x1: number, paint: number): void =>
        Object.assign(strip, { x0, x1, share: 1 }).add(paint, false)
      add(0, 0.5, turned ? 2 : 1)
      add(0.5, 1, turned ? 1 : 2)
      const own = { other: Uint8Array.of(9, 1, 3), part: Uint8Array.of(99, 85, 85), otherDim: new Uint8Array(3) }
      Object.assign(strip, { blocks: own, other: 1, otherEnd: 3 })
      add(1, 4, 2)
    })
    expect(shown[0]).toEqual([1, 1, 1, 2, 2, 2])
    for (const column of [1, 2, 3]) expect([...new Set(shown[column])]).toEqual([1, 2, 3])
  }
})

it.each([1, 3, 6, 17])(
  'is true of neighbours together, of a paint that has less than one of %i bands, too',
  (nBands) => {
    const parts = [128, 13, 5] // of 255; what is left is of the main one
    const all = (width: number, place: number): number[][] =>
      cut(width, nBands, place, (strip) => {
        const own = { other: Uint8Array.of(0, 2, 3), part: Uint8Array.from(parts), otherDim: new Uint8Array(3) }
        Object.assign(strip, { x0: 0, x1: width, share: 0.9, blocks: own, other: 0, otherEnd: 3 }).add(1, false)
      })
    const shown = all(400, 123_456)
    for (const [paint, share] of [128, 109, 13, 5].map((part, paint) => [paint, part / 255] as const)) {
      for (const [from, to, off] of [
        [0, 400, 0.006],
        [100, 150, 0.03],
        [37, 45, 0.15],
      ] as const) {
        const bands = shown.slice(from, to).flat()
        expect(Math.abs(bands.filter((each) => each === paint).length / bands.length - share)).toBeLessThan(off)
      }
    }
    expect(all(300, 123_456 + 100)).toEqual(shown.slice(100)) // panned by a hundred columns
  },
)
