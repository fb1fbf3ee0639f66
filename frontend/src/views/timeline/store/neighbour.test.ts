import { expect, test } from 'vitest'

import { reply } from '../../../../test/window_reply'
import { decodeBlocks } from '../../../draw/blocks/blocks'
import { neighbour } from './neighbour'

// Times of the reply count from 1000; track 4 has the lanes 0 and 1.
const BLOCKS = decodeBlocks(
  reply([
    [
      { start: 0, end: 100, row: 10 },
      { start: 200, end: 300, row: 11 },
    ],
    [{ start: 50, end: 60, row: 12 }],
    [{ start: 70, end: 80, row: 13 }],
  ]),
)

function place(start: number, lane = 0, track = 4) {
  return { track, lane, start_ns: 1000 + start, duration_ns: 1 }
}

test('the next and the previous block are those of the same lane', () => {
  expect(neighbour(BLOCKS, place(0), 1)).toEqual({ row: 11, start_ns: 1200, duration_ns: 100 })
  expect(neighbour(BLOCKS, place(200), -1)).toEqual({ row: 10, start_ns: 1000, duration_ns: 100 })
})

test('there is none beyond the ends, and none on a track that is not there', () => {
  expect(neighbour(BLOCKS, place(200), 1)).toBeUndefined()
  expect(neighbour(BLOCKS, place(0), -1)).toBeUndefined()
  expect(neighbour(BLOCKS, place(50, 1), 1)).toBeUndefined()
  expect(neighbour(BLOCKS, place(0, 0, 99), 1)).toBeUndefined()
})
