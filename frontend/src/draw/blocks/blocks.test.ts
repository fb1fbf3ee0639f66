import { describe, expect, it } from 'vitest'

import { reply } from '../../../test/window_reply'
import { decodeBlocks, firstEndingAfter, markDim } from './blocks'
import type { Blocks } from './blocks'
import { hitTest } from './hit'
import { PLAIN } from '../../../test/timeline'
import { layOut } from './lane_layout'
import { Viewport } from '../time/viewport'

const LANES = [
  [
    { start: -500, end: 300, row: 10 },
    { start: 300, end: 301, row: 11, count: 5, others: [3, 7] },
    { start: 600, end: 900, row: 17 },
  ],
  [{ start: 0, end: 20, row: 12 }],
  [{ start: 100, end: 2_147_483_646, row: 3 }],
]

function decoded(): Blocks {
  return decodeBlocks(reply(LANES))
}

describe('a reply', () => {
  it('gives back starts, ends and rows from differences', () => {
    const blocks = decoded()
    expect([...blocks.start]).toEqual([-500, 300, 600, 0, 100])
    expect([...blocks.end]).toEqual([300, 301, 900, 20, 2_147_483_646])
    expect([...blocks.row]).toEqual([10, 11, 17, 12, 3])
    expect([...blocks.laneFirst]).toEqual([0, 3, 4, 5])
    expect([...blocks.trackLane]).toEqual([
      [4, 0],
      [7, 2],
    ])
  })

  it('finds where a lane begins to be in sight', () => {
    const blocks = decoded()
    expect(firstEndingAfter(blocks, 0, -10_000)).toBe(0)
    expect(firstEndingAfter(blocks, 0, 301)).toBe(1)
    expect(firstEndingAfter(blocks, 0, 302)).toBe(2)
    expect(firstEndingAfter(blocks, 0, 901)).toBe(3)
    expect(firstEndingAfter(blocks, 1, 901)).toBe(4)
  })

  it('dims what has a colour that is off', () => {
    const blocks = decoded()
    const dimmed = (out: readonly number[]): readonly number[] => {
      markDim(blocks, new Set(out))
      return [...blocks.dim]
    }
    const [paint] = blocks.paint as unknown as [number]
    expect(dimmed([paint])).toEqual([...blocks.paint].map((each) => (each === paint ? 1 : 0)))
    expect([...blocks.otherFirst]).toEqual([0, 0, 2, 2, 2, 2])
    expect([...blocks.otherDim]).toEqual([0, 0])
    expect(dimmed([7])).toEqual([0, 0, 0, 0, 0])
    expect([...blocks.otherDim]).toEqual([0, 1])
    expect(dimmed([])).toEqual([0, 0, 0, 0, 0])
  })
})

describe('the pointer', () => {
  const tracks = [
    { id: 4, group: 0, lanes: 2, parts: [{ kind: 'operator', lanes: 2 }], marks: false },
    { id: 7, group: 0, lanes: 1, parts: [{ kind: 'work', lanes: 1 }], marks: false },
  ]
  const layout = layOut(tracks, PLAIN)
  const view = new Viewport(1000, 2000)
  view.width = 1000
  view.show(1000, 2000)
  const rowAt = (x: number, y: number): number | undefined => {
    const hit = hitTest(decoded, layout, view, x, y, 0)
    return hit?.blocks.row[hit.block]
  }

  it('finds the event of the lane it is over', () => {
    const top = (layout.tracks[0]?.top ?? 0) + 4
    expect(rowAt(view.x(1200), top)).toBe(10)
    expect(rowAt(view.x(1010), top + 18)).toBe(12)
    expect(rowAt(view.x(1500), top)).toBeUndefined()
    expect(rowAt(view.x(1700), (layout.tracks[1]?.top ?? 0) + 4)).toBe(3)
    expect(rowAt(view.x(1200), 2)).toBeUndefined() // the group's own line
  })

  it('reaches what is narrower than a pixel', () => {
    const top = (layout.tracks[0]?.top ?? 0) + 4
    expect(rowAt(view.x(1302), top)).toBe(11)
  })
})
