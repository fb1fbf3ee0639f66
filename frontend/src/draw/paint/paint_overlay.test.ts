import { expect, test } from 'vitest'

import { markWords, rowsApart } from './paint_overlay'

test('names of marks that would lie on each other are written one below the other', () => {
  const box = (left: number, width: number) => ({ left, width })
  expect(rowsApart([box(0, 50), box(50, 50), box(40, 20), box(10, 100), box(200, 10)])).toEqual([0, 0, 1, 2, 0])
  expect(rowsApart([])).toEqual([])
})

test('a mark says its name, its note and its length', () => {
  expect(markWords({ t0: 0, t1: 2000, name: 'slow\nsince the upgrade' })).toBe('slow  since the upgrade  2.00 µs')
  expect(markWords({ t0: 0, t1: 2000, name: '' })).toBe('2.00 µs')
})
