import { expect, test } from 'vitest'

import { TRACKS, eventRef } from '../../../../test/timeline'
import type { AreaName, TimelineArea, TimelineTracks } from '../../../wire/wire'
import { joined } from './joined'
import type { Side } from './joined'

const KINDS = ['kernel', 'copy', 'operator']
const DEVICE = { ...TRACKS.tracks[0], id: 20, device: 3 } as TimelineTracks['tracks'][number]
const RECORDS: TimelineTracks = {
  ...TRACKS,
  tracks: [...TRACKS.tracks, DEVICE],
  kinds: KINDS.map((kind) => ({ kind, category: kind, count: 1 })),
}

type Row = Pick<AreaName, 'name' | 'kind' | 'self_ns'>

function area(rows: readonly Row[], group: TimelineArea['group_by'] = 'name', more = 0): TimelineArea {
  const about = { on_device: true, mean_ns: 1, share: 0, longest: eventRef(1) }
  return {
    t0_ns: 0,
    t1_ns: 1000,
    group_by: group,
    then_by: null,
    n_names: rows.length + more,
    count: rows.length,
    host_self_ns: 0,
    device_self_ns: rows.reduce((sum, row) => sum + (row.self_ns ?? 0), 0),
    devices: [],
    tracks: [],
    rows: rows.map((row) => ({ ...row, ...about, count: 2, time_ns: (row.self_ns ?? 0) + 5 })),
  }
}

function named(self_ns: number, name: string | null, kind: string | null = 'kernel'): Row {
  return { name, kind, self_ns }
}

function both(a: TimelineArea, b: TimelineArea, records: TimelineTracks = RECORDS): readonly Side[] {
  return [
    { tracks: RECORDS, area: a },
    { tracks: records, area: b },
  ]
}

const NAMES = ['a', 'b', 'c', 'd', '["x"]']

/** Each pair of a kind and a name, or not, with some time: the same for a seed. */
function randomRows(seed: number): readonly Row[] {
  let state = seed
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)
  return KINDS.flatMap((kind) =>
    NAMES.flatMap((name) => (next() / 2_147_483_648 < 0.5 ? [named(next() % 1_000_000, name, kind)] : [])),
  )
}

test('rows are those of a walk over both, and columns add up to the totals of the sides', () => {
  let n = 0
  for (let seed = 1; seed <= 200; seed++) {
    const [a, b] = [randomRows(2 * seed), randomRows(2 * seed + 1)]
    const { rows, lacks } = joined(both(area(a), area(b)), true, 0)
    const naive: string[] = []
    for (const kind of KINDS)
      for (const name of NAMES) {
        let [own, other]: (number | null | undefined)[] = []
        for (const row of a) if (row.name === name && row.kind === kind) own = row.self_ns
        for (const row of b) if (row.name === name && row.kind === kind) other = row.self_ns
        if (own !== undefined || other !== undefined)
          naive.push(JSON.stringify([kind, name, own ?? 0, other ?? 0, (other ?? 0) - (own ?? 0)]))
      }
    const found = rows.map(({ kind, name, figures, difference_ns }) =>
      JSON.stringify([kind, name, ...figures.map((each) => each?.self_ns), difference_ns]),
    )
    expect([...found].sort()).toEqual(naive.sort())
    expect(lacks.map((words) => words.size)).toEqual([0, 0])
    const [own, other] = [0, 1].map((nth) => rows.reduce((sum, row) => sum + (row.figures[nth]?.self_ns ?? 0), 0))
    expect([own, other]).toEqual([area(a).device_self_ns, area(b).device_self_ns])
    expect(rows.reduce((sum, row) => sum + (row.difference_ns ?? NaN), 0)).toBe((other ?? 0) - (own ?? 0))
    n += rows.length
  }
  expect(n).toBeGreaterThan(1000)
})

test('a kind that the other profile does not record is no 0 there', () => {
  const copies = area([named(10, 'gemm'), named(5, 'Memcpy', 'copy')])
  const noCopies = { ...RECORDS, kinds: RECORDS.kinds.filter(({ kind }) => kind !== 'copy') }
  const { rows, lacks } = joined(both(copies, area([named(7, 'gemm')]), noCopies), true, 0)
  expect(rows.map(({ name, figures, difference_ns }) => [name, figures[1]?.self_ns, difference_ns])).toEqual([
    ['gemm', 7, -3],
    ['Memcpy', undefined, null],
  ])
  expect(lacks.map((words) => [...words])).toEqual([[], ['copy']])
})

test.each([
  ['name', { ...RECORDS, tracks: TRACKS.tracks }, 'devices'],
  ['step', RECORDS, 'steps'],
  ['module', RECORDS, 'modules in this stretch'],
  ['class', RECORDS, 'modules in this stretch'],
] as const)('by %s nothing compares with a profile that knows none', (group, records, word) => {
  const kind = group === 'name' ? 'kernel' : null
  const other = group === 'name' ? area([]) : area([named(3, null, null)], group)
  const { rows, lacks } = joined(both(area([named(10, 'Net'), named(3, null, kind)], group), other, records), true, 0)
  expect(rows.map((row) => row.difference_ns)).toEqual([null, null])
  expect(rows[0]?.figures[1]).toBeNull()
  expect([...(lacks[1] ?? [])]).toEqual([word])
})

test('what a side does not list is not known', () => {
  const { rows } = joined(both(area([named(10, 'gemm')]), area([], 'name', 7)), true, 0)
  expect(rows[0]?.difference_ns).toBeNull()
})

test('steps that lie by each other are one row', () => {
  const stepped = {
    ...RECORDS,
    steps: [{ name: '', number: 5, start_ns: 0, end_ns: 9, timed_start_ns: 0, timed_end_ns: 9, complete: true }],
  }
  const sides = [
    { tracks: stepped, area: area([named(10, 'ProfilerStep#5', null), named(1, 'ProfilerStep#6', null)], 'step') },
    { tracks: stepped, area: area([named(14, 'ProfilerStep#7', null)], 'step') },
  ]
  expect(joined(sides, true, 2).rows.map((row) => [row.name, row.difference_ns])).toEqual([
    ['ProfilerStep#5 · ProfilerStep#7', 4],
    ['ProfilerStep#6', -1],
  ])
})
