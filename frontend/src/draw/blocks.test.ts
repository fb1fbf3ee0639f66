import { describe, expect, it } from 'vitest'

import { decodeBlocks, firstEndingAfter, markDim } from './blocks'
import type { Blocks } from './blocks'
import { hitTest } from './hit'
import { layOut } from './lane_layout'
import { Viewport } from './viewport'

interface Row {
  readonly start: number
  readonly end: number
  readonly row: number
  readonly count?: number
}

/** A reply as the server writes it: one array of rows per lane. Track 4 has two lanes, track 7 one. */
function reply(lanes: readonly (readonly Row[])[], unit = 1): ArrayBuffer {
  const rows = lanes.flat()
  const delta = (values: readonly number[]): Int32Array =>
    Int32Array.from(values, (v, i) => (v - (values[i - 1] ?? 0)) | 0)
  const columns = {
    start: delta(rows.map((r) => r.start)),
    width: Uint32Array.from(rows, (r) => r.end - r.start),
    longest_ns: Float32Array.from(rows, (r) => (r.end - r.start) * unit),
    row: delta(rows.map((r) => r.row)),
    name_id: Int32Array.from(rows, (r) => r.row % 3),
    count: Int32Array.from(rows, (r) => r.count ?? 1),
    paint: new Uint8Array(rows.length),
    fill: new Uint8Array(rows.length),
  }
  const parts: Uint8Array[] = []
  const places: Record<string, unknown> = {}
  let offset = 0
  for (const [name, column] of Object.entries(columns)) {
    const dtype = column.constructor.name.replace('Array', '').toLowerCase()
    places[name] = { dtype, offset, length: column.length }
    const padded = new Uint8Array(Math.ceil(column.byteLength / 8) * 8)
    padded.set(new Uint8Array(column.buffer))
    parts.push(padded)
    offset += padded.length
  }
  const header = {
    t0_ns: 1000,
    t1_ns: 2000,
    unit_ns: unit,
    bucket_ns: 2,
    lane_track: [4, 4, 7],
    lane_blocks: lanes.map((lane) => lane.length),
    names: { 1: 'aten::mm' },
    columns: places,
  }
  let text = JSON.stringify(header)
  text += ' '.repeat((8 - ((text.length + 4) % 8)) % 8)
  const head = new TextEncoder().encode(text)
  const buffer = new ArrayBuffer(4 + head.length + offset)
  new DataView(buffer).setUint32(0, head.length, true)
  let at = 4
  for (const part of [head, ...parts]) {
    new Uint8Array(buffer, at, part.length).set(part)
    at += part.length
  }
  return buffer
}

const LANES = [
  [
    { start: -500, end: 300, row: 10 },
    { start: 300, end: 301, row: 11, count: 5 },
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

  it('dims what a search leaves out', () => {
    const blocks = decoded()
    markDim(blocks, new Set([1]))
    expect([...blocks.dim]).toEqual([0, 1, 1, 1, 1])
    markDim(blocks, undefined)
    expect([...blocks.dim]).toEqual([0, 0, 0, 0, 0])
  })
})

describe('the pointer', () => {
  const tracks = [
    { id: 4, group: 0, lanes: 2, marks: false },
    { id: 7, group: 0, lanes: 1, marks: false },
  ]
  const layout = layOut(tracks, new Set())
  const view = new Viewport(1000, 2000)
  view.width = 1000
  view.show(1000, 2000)
  const rowAt = (x: number, y: number): number | undefined => {
    const hit = hitTest(decoded(), layout, view, x, y)
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

describe('the layout', () => {
  const tracks = [
    { id: 4, group: 0, lanes: 40, marks: true },
    { id: 7, group: 1, lanes: 1, marks: false },
  ]

  it('stacks tracks without overlap and folds groups and tracks', () => {
    const open = layOut(tracks, new Set())
    const flat = layOut(tracks, new Set(['t4']))
    const folded = layOut(tracks, new Set(['g0']))
    expect(open.tracks[1]?.top).toBeGreaterThanOrEqual((open.tracks[0]?.top ?? 0) + (open.tracks[0]?.height ?? 0))
    expect(flat.height).toBeLessThan(open.height / 4)
    expect(folded.tracks.map((track) => track.id)).toEqual([7])
    expect(folded.groups.map((group) => group.isFolded)).toEqual([true, false])
  })
})
