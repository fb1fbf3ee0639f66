import { describe, expect, it } from 'vitest'

import { PLAIN } from '../../../test/timeline'
import { LANE_PX, laneAt, lanePx, laneTop, layOut, trackAt } from './lane_layout'
import type { Arrangement, LaneLayout, TrackPlace, TrackShape } from './lane_layout'

/** A thread with two rows of ranges, three of operators, one of calls and thirty frames; and a stream. */
const THREAD: TrackShape = {
  id: 4,
  group: 0,
  lanes: 36,
  parts: [
    { kind: 'annotation', lanes: 2 },
    { kind: 'operator', lanes: 3 },
    { kind: 'runtime', lanes: 1 },
    { kind: 'python', lanes: 30 },
  ],
  marks: true,
}
const STREAM: TrackShape = { id: 7, group: 1, lanes: 1, parts: [{ kind: 'work', lanes: 1 }], marks: false }

function laid(changes: Partial<Arrangement> = {}, covered = 0): LaneLayout {
  return layOut([THREAD, STREAM], { ...PLAIN, ...changes }, new Map([[4, covered]]))
}

function track(layout: LaneLayout, id = 4): TrackPlace {
  const found = layout.tracks.find((each) => each.id === id)
  if (found === undefined) throw new Error('it is not there')
  return found
}

/** Rows that are seen: no two share a pixel, and each is found again at its own height. */
function check(place: TrackPlace): void {
  let bottom = place.top
  for (let lane = 0; lane <= place.lanes; lane++) {
    const px = lanePx(place, lane)
    if (px === 0) continue
    expect(laneTop(place, lane)).toBeGreaterThanOrEqual(bottom - 1e-9)
    bottom = laneTop(place, lane) + px
    expect(laneAt(place, laneTop(place, lane) + px / 2)).toBe(lane)
  }
  expect(bottom).toBeLessThanOrEqual(place.top + place.height)
}

describe('the layout', () => {
  it('puts tracks that were moved where they were put, within their group, and groups among groups', () => {
    const other = { ...THREAD, id: 5 }
    const ids = (order: readonly string[]): readonly number[] =>
      layOut([THREAD, other, STREAM], { ...PLAIN, order }).tracks.map((each) => each.id)
    expect(ids([])).toEqual([4, 5, 7])
    expect(ids(['5', '4'])).toEqual([5, 4, 7])
    expect(ids(['7', '5'])).toEqual([5, 4, 7])
    expect(ids(['g1', 'g0'])).toEqual([7, 4, 5])
    expect(ids(['5', '4', 'g1', 'g0'])).toEqual([7, 5, 4])
  })

  it('gives a resized track lanes of the height wanted', () => {
    const place = track(laid({ heights: new Map([[4, 30]]), python: new Set([4]) }))
    check(place)
    expect(lanePx(place, 2)).toBe(30)
    expect(lanePx(track(laid({ heights: new Map([[4, 30]]) }), 7), 0)).toBe(LANE_PX)
  })

  it('stacks tracks without overlap and folds groups and tracks', () => {
    const open = laid({ python: new Set([4]) })
    const flat = laid({ folded: new Set(['t4']) })
    const folded = laid({ folded: new Set(['g0']) })
    expect(track(open, 7).top).toBeGreaterThanOrEqual(track(open).top + track(open).height)
    expect(flat.height).toBeLessThan(open.height / 4)
    expect(folded.tracks.map(({ id }) => id)).toEqual([7])
    expect(folded.groups.map((group) => group.isFolded)).toEqual([true, false])
    for (const layout of [open, flat]) check(track(layout))
  })

  it('folds Python frames into one row below the operators until they are opened', () => {
    const folded = track(laid())
    const python = folded.parts[3]
    expect(python?.isFolded).toBe(true)
    expect(laneTop(folded, 6) + 30 * lanePx(folded, 6)).toBeCloseTo(laneTop(folded, 6) + LANE_PX)
    expect(laneTop(folded, 6)).toBe(laneTop(folded, 5) + LANE_PX)
    const open = track(laid({ python: new Set([4]) }))
    expect(lanePx(open, 35)).toBe(LANE_PX)
    expect(open.height - folded.height).toBeCloseTo(29 * LANE_PX)
    check(folded)
  })

  it('draws the frames that cover all that is seen as one row, which can be opened', () => {
    const python = new Set([4])
    const inOne = track(laid({ python }, 12))
    expect([lanePx(inOne, 16), lanePx(inOne, 17), lanePx(inOne, 18)]).toEqual([0, LANE_PX, LANE_PX])
    expect(laneTop(inOne, 17)).toBe(inOne.parts[3]?.top)
    expect(track(laid({ python })).height - inOne.height).toBe(11 * LANE_PX)
    expect(track(laid({ python, stacks: python }, 12)).height).toBe(track(laid({ python })).height)
    expect(track(laid({ python }, 1)).height).toBe(track(laid({ python })).height) // one alone needs no fold
    check(inOne)
  })

  it('leaves out what is off, and tracks of which nothing is left', () => {
    const place = track(laid({ off: new Set(['annotation', 'python', 'marks']) }))
    expect(place.parts.map(({ kind }) => kind)).toEqual(['operator', 'runtime'])
    expect([lanePx(place, 0), lanePx(place, 2), lanePx(place, 36)]).toEqual([0, LANE_PX, 0])
    check(place)
    expect(laid({ off: new Set(['work']) }).tracks.map(({ id }) => id)).toEqual([4])
  })

  it('has a line for why a group is empty, unless it is folded', () => {
    const notes = (arrangement: Partial<Arrangement>): readonly number[] =>
      laid(arrangement).groups.map(({ notePx }) => notePx)
    expect(notes({})).toEqual([0, 0])
    expect(notes({ hidden: new Set([4]) })).toEqual([22, 0])
    expect(notes({ off: new Set(['work']) })).toEqual([0, 22])
    expect(notes({ pinned: [4], hidden: new Set([7]), folded: new Set(['g1']) })).toEqual([0, 0])
    const { groups, height } = laid({ hidden: new Set([4, 7]) })
    expect([groups[1]?.top, height]).toEqual([24 + 22, 2 * (24 + 22)])
  })

  it('keeps a line for its name where a track holds nothing but Python', () => {
    const only: TrackShape = { ...THREAD, lanes: 30, parts: [{ kind: 'python', lanes: 30 }], marks: false }
    const place = track(layOut([only], PLAIN))
    expect(place.parts[0]?.top).toBeGreaterThanOrEqual(place.top + LANE_PX)
    check(place)
  })

  it('puts pinned tracks first, in their order, over what is scrolled beneath; hidden ones nowhere', () => {
    const layout = laid({ pinned: [7, 99, 4] })
    expect(layout.tracks.map(({ id, isPinned }) => [id, isPinned])).toEqual([
      [7, true],
      [4, true],
    ])
    expect(layout.groups.map((group) => group.top)).toEqual([layout.pinnedPx, layout.pinnedPx + 24])
    const one = laid({ pinned: [7] })
    expect(trackAt(one, 5, 1000)?.id).toBe(7)
    expect(trackAt(one, one.pinnedPx + 30, 0)?.id).toBe(4)
    expect(trackAt(one, one.pinnedPx + 1, track(one).top - one.pinnedPx)?.id).toBe(4)
    expect(laid({ hidden: new Set([4]) }).tracks.map(({ id }) => id)).toEqual([7])
  })
})
