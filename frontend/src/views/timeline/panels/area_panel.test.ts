import { expect, test } from 'vitest'

import { eventRef } from '../../../../test/timeline'
import { columnWidths } from '../../../widgets/table/grid/widths'
import type { TimelineArea } from '../../../wire/wire'
import { columnsOf, kindColumn } from './area_panel'
import { bothWords, oneWords } from './area_words'

const ROW = {
  name: 'mm',
  on_device: false,
  kind: 'operator',
  count: 1,
  time_ns: 1,
  mean_ns: 1,
  self_ns: 1,
  share: 1,
  longest: eventRef(1),
}
const AREA: TimelineArea = {
  ...{ t0_ns: 0, t1_ns: 1000, group_by: 'name', then_by: null, count: 123456, host_self_ns: 900, device_self_ns: 0 },
  ...{ devices: [], tracks: [{ id: 1, name: 'main', count: 5, self_ns: 900, idle_ns: 100 }] },
  ...{ n_names: 1142, rows: Array.from({ length: 1062 }, () => ROW) },
}

test('that rows are left out is said of the table alone', () => {
  expect(oneWords(AREA, true)).toBe('123,456 events, the first 1,062 of 1,142 rows listed · main idle 100 ns (10.0 %)')
  expect(oneWords(AREA, false)).toBe('123,456 events · main idle 100 ns (10.0 %)')
  expect(oneWords({ ...AREA, n_names: 1062 }, true)).not.toContain('listed')
})

test('of many threads it is said that not all are named', () => {
  const tracks = [1, 2, 3, 4, 5].map((id) => ({ id, name: `t${id}`, count: 5, self_ns: 900, idle_ns: 100 }))
  expect(oneWords({ ...AREA, tracks }, false)).toMatch(/t3 idle 100 ns \(10\.0 %\) · 2 threads more$/)
  expect(oneWords({ ...AREA, tracks: tracks.slice(0, 3) }, false)).toMatch(/t3 idle 100 ns \(10\.0 %\)$/)
})

test('of two areas threads are compared where there are any', () => {
  const none = { ...AREA, host_self_ns: 0 }
  expect(bothWords(none, none)).not.toContain('threads')
  expect(bothWords(none, AREA)).toContain('threads 0 ns → 900 ns (+900 ns)')
})

test('what is idle on one stream is not said of its device', () => {
  const device = { device: 0, busy_ns: 250, gaps_ns: 750, n_streams: 3, area_streams: ['stream 40'], area_busy_ns: 60 }
  const one = { ...AREA, devices: [device] }
  expect(oneWords(one, false)).toContain(
    ' · stream 40 busy 60 ns (6.00 %) · device 0 busy 250 ns (25.0 %), gaps 750 ns',
  )
  const two = { ...AREA, devices: [{ ...device, area_streams: ['stream 7', 'stream 40'], area_busy_ns: 250 }] }
  expect(oneWords(two, false)).toContain(' · 2 of 3 streams busy 250 ns (25.0 %) · device 0 busy 250 ns')
  expect(oneWords({ ...AREA, devices: [{ ...device, n_streams: 1 }] }, false)).not.toContain('stream')
  expect(bothWords(one, two)).toContain('stream 40 busy 60 ns → 250 ns (+190 ns) · device 0 busy 250 ns in both')
})

test('devices of another number are told by both', () => {
  const device = { device: 1, busy_ns: 250, gaps_ns: 750, n_streams: 1, area_streams: ['stream 7'], area_busy_ns: 250 }
  const [one, two] = [device, { ...device, device: 0, busy_ns: 240 }].map((each) => ({ ...AREA, devices: [each] }))
  expect(bothWords(one ?? AREA, two ?? AREA)).toContain('device 1 → 0 busy 250 ns → 240 ns (−10 ns)')
  expect(bothWords(one ?? AREA, AREA)).toContain('device 1 busy 250 ns → no device')
})

test('what two areas have the same of is said once', () => {
  expect(bothWords(AREA, AREA)).toContain('threads 900 ns in both')
})

test('what has no time of its own has a dash for it, which narrow columns have room for', () => {
  const dashed = columnsOf('name', true).filter(({ absent }) => absent === '–')
  expect(dashed.map(({ id }) => id)).toEqual(['self_ns', 'share'])
})

test('of two areas names have a third of 1,300 px: what shows no difference is there to be chosen', () => {
  const columns = columnsOf('name', false)
  const widths = columnWidths(
    columns.filter(({ hidden }) => hidden !== true),
    1310,
    {},
  )
  expect(widths[0]).toBeGreaterThan(1310 / 3)
  expect(columns.filter(({ hidden }) => hidden === true).map(({ id }) => id)).toEqual(['time_ns', 'beside_time_ns'])
})

test('what a report calls category and the page kind are two keys of what is exported, as they are two things', () => {
  const [own, ofReport] = [kindColumn(false), kindColumn(true)]
  const row = { name: 'conv', kind: 'conv' }
  expect([own.id, own.title, own.value(row)]).toEqual(['kind', 'Kind', 'conv'])
  expect([ofReport.id, ofReport.title]).toEqual(['category', 'Category'])
})

test('of what is not known well nothing is about none: it is less than a nanosecond, or is not said', () => {
  const device = { device: 0, busy_ns: 0, gaps_ns: 1000, n_streams: 1, area_streams: ['stream 7'], area_busy_ns: 0 }
  const of = (busy_ns: number) => {
    const devices = [{ ...device, busy_ns, gaps_ns: 1000 - Math.round(busy_ns) }]
    return { ...AREA, count: 2, host_self_ns: 0, devices, is_about: true }
  }
  expect(oneWords(of(0), false)).toBe('about 2 events · device 0 busy 0 ns (0 %), gaps about 1.00 µs (100 %)')
  expect(oneWords(of(0.3), false)).toContain('device 0 busy less than 1 ns (0.03 %), gaps about 1.00 µs (100 %)')
  expect(oneWords(of(1000), false)).toBe('about 2 events · device 0 busy about 1.00 µs (100 %)')
  expect(oneWords({ ...of(1000), is_about: false }, false)).toContain(', gaps 0 ns (0 %)')
  expect(bothWords(of(0), of(0))).toContain('device 0 busy 0 ns in both · gaps about 1.00 µs in both')
  expect(bothWords(of(0), of(1000))).toBe('device 0 busy 0 ns → about 1.00 µs (+1.00 µs) · about 2 → 2 events')
  const idle = [{ id: 1, name: 'main', count: 5, self_ns: 1000, idle_ns: 0 }]
  expect(oneWords({ ...AREA, count: 2, tracks: idle, is_about: true }, false)).toBe('about 2 events')
})

test('under filters nothing is a gap: what they leave out may run in it', () => {
  const device = { device: 0, busy_ns: 250, gaps_ns: null, n_streams: 1, area_streams: ['s'], area_busy_ns: 250 }
  const tracks = AREA.tracks.map((each) => ({ ...each, idle_ns: null }))
  expect(oneWords({ ...AREA, devices: [device] }, false)).toBe('123,456 events · device 0 busy 250 ns (25.0 %)')
  expect(oneWords({ ...AREA, tracks }, false)).toBe('123,456 events · main 900 ns (90.0 %)')
  expect(bothWords({ ...AREA, devices: [device] }, { ...AREA, devices: [device] })).not.toContain('gaps')
})
