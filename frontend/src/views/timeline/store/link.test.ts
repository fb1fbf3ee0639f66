import { afterEach, expect, test } from 'vitest'

import { TRACKS } from '../../../../test/timeline'
import { at, go } from '../../../state/place'
import type { StepMark, TimelineTracks } from '../../../wire/wire'
import { alike } from './alike'
import { PAGE_LINK, linkBeside } from './link'

function tracks(...rows: readonly (readonly [id: number, name: string, device: number | null])[]): TimelineTracks {
  const [about] = TRACKS.tracks as [TimelineTracks['tracks'][number]]
  return { ...TRACKS, tracks: rows.map(([id, name, device]) => ({ ...about, id, name, device })) }
}

const UPPER = tracks([2, 'stream 7', 0], [4, 'stream 16', 0], [0, 'thread 25738 main', null], [1, 'thread 25772', null])
const LOWER = tracks(
  [8, 'stream 7', 1],
  [9, 'stream 20', 1],
  [3, 'thread 44 (pt_autograd_0)', null],
  [5, 'thread 12 (python) main', null],
)

afterEach(() =>
  go({ 'timeline.area': undefined, 'beside.area': undefined, 'timeline.mark': undefined, 'timeline.q': undefined }),
)

test('tracks are alike by device and number, then by their order; where none is, it is all', () => {
  expect([[2], [4], [0], [1], [2, 1]].map((ids) => alike(UPPER, ids, LOWER))).toEqual([[8], [9], [5], [3], [8, 3]])
  expect(alike(LOWER, [8, 3], UPPER)).toEqual([2, 1])
  // A number that both have is the same stream, whatever its order.
  expect(alike(tracks([1, 'stream 20', 0]), [1], tracks([5, 'stream 7', 0], [6, 'stream 20', 0]))).toEqual([6])
  expect(alike(UPPER, [2], tracks([7, 'thread 1', null]))).toEqual([7])
})

test('a second timeline has the area, the marks and the search of the first one, on its own axis', () => {
  const link = linkBeside(UPPER, LOWER, () => 1000)
  go({ 'timeline.area': '10,50:2,0', 'timeline.mark': '5,6:a%3B1,2;70,80', 'timeline.q': 'mm' })
  expect(link.read()).toMatchObject({
    'timeline.area': '1010,1050:8,5',
    'timeline.mark': '1005,1006:a%3B1,2;1070,1080',
    'timeline.q': 'mm',
  })
})

test('what is drawn in the second one is its area alone, or where there was none the first one has the same stretch', () => {
  const link = linkBeside(UPPER, LOWER, () => 1000)
  link.go({ 'timeline.area': '1010,1050:8' })
  expect([at('timeline.area'), at('beside.area')]).toEqual(['10,50:2', '1010,1050:8'])
  link.go({ 'timeline.area': '1020,1090:8,9' })
  expect([at('timeline.area'), link.read()['timeline.area']]).toEqual(['10,50:2', '1020,1090:8,9'])
  link.go({ 'timeline.area': undefined })
  expect([at('timeline.area'), at('beside.area')]).toEqual([undefined, undefined])
})

test('an area over the whole of a step is over the whole of the one beside it, longer or shorter, and from below alike', () => {
  const step = (start_ns: number, end_ns: number, done: number) =>
    ({ start_ns, end_ns, timed_start_ns: start_ns, timed_end_ns: done }) as StepMark
  const [upper, lower] = [step(10, 50, 60), step(1010, 1090, 1095)]
  const link = linkBeside(
    UPPER,
    LOWER,
    () => 1000,
    () => [upper, lower],
  )
  const below = (area: string) => {
    go({ 'timeline.area': `${area}:2` })
    return link.read()['timeline.area']
  }
  expect(below('10,60')).toBe('1010,1095:8') // with its device work
  expect(below('10,50')).toBe('1010,1090:8') // along its bar
  expect(below('8,62')).toBe('1008,1097:8')
  expect(below('12,62')).toBe('1012,1062:8') // a part of it
  go({ 'timeline.area': undefined })
  link.go({ 'timeline.area': '1010,1095:8' })
  expect(at('timeline.area')).toBe('10,60:2')
})

test('a mark made in the second one is a mark of both', () => {
  linkBeside(UPPER, LOWER, () => 1000).go({ 'timeline.mark': '1005,1006:a' })
  expect([PAGE_LINK.read()['timeline.mark'], at('beside.mark')]).toEqual(['5,6:a', undefined])
})

test('a colour that is off in one is off in both', () => {
  const link = linkBeside(UPPER, LOWER, () => 1000)
  link.go({ 'timeline.off': 'matmul' })
  expect([at('timeline.off'), at('beside.off'), link.read()['timeline.off']]).toEqual(['matmul', undefined, 'matmul'])
  go({ 'timeline.off': undefined })
  expect(link.read()['timeline.off']).toBe('')
})

test('a second timeline has keys of its own in the link', () => {
  const link = linkBeside(UPPER, LOWER, () => 1000)
  link.go({ 'timeline.row': '7' })
  expect([at('beside.row'), link.read()['timeline.row'], PAGE_LINK.read()['timeline.row']]).toEqual([
    '7',
    '7',
    undefined,
  ])
  link.go({ 'timeline.row': undefined })
  expect(at('beside.row')).toBeUndefined()
  go({ 'timeline.area': '10,50:2', 'beside.area': '1,1,1' })
  expect(link.read()['beside.area']).toBe('1,1,1')
  link.adjust({ 'beside.area': undefined })
  expect([at('timeline.area'), at('beside.area')]).toEqual(['10,50:2', undefined])
})
