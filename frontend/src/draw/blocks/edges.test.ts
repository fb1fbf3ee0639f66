import { expect, test } from 'vitest'

import { reply } from '../../../test/window_reply'
import { decodeBlocks } from './blocks'
import { nearestEdge } from './edges'

// From 1000 ns on: 1000 to 1100 and 1300 to 1400 in the first lane, nothing in the second.
const BLOCKS = decodeBlocks(
  reply([
    [
      { start: 0, end: 100, row: 1 },
      { start: 300, end: 400, row: 2 },
    ],
    [],
  ]),
)

test.each([
  [1004, 1000],
  [1092, 1100],
  [1108, 1100],
  [1295, 1300],
  [1405, 1400],
  [1200, undefined],
  [990, 1000],
])('near %i the edge is at %s', (t, edge) => {
  expect(nearestEdge(BLOCKS, 0, t, 10)?.t).toBe(edge)
})

test('an empty lane has no edges', () => {
  expect(nearestEdge(BLOCKS, 1, 1000, 1e6)).toBeUndefined()
})

test('the edge is that of the block that is pointed at, and of one side where that is asked', () => {
  const touching = decodeBlocks(
    reply([
      [
        { start: 0, end: 104, row: 1 },
        { start: 100, end: 200, row: 2 },
      ],
    ]),
  )
  expect(nearestEdge(touching, 0, 1106, 10)).toEqual({ t: 1100, isEnd: false })
  expect(nearestEdge(touching, 0, 1106, 10, [true])).toEqual({ t: 1104, isEnd: true })
})
