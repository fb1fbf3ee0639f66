import { expect, test } from 'vitest'

import { nearest } from './plot'

test('the point that is told is the one next to the pointer, of two that are as near the first', () => {
  const times = [0, 10, 11, 40]
  expect([-5, 0, 4, 6, 11, 25.5, 26, 99].map((time) => nearest(times, time))).toEqual([0, 0, 0, 1, 2, 2, 3, 3])
})

test('of one point it is that, of none there is none', () => {
  expect(nearest([7], 3)).toBe(0)
  expect(nearest([], 3)).toBeUndefined()
})
