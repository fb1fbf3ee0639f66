import { expect, it } from 'vitest'

import { VARIANTS, makePalette, mergedVariant } from './palette'
import type { Rects } from './rects'
import { stripOf } from './strip'
import type { Strip } from './strip'

const palette = makePalette(['a', 'b', 'c'], () => '#336699')

interface Drawn {
  readonly color: number
  readonly x: number
  readonly width: number
}

function drawn(limit: number, add: (strip: Strip) => void): readonly Drawn[] {
  const found: Drawn[] = []
  const rects = { add: (color: number, x: number, _y: number, width: number) => found.push({ color, x, width }) }
  const strip = stripOf(rects as unknown as Rects, palette, 0, 10)
  add(strip)
  strip.end(limit)
  return found
}

function color(paint: number, share: number): number {
  return paint * VARIANTS + mergedVariant(share)
}

it('draws what repeats the same everywhere, by how much of it is at work', () => {
  for (const period of [0.37, 0.9, 1.31]) {
    const found = drawn(500, (strip) => {
      for (let x = 0; x < 500; x += period) strip.add(x, x + 0.6 * period, 1, 1, false)
    })
    expect(new Set(found.map((rect) => Math.floor(rect.color / VARIANTS)))).toEqual(new Set([1]))
    expect(found.reduce((sum, rect) => sum + rect.width, 0)).toBeCloseTo(500, -1)
    // Any thirty columns are as full as all: nothing beats that is not in the data.
    const fullness = Array.from({ length: 500 }, () => 0)
    for (const rect of found)
      for (let x = rect.x; x < rect.x + rect.width; x++) fullness[x] = (VARIANTS - (rect.color % VARIANTS)) / 8
    for (let x = 30; x < 460; x++) {
      const mean = fullness.slice(x, x + 30).reduce((a, b) => a + b) / 30
      expect(Math.abs(mean - 0.6)).toBeLessThan(0.08) // shares are drawn in eighths
    }
  }
})

it('draws no column twice where rounded times overlap', () => {
  const found = drawn(3, (strip) => {
    strip.add(0, 1.01, 1, 0, false)
    strip.add(0.95, 2.04, 1, 0, false)
    strip.add(1.98, 3, 1, 0, false)
  })
  expect(found).toEqual([0, 1, 2].map((x) => ({ color: color(0, 1), x, width: 1 })))
})

it('has the colour of what takes most of a column, whatever comes first', () => {
  const found = drawn(9, (strip) => {
    strip.add(0, 0.2, 1, 0, false)
    strip.add(0.2, 0.9, 1, 2, false)
    strip.add(0.9, 1.4, 0.5, 0, false)
  })
  expect(found).toEqual([
    { color: color(2, 0.95), x: 0, width: 1 },
    { color: color(0, 0.2), x: 1, width: 1 },
  ])
})

it('shows what a search found and what takes no time, and stops at a wide block', () => {
  const found = drawn(4.5, (strip) => {
    strip.add(0, 1, 1, 0, true)
    strip.add(0.4, 0.5, 1, 1, false)
    strip.add(2, 2, 1, 1, true)
    strip.add(3, 4, 1, 0, false)
    strip.add(4, 5, 1, 0, false)
  })
  expect(found).toEqual([
    { color: color(1, 0.1), x: 0, width: 1 },
    { color: color(1, 0) + palette.dimmed, x: 2, width: 1 },
    { color: color(0, 1), x: 3, width: 1 },
    { color: color(0, 1), x: 4, width: 0.5 },
  ])
})
