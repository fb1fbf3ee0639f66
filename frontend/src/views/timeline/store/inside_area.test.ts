/** Sums of an area from the pictures that a report has. */
import { expect, test } from 'vitest'

import { PAINTS, TWO_TRACKS, picture } from '../../../../test/picture'
import type { Blocks } from '../../../draw/blocks/blocks'
import { bothWords, oneWords } from '../panels/area_words'
import { MERGED, areaInside } from './inside_area'
import { ownTimes } from './own_times'
import type { Drawn } from './pictured'

const [STREAM, THREAD] = TWO_TRACKS.tracks as [(typeof TWO_TRACKS.tracks)[0], (typeof TWO_TRACKS.tracks)[0]]

/** The stream has a lane of names above its work. */
function drawn(blocks: readonly Blocks[], names = 0, streams = [STREAM]): Drawn {
  const parts = [
    { kind: 'annotation', lanes: names },
    { kind: 'work', lanes: 1 },
  ]
  const tracks = [...streams.map((stream) => ({ ...stream, parts })), { ...THREAD, parts: [] }]
  return { tracks: { ...TWO_TRACKS, paints: [...PAINTS, 'annotation', 'sync'], tracks }, pictures: blocks, events: [] }
}

const FINE = picture(2, [
  [0, 100, 10, 70, 1],
  [0, 200, 30, 71, 1, 4, 51], // four that cover a fifth of 30 ns
  [1, 90, 100, 80, 2],
  [1, 300, 20, 81, 2],
  [2, 100, 40, 82, 3],
  [2, 310, 4, 83, 3],
])
const COARSE = picture(64, [
  [0, 64, 10, 70, 1, 5],
  [1, 64, 100, 80, 2],
])

test('each instant is of what began last and is open; what is merged covers a part of its stretch', () => {
  const of = (...all: readonly (readonly [number, number, number?])[]) =>
    ownTimes(all.map(([from, to, part = 1]) => ({ from, to, part })))
  expect(of([0, 20], [5, 10], [12, 30])).toEqual([7, 5, 18]) // the third one outlives the first
  expect(of([0, 20], [5, 15, 0.2])).toEqual([18, 2])
  expect(of([0, 20], [5, 15, 0.5], [5, 15, 0.2])).toEqual([15, 3, 2])
  expect(of([3, 3], [3, 5], [8, 9])).toEqual([0, 2, 1])
  expect(of([0, 8, 0], [2, 4])).toEqual([0, 2])
})

test('an area has own times and whole ones, an instant of a name once, and what is merged as a row', () => {
  const area = areaInside(drawn([COARSE, FINE]), { t0_ns: 1100, t1_ns: 1305, tracks: '4,9', group_by: 'name' })
  const rows = area.rows.map(({ name, kind, count, time_ns, self_ns }) => [name, kind, count, time_ns, self_ns])
  expect(rows).toEqual([
    ['gemm (a)', 'gemm', 1, 10, 10],
    [MERGED, null, 4, 6, 6],
    ['aten::mm', 'operator', 2, 95, 55],
    ['mm', 'operator', 1, 40, 40],
  ])
  expect(area.rows.map(({ on_device, share }) => [on_device, share])).toEqual([
    [true, 10 / 16],
    [true, 6 / 16],
    [false, 55 / 95],
    [false, 40 / 95],
  ])
  expect(area.rows[2]).toMatchObject({ mean_ns: 47.5, longest: { row: 80, start_ns: 1090, duration_ns: 100 } })
  expect([area.count, area.n_inside, area.n_all]).toEqual([8, 4, 8])
  expect(oneWords(area, false)).toBe('about 8 events · device 0 busy about 16 ns (7.80 %), gaps about 189 ns (92.2 %)')
  expect(area.devices).toEqual([
    { device: 0, busy_ns: 16, gaps_ns: 189, n_streams: 1, area_streams: ['stream 7'], area_busy_ns: 16 },
  ])
  expect(area.tracks.map(({ name, self_ns, idle_ns }) => [name, self_ns, idle_ns])).toEqual([
    ['stream 7', 16, 189],
    ['thread 1', 95, 110],
  ])
})

test('a thread alone, by category, has no device and all of its events', () => {
  const area = areaInside(drawn([COARSE, FINE]), { t0_ns: 1100, t1_ns: 1305, tracks: '9', group_by: 'category' })
  const rows = area.rows.map(({ name, kind, time_ns, self_ns }) => [name, kind, time_ns, self_ns])
  expect(rows).toEqual([['operator', null, 95, 95]])
  expect([area.n_inside, area.n_all, area.devices]).toEqual([3, 3, []])
})

test('names above a stream and its waits have no time of their own, and keep no device busy', () => {
  const named = picture(2, [
    [0, 0, 500, 60, 3, 1, 255, 2],
    [1, 100, 50, 70, 1, 1, 255, 0],
    [1, 200, 90, 71, 2, 1, 255, 3],
  ])
  const blocks = { ...named, trackLane: new Map([[4, 0], [9, 2]]) } // prettier-ignore
  const area = areaInside(drawn([blocks], 1), { t0_ns: 1000, t1_ns: 1500, tracks: '4', group_by: 'name' })
  expect(area.rows.map(({ name, time_ns, self_ns, share }) => [name, time_ns, self_ns, share])).toEqual([
    ['mm', 500, null, null],
    ['gemm (a)', 50, 50, 1],
    ['aten::mm', 90, null, null],
  ])
  expect(area.devices[0]).toMatchObject({ busy_ns: 50, gaps_ns: 450 })
})

test('events that follow each other keep their lengths, though their beginnings are rounded down', () => {
  const coarse = picture(64, [
    [0, 64, 60, 70, 1],
    [0, 64, 60, 71, 1],
  ])
  const area = areaInside(drawn([coarse]), { t0_ns: 1000, t1_ns: 2000, tracks: '4', group_by: 'name' })
  expect(area.rows[0]).toMatchObject({ count: 2, self_ns: 120 })
})

test('times of what is merged are whole nanoseconds, and no thread is idle for less than none', () => {
  for (let fill = 1; fill < 255; fill++) {
    const blocks = [0, 10, 20, 30].map((start, nth) => [2, start, 7, 81 + nth, 3, 3, fill] as const)
    const merged = picture(1, [[1, 0, 100, 80, 2], ...blocks])
    const area = areaInside(drawn([merged]), { t0_ns: 1000, t1_ns: 1100, tracks: '9', group_by: 'name' })
    expect(area.tracks.map(({ self_ns, idle_ns }) => [self_ns, idle_ns])).toEqual([[100, 0]])
    const times = area.rows.flatMap(({ self_ns, time_ns }) => [self_ns, time_ns])
    expect(times.map((ns) => Number.isInteger(ns))).toEqual([true, true, true, true])
  }
})

test('a device is busy with the streams beside the area too', () => {
  const both = picture(2, [
    [0, 100, 50, 70, 1],
    [1, 120, 80, 71, 1, 1, 255, 0],
  ])
  const blocks = { ...both, trackLane: new Map([[4, 0], [5, 1], [9, 2]]) } // prettier-ignore
  const streams = [STREAM, { ...STREAM, id: 5, name: 'stream 8' }]
  const area = areaInside(drawn([blocks], 0, streams), { t0_ns: 1000, t1_ns: 1400, tracks: '4', group_by: 'name' })
  expect(area.devices[0]).toMatchObject({ busy_ns: 100, gaps_ns: 300, n_streams: 2, area_busy_ns: 50 })
  expect(area.devices[0]?.area_streams).toEqual(['stream 7'])
  expect(oneWords(area, false)).toBe(
    '1 event · stream 7 busy 50 ns (12.5 %) · device 0 busy 100 ns (25.0 %), gaps 300 ns (75.0 %)',
  )
  const rough = { ...blocks, count: Int32Array.of(1, 2) }
  const about = areaInside(drawn([rough], 0, streams), { t0_ns: 1000, t1_ns: 1400, tracks: '4', group_by: 'name' })
  expect(oneWords(about, false)).toMatch('device 0 busy about 100 ns')
  expect(bothWords(area, about)).toMatch(/^stream 7 busy about 50 ns in both .* about 1 → 1 event/)
})

test('a device that is busy for less than a nanosecond is not idle', () => {
  const merged = picture(1, [[0, 100, 1, 70, 1, 2, 60]])
  const area = areaInside(drawn([merged]), { t0_ns: 1000, t1_ns: 1200, tracks: '4', group_by: 'name' })
  expect(oneWords(area, false)).toBe(
    'about 2 events · device 0 busy less than 1 ns (0.12 %), gaps about 200 ns (100 %)',
  )
})
