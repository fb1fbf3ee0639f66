import { expect, test } from 'vitest'

import { ROW_HEIGHT, drawnTop, placeOf, scrollFor } from './rows'

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

test('a list that became shorter than where it was scrolled to draws its end, not nothing below zero', () => {
  const { first, end, after } = placeOf(28_000, 280, 3)
  expect(first).toBeLessThanOrEqual(3)
  expect([end, after]).toEqual([3, 0])
})

test('a row is scrolled into sight, and no further', () => {
  expect(scrollFor(5, 0, 280, 1000)).toBe(0)
  expect(scrollFor(20, 0, 280, 1000)).toBe(21 * ROW_HEIGHT - 280)
  expect(scrollFor(2, 280, 280, 1000)).toBe(2 * ROW_HEIGHT)
})

test('a scroll of a few rows draws nothing anew, and what is seen then was drawn', () => {
  const top = 1000 * ROW_HEIGHT + 100
  const drawn = drawnTop(top, 10_000)
  expect(drawnTop(drawn + 1, 10_000)).toBe(drawn)
  const { first, end } = placeOf(drawn, HEIGHT, 10_000)
  expect(first * ROW_HEIGHT).toBeLessThanOrEqual(top)
  expect(end * ROW_HEIGHT).toBeGreaterThanOrEqual(drawn + 4 * ROW_HEIGHT + HEIGHT)
  // Where a pixel is many rows, each pixel is another picture.
  expect(drawnTop(1001, 10_000_000)).toBe(1001)
})
