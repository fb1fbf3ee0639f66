import { signal } from '@preact/signals'
import { expect, test } from 'vitest'

import { reply } from '../../../../test/window_reply'
import { decodeBlocks } from '../../../draw/blocks/blocks'
import type { LaneLayout, TrackPlace } from '../../../draw/blocks/lane_layout'
import { Viewport } from '../../../draw/time/viewport'
import { snappedAt } from './snapping'

// 1 px is 10 ns, the picture begins at 1000 ns; two lanes of 18 px from a height of 100 on.
const BLOCKS = decodeBlocks(reply([[{ start: 0, end: 400, row: 1 }], [{ start: 200, end: 700, row: 2 }]]))
const [TRACK] = [...BLOCKS.trackLane.keys()]
const PLACE = {
  id: TRACK,
  top: 100,
  height: 40,
  lanes: 2,
  marks: false,
  marksTop: 136,
  isPinned: false,
  parts: [{ kind: 'operator', first: 0, lanes: 2, top: 100, lanePx: 18, covered: 0 }],
} as unknown as TrackPlace
const LAYOUT: LaneLayout = { height: 300, pinnedPx: 0, groups: [], tracks: [PLACE] }

function at(t: number, y: number, scrollTop = 0) {
  const view = new Viewport(1000, 2000)
  view.place(1000, 2000)
  view.width = 100
  const loader = { blocksFor: () => BLOCKS, exact: () => Promise.resolve(0) }
  return snappedAt({ layout: signal(LAYOUT), scrollTop }, loader, view, view.x(t), y)
}

test.each([
  [1380, 109, 1400, 0], // in the lane that is pointed at
  [1220, 127, 1200, 1],
  [1220, 109, 1200, 1], // which has no edge there: that of the next one
  [1380, 127, 1400, 0],
  [1390, 70, 1400, 0], // above the track, not far
])('at %i ns and a height of %i the edge is %i of lane %i', (t, y, edge, lane) => {
  expect(at(t, y)).toMatchObject({ t: edge, lane: { track: TRACK, lane } })
})

test('what has no edge near is where the pointer is', () => {
  expect(at(1300, 109)).toEqual({ t: 1300 })
  expect(at(1400, 20)).toEqual({ t: 1400 })
})

test('heights are those of the screen', () => {
  expect(at(1400, 20, 80)).toMatchObject({ t: 1400, lane: { lane: 0 } })
})
