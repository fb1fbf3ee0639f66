import { expect, test } from 'vitest'

import { rowsApart } from './paint_overlay'

test('names of marks that would lie on each other are written one below the other', () => {
  const box = (left: number, width: number) => ({ left, width })
  expect(rowsApart([box(0, 50), box(50, 50), box(40, 20), box(10, 100), box(200, 10)])).toEqual([0, 0, 1, 2, 0])
  expect(rowsApart([])).toEqual([])
})
