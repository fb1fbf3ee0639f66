import { describe, expect, it } from 'vitest'

import { areaChanges, foldedChanges, markChanges, readPlace, windowChanges } from './place'

describe('the link', () => {
  it('holds the window, the selection, the search and what is folded', () => {
    const place = {
      ...windowChanges(12.4, 99.6),
      ...foldedChanges(new Set(['t5', 'g0'])),
      ...markChanges([5, 8]),
      ...areaChanges({ t0: 1.2, t1: 9, tracks: [0, 4] }),
      'timeline.row': '17',
      'timeline.q': 'conv',
      'timeline.regex': '1',
    } as Record<string, string>
    const read = readPlace(place)
    expect(read.window).toEqual([12, 100])
    expect([...(read.folded ?? [])]).toEqual(['g0', 't5'])
    expect(read.mark).toEqual([5, 8])
    expect(read.area).toEqual({ t0: 1, t1: 9, tracks: [0, 4] })
    expect([read.row, read.q, read.isRegex]).toEqual([17, 'conv', true])
  })

  it('survives nonsense', () => {
    const place = {
      'timeline.t0_ns': 'x',
      'timeline.t1_ns': '5',
      'timeline.row': '-3',
      'timeline.folded': 'z9,g1',
      'timeline.mark': '9',
      'timeline.area': '5,2:x',
    }
    const read = readPlace(place)
    expect([read.window, read.row, read.mark, read.area]).toEqual([undefined, undefined, undefined, undefined])
    expect([...(read.folded ?? [])]).toEqual(['g1'])
  })

  it('tells "nothing folded" from "not said"', () => {
    expect(readPlace({}).folded).toBeUndefined()
    expect(readPlace(foldedChanges(new Set()) as Record<string, string>).folded?.size).toBe(0)
  })
})
