import { expect, test } from 'vitest'

import { PAINTS, TWO_TRACKS, picture } from '../../../../test/picture'
import type { Blocks } from '../../../draw/blocks/blocks'
import { searchInside } from './inside'
import { insideShare, insideWords } from './inside_words'
import { detailsOf, pictured } from './pictured'
import type { Drawn } from './pictured'

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
  expect(event).toEqual({
    row: 82,
    name: 'mm',
    track: 9,
    lane: 1,
    kind: 'operator',
    start_ns: 1100,
    unit_ns: 2,
    duration_ns: 40,
  })
  expect(event && detailsOf(event, TWO_TRACKS)).toMatchObject({ name: 'mm', track_name: 'thread 1', kind: '' })
  expect(ALL.events.find(({ row }) => row === 80)?.start_ns).toBe(1090)
})

test('of a long event its edges tell its length where they are more exact', () => {
  const [near, far, cut] = [1, 64, 1].map((unit) => picture(unit, [[0, 64, 326_016, 70, 1]])) as [
    Blocks,
    Blocks,
    Blocks,
  ]
  near.end[0] = 64 + 326_000
  cut.end[0] = 64 + 100_000 // beyond it no picture has an end
  expect([near, far, cut].map((each) => pictured([each], PAINTS)[0]?.duration_ns)).toEqual([326_000, 326_016, 326_016])
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

test('a search is of all events that are drawn as bars, as an area is: marks are in no picture', () => {
  const FULL = drawn([picture(2, [[0, 100, 10, 70, 1]])])
  expect(insideWords(searchInside(FULL, { q: 'mm' }), 'searched')).toBe('All 1 event searched.')
})

test('a search begins at the hit in sight, or at the selected one', () => {
  const seen = searchInside(ALL, { q: 'mm', limit: 2, t0_ns: 1250, t1_ns: 1400 })
  expect([seen.n_in_window, seen.first, seen.offset, seen.place]).toEqual([2, 3, 2, null])
  const selected = searchInside(ALL, { q: 'mm', limit: 2, row: 83, t0_ns: 1000, t1_ns: 2000 })
  expect([selected.place, selected.offset, selected.hits.map(({ row }) => row)]).toEqual([4, 4, [83]])
})

test('what is merged with its neighbours is said to be missing', () => {
  expect(insideWords({ n_inside: 4, n_all: 8 }, 'searched')).toMatch(/^4 of 8 events searched: .*tb-plugin serve$/)
  expect(insideWords({ n_inside: 3, n_all: 3 }, 'summed up')).toBe('All 3 events summed up.')
  expect([insideShare({ n_inside: 4, n_all: 8 }), insideShare({ n_inside: 3, n_all: 3 })]).toEqual([
    ' in 50.0 % of events',
    '',
  ])
})
