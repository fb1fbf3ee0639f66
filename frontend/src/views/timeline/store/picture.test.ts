import { expect, test } from 'vitest'

import { TRACKS, eventRef } from '../../../../test/timeline'
import { Picture } from './picture'

function shown(picture: Picture): readonly number[] {
  return picture.layout.value.tracks.map(({ id }) => id)
}

test('the profiler’s own marks are folded until somebody looks', () => {
  const picture = new Picture(TRACKS)
  expect(shown(picture)).toEqual([4, 5, 7])
  picture.fold(picture.toggled('g2'))
  expect(shown(picture)).toEqual([4, 5, 7, 9])
  picture.fold(undefined)
  expect(shown(picture)).toEqual([4, 5, 7])
})

test('a track in a folded group is opened to be seen, with itself; one that is there needs nothing', () => {
  const picture = new Picture(TRACKS)
  picture.fold(new Set(['g0', 't4', 't5']))
  expect(picture.withTrack(4)).toEqual(new Set(['t5']))
  expect(picture.withTrack(7)).toBeUndefined()
})

test('heights of the canvas are tracks, wherever it is scrolled', () => {
  const picture = new Picture(TRACKS)
  const [first, second] = picture.layout.value.tracks
  if (first === undefined || second === undefined) throw new Error('no tracks')
  expect(picture.trackAt(first.top)?.id).toBe(4)
  expect(picture.tracksBetween(second.top + 1, first.top + 1)).toEqual([4, 5])
  picture.scrolled(second.top)
  expect(picture.trackAt(0)?.id).toBe(5)
})

test('an event is scrolled into sight, and no further than needed', () => {
  const scrolls: number[] = []
  const picture = new Picture(TRACKS)
  const detach = picture.attach({ paint: () => undefined, scrollTo: (top) => scrolls.push(top) })
  picture.resized(600, undefined)
  picture.scrollIntoSight(eventRef(1, 7))
  expect(scrolls).toEqual([])
  // The details open below: what is selected stays in sight.
  picture.resized(40, eventRef(1, 7))
  expect(scrolls).toHaveLength(1)
  detach()
  picture.scrollIntoSight(eventRef(1, 7))
  expect(scrolls).toHaveLength(1)
})
