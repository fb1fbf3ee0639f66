import { expect, test } from 'vitest'

import { ticks } from './ticks'
import { rowsInSight, scrollToRow } from './window'

test('only the rows in sight are drawn, with some around them', () => {
  expect(rowsInSight(2800, 280, 28, 100_000)).toEqual({ first: 92, end: 118 })
  expect(rowsInSight(0, 280, 28, 5)).toEqual({ first: 0, end: 5 })
})

test('a list that became shorter than where it was scrolled to draws its end, not nothing below zero', () => {
  const { first, end } = rowsInSight(28_000, 280, 28, 3)
  expect(first).toBeLessThanOrEqual(3)
  expect(end).toBeGreaterThanOrEqual(first)
})

test('a row is scrolled into sight, and no further', () => {
  expect(scrollToRow(5, 0, 280, 28)).toBe(0)
  expect(scrollToRow(20, 0, 280, 28)).toBe(21 * 28 - 280)
  expect(scrollToRow(2, 280, 280, 28)).toBe(56)
})

test('axes have round numbers', () => {
  expect(ticks(196, 4)).toEqual([0, 50, 100, 150])
  expect(ticks(1, 4)).toEqual([0, 0.5, 1])
  expect(ticks(0, 4)).toEqual([0])
})
