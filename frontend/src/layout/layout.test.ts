import { expect, test } from 'vitest'

import { ticks } from './ticks'

test('axes have round numbers', () => {
  expect(ticks(196, 4)).toEqual([0, 50, 100, 150])
  expect(ticks(1, 4)).toEqual([0, 0.5, 1])
  expect(ticks(0, 4)).toEqual([0])
})
