import { expect, test } from 'vitest'

import { TRACKS } from '../../../../test/timeline'
import { reply } from '../../../../test/window_reply'
import { decodeBlocks } from '../../../draw/blocks/blocks'
import { Viewport } from '../../../draw/time/viewport'
import type { TrackRow } from '../../../wire/wire'
import { coveringFrames } from './covering'

const ONLY_PYTHON = { ...(TRACKS.tracks[0] as TrackRow), parts: [{ kind: 'python', lanes: 2 }] }
// main covers 1000 to 2000 ns, train 1100 to 1900
const BLOCKS = decodeBlocks(reply([[{ start: 0, end: 1000, row: 1 }], [{ start: 100, end: 900, row: 2 }], []]))

function seen(t0: number, t1: number): Viewport {
  const view = new Viewport(1000, 2000)
  view.show(t0, t1)
  return view
}

test('frames that reach from edge to edge of what is seen cover it, from the outermost on', () => {
  expect(coveringFrames(ONLY_PYTHON, BLOCKS, seen(1000, 2000))).toBe(1)
  expect(coveringFrames(ONLY_PYTHON, BLOCKS, seen(1200, 1800))).toBe(2)
  expect(coveringFrames(ONLY_PYTHON, BLOCKS, seen(1850, 1950))).toBe(1)
  const call = decodeBlocks(reply([[{ start: 0, end: 500, row: 1 }], [{ start: 0, end: 1000, row: 2 }], []]))
  expect(coveringFrames(ONLY_PYTHON, call, seen(1000, 2000))).toBe(0)
})

test('several events merged into a block cover nothing, and a track without Python has no frames', () => {
  const merged = decodeBlocks(reply([[{ start: 0, end: 1000, row: 1, count: 5 }], [], []]))
  expect(coveringFrames(ONLY_PYTHON, merged, seen(1000, 2000))).toBe(0)
  expect(coveringFrames(TRACKS.tracks[0] as TrackRow, BLOCKS, seen(1000, 2000))).toBe(0)
  const below = {
    ...ONLY_PYTHON,
    parts: [
      { kind: 'operator', lanes: 1 },
      { kind: 'python', lanes: 1 },
    ],
  }
  expect(coveringFrames(below, BLOCKS, seen(1200, 1800))).toBe(1)
})
