import { expect, test } from 'vitest'

import { ROW_HEIGHT } from '../../layout/window'
import { pagesOf, placeOf, scrollFor } from './windows'

const HEIGHT = 560 // twenty rows

test('a short list scrolls by pixels', () => {
  const place = placeOf(100 * ROW_HEIGHT, HEIGHT, 1000)
  expect(place).toMatchObject({ first: 92, end: 128, before: 92 * ROW_HEIGHT })
  expect(place.before + (place.end - place.first) * ROW_HEIGHT + place.after).toBe(1000 * ROW_HEIGHT)
})

test('ten million rows have both ends, and never more pixels than browsers have', () => {
  const count = 10_000_000
  expect(placeOf(0, HEIGHT, count)).toMatchObject({ first: 0, before: 0 })
  const bottom = 8_000_000 - HEIGHT
  const last = placeOf(bottom, HEIGHT, count)
  expect(last).toMatchObject({ end: count, after: 0 })
  for (const top of [0, 1234, 4_000_000, bottom]) {
    const { first, end, before, after } = placeOf(top, HEIGHT, count)
    expect(before + (end - first) * ROW_HEIGHT + after).toBeCloseTo(8_000_000, 3)
    expect(end - first).toBeLessThan(50)
    // What is seen is covered by rows.
    expect(before).toBeLessThanOrEqual(top)
    expect(before + (end - first) * ROW_HEIGHT).toBeGreaterThanOrEqual(top + HEIGHT)
  }
})

test.each([10_000, 10_000_000])('the keyboard reaches any of %i rows', (count) => {
  for (const row of [0, 1, 17, 4321, count - 1]) {
    const top = scrollFor(row, 0, HEIGHT, count)
    const { first, end } = placeOf(top, HEIGHT, count)
    expect(first).toBeLessThanOrEqual(row)
    expect(end).toBeGreaterThan(row)
    expect(scrollFor(row, top, HEIGHT, count)).toBeCloseTo(top, 3)
  }
})

test('pages in sight', () => {
  expect(pagesOf(0, 40)).toEqual([0])
  expect(pagesOf(190, 210)).toEqual([0, 1])
  expect(pagesOf(400, 400)).toEqual([])
})
