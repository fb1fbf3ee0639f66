import { expect, test } from 'vitest'

import { TRACKS } from '../../../../test/timeline'
import type { Blocks } from '../../../draw/blocks/blocks'
import { areaInside, searchInside } from './inside'
import type { Drawn } from './inside'
import { insideShare, insideWords } from './inside_words'
import { detailsOf, pictured } from './pictured'

const TWO_TRACKS = { ...TRACKS, start_ns: 1000, end_ns: 2000, n_events: 9, tracks: [{ ...TRACKS.tracks[0], id: 4, name: 'stream 7', device: 0 }, { ...TRACKS.tracks[0], id: 9, name: 'thread 1' }] } as typeof TRACKS // prettier-ignore
const PAINTS = ['gemm', 'operator']

/** Track 4 has one lane, track 9 two. Block after block, in ns from 1000. */
function picture(
  unitNs: number,
  blocks: readonly (readonly [
    lane: number,
    start: number,
    length: number,
    row: number,
    name: number,
    count?: number,
  ])[],
): Blocks {
  const of = (nth: 1 | 2 | 3 | 4) => blocks.map((block) => block[nth])
  const before = (lane: number) => blocks.filter((block) => block[0] < lane).length
  return {
    ...{ t0: 1000, t1: 2000, unitNs, bucketNs: unitNs, trackLane: new Map([[4, 0], [9, 1]]) }, // prettier-ignore
    ...{
      laneFirst: Int32Array.of(0, before(1), before(2), blocks.length),
      names: { 1: 'gemm (a)', 2: 'aten::mm', 3: 'mm' },
    },
    start: Int32Array.from(of(1), (ns) => ns / unitNs),
    end: Int32Array.from(blocks, ([, start, length]) => Math.ceil((start + length) / unitNs)),
    longestNs: Float32Array.from(of(2)),
    row: Int32Array.from(of(3)),
    nameId: Int32Array.from(of(4)),
    count: Int32Array.from(blocks, ([, , , , , count = 1]) => count),
    paint: Uint8Array.from(blocks, ([lane]) => Math.min(lane, 1)),
  } as unknown as Blocks
}

const FINE = picture(2, [
  [0, 100, 10, 70, 1],
  [0, 200, 30, 71, 1, 4], // four, the longest of which is 30 ns
  [1, 90, 100, 80, 2],
  [1, 300, 20, 81, 2],
  [2, 100, 40, 82, 3],
  [2, 310, 4, 83, 3],
])
const COARSE = picture(64, [
  [0, 64, 10, 70, 1, 5],
  [1, 64, 100, 80, 2],
])

function drawn(pictures: readonly Blocks[]): Drawn {
  return { tracks: TWO_TRACKS, pictures, events: pictured(pictures, PAINTS) }
}

const ALL = drawn([COARSE, FINE])

test('an event has the name, time and place that the finest picture shows', () => {
  const event = ALL.events.find(({ row }) => row === 82)
  expect(event).toEqual({ row: 82, name: 'mm', track: 9, lane: 1, kind: 'operator', start_ns: 1100, duration_ns: 40 })
  expect(event && detailsOf(event, TWO_TRACKS)).toMatchObject({ name: 'mm', track_name: 'thread 1', kind: '' })
  expect(ALL.events.find(({ row }) => row === 80)?.start_ns).toBe(1090)
})

test('of a merged block nothing says when its longest event begins', () => {
  expect(ALL.events.map(({ row }) => row)).toEqual([80, 70, 82, 81, 83])
})

test('a search finds names as a server does, in order of time, and says of how many events it is', () => {
  const found = searchInside(ALL, { q: 'MM', limit: 2 })
  expect([found.total, found.total_ns, found.n_inside, found.n_all]).toEqual([5, 10 + 100 + 20, 5, 9])
  expect([found.offset, found.hits.map(({ row }) => row)]).toEqual([0, [80, 70]])
  expect(found.density.reduce((sum, n) => sum + n)).toBe(5)
  expect(searchInside(ALL, { q: 'm (' }).hits.map(({ row }) => row)).toEqual([70])
  expect(searchInside(ALL, { q: '^mm$', regex: true }).total).toBe(2)
  expect(() => searchInside(ALL, { q: '(', regex: true })).toThrow('regular expression')
})

test('a search begins at the hit in sight, or at the selected one', () => {
  const seen = searchInside(ALL, { q: 'mm', limit: 2, t0_ns: 1250, t1_ns: 1400 })
  expect([seen.n_in_window, seen.first, seen.offset, seen.place]).toEqual([2, 3, 2, null])
  const selected = searchInside(ALL, { q: 'mm', limit: 2, row: 83, t0_ns: 1000, t1_ns: 2000 })
  expect([selected.place, selected.offset, selected.hits.map(({ row }) => row)]).toEqual([4, 4, [83]])
})

test('an area sums up what lies in it, an instant of a name once, without self times', () => {
  const area = areaInside(ALL, { t0_ns: 1100, t1_ns: 1305, tracks: '4,9', group_by: 'name' })
  expect(area.rows.map(({ name, kind, count, time_ns, on_device }) => [name, kind, count, time_ns, on_device])).toEqual(
    [
      ['aten::mm', 'operator', 2, 95, false],
      ['gemm (a)', 'gemm', 1, 10, true],
      ['mm', 'operator', 1, 40, false],
    ],
  )
  expect(area.rows[0]).toMatchObject({ self_ns: null, share: null, mean_ns: 47.5, longest: { row: 80 } })
  expect([area.count, area.n_inside, area.n_all]).toEqual([4, 4, 8])
  const onThread = areaInside(ALL, { t0_ns: 1100, t1_ns: 1305, tracks: '9', group_by: 'category' })
  expect(onThread.rows.map(({ name, kind, time_ns }) => [name, kind, time_ns])).toEqual([['operator', null, 95]])
  expect([onThread.n_inside, onThread.n_all]).toEqual([3, 3])
})

test('what is merged with its neighbours is said to be missing', () => {
  expect(insideWords({ n_inside: 4, n_all: 8 }, 'searched')).toMatch(/^4 of 8 events searched: .*tb-plugin serve$/)
  expect(insideWords({ n_inside: 3, n_all: 3 }, 'summed up')).toBe('All 3 events summed up.')
  expect([insideShare({ n_inside: 4, n_all: 8 }), insideShare({ n_inside: 3, n_all: 3 })]).toEqual([
    ' in 50.0 % of the events',
    '',
  ])
})
