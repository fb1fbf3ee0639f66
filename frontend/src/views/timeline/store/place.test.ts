import { describe, expect, it } from 'vitest'

import { TRACKS } from '../../../../test/timeline'
import {
  areaChanges,
  arrangementChanges,
  marksChanges,
  readPlace,
  recorded,
  shownChanges,
  windowChanges,
} from './place'

describe('the link', () => {
  it('holds the window, the selection, the search and what is folded, off, open, pinned and hidden', () => {
    const arrangement = {
      folded: new Set(['g0', 't5']),
      off: new Set(['runtime']),
      python: new Set([4]),
      stacks: new Set([4]),
      pinned: [7, 2],
      order: ['g1', 'g0', '7', '5'],
      heights: new Map([[4, 30]]),
      hidden: new Set([3]),
    }
    const place = {
      ...windowChanges(12.4, 99.6),
      ...arrangementChanges(arrangement),
      ...marksChanges([
        { t0: 5, t1: 8, name: '' },
        { t0: 9.2, t1: 12, name: 'slow; 50 %, a:b' },
      ]),
      ...areaChanges({ t0: 1.2, t1: 9, tracks: [0, 4] }),
      'timeline.row': '17',
      'timeline.q': 'conv',
      'timeline.regex': '1',
    } as Record<string, string>
    const read = readPlace(place)
    expect(read.window).toEqual([12, 100])
    expect(read.arrangement).toEqual(arrangement)
    expect(read.marks).toEqual([
      { t0: 5, t1: 8, name: '' },
      { t0: 9, t1: 12, name: 'slow; 50 %, a:b' },
    ])
    expect(read.area).toEqual({ t0: 1, t1: 9, tracks: [0, 4] })
    expect([read.row, read.q, read.isRegex]).toEqual([17, 'conv', true])
  })

  it('escapes of the name of a mark only what would be read as its end, and reads more', () => {
    expect(marksChanges([{ t0: 1, t1: 2, name: 'at::f<4, 5>; 50 %' }])).toEqual({
      'timeline.mark': '1,2:at::f<4, 5>%3B 50 %25',
    })
    expect(readPlace({ 'timeline.mark': '1,2:aten%3A%3Amm' }).marks).toEqual([{ t0: 1, t1: 2, name: 'aten::mm' }])
  })

  it('survives nonsense', () => {
    const place = {
      'timeline.t0_ns': 'x',
      'timeline.t1_ns': '5',
      'timeline.row': '-3',
      'timeline.folded': 'z9,g1',
      'timeline.pinned': '3,x,3',
      'timeline.mark': '9;8,4:x;1,2:%',
      'timeline.area': '5,2:x',
    }
    const read = readPlace(place)
    expect([read.window, read.row, read.area]).toEqual([undefined, undefined, undefined])
    expect(read.marks).toEqual([{ t0: 1, t1: 2, name: '%' }])
    expect([...(read.arrangement.folded ?? [])]).toEqual(['g1'])
    expect(read.arrangement.pinned).toEqual([3])
  })

  it('tells "nothing folded" from "not said"', () => {
    expect(readPlace({}).arrangement.folded).toBeUndefined()
    const none = arrangementChanges({ folded: new Set() }) as Record<string, string>
    expect(none).toEqual({ 'timeline.folded': 'none' })
    expect(readPlace(none).arrangement.folded?.size).toBe(0)
  })
})

it('of an area as much is shown as was recorded', () => {
  expect(recorded({ t0: -5, t1: 1e14, tracks: [4, 77] }, TRACKS)).toEqual({ t0: 0, t1: 1_000_000, tracks: [4] })
  expect(recorded({ t0: 2e6, t1: 3e6, tracks: [4] }, TRACKS)).toBeUndefined()
  expect(recorded({ t0: 0, t1: 9, tracks: [77] }, TRACKS)).toBeUndefined()
})

it('takes back that tracks are hidden or have rows that are off, and of colours and other tracks nothing', () => {
  const [track] = TRACKS.tracks
  if (track === undefined) throw new Error('no track')
  const { arrangement } = readPlace({ 'timeline.hidden': '4,5', 'timeline.off': 'matmul,operator' })
  expect(shownChanges({ ...arrangement, folded: new Set() }, [track])).toEqual({
    'timeline.hidden': '5',
    'timeline.off': 'matmul',
  })
})

it('a track of an area is there once, and half an event is none', () => {
  const { area, row } = readPlace({ 'timeline.area': '0,100:4,4,7,4', 'timeline.row': '1.5' })
  expect([area?.tracks, row]).toEqual([[4, 7], undefined])
})
