import { expect, test } from 'vitest'

import { PLAIN, TRACKS, eventRef } from '../../../../test/timeline'
import type { Arrangement } from '../../../draw/blocks/lane_layout'
import { Picture } from './picture'

function shown(picture: Picture): readonly number[] {
  return picture.layout.value.tracks.map(({ id }) => id)
}

test('the profiler’s own marks are folded until somebody looks', () => {
  const picture = new Picture(TRACKS)
  expect(shown(picture)).toEqual([4, 5, 7])
  picture.arrange(PLAIN)
  expect(shown(picture)).toEqual([4, 5, 7, 9])
  picture.arrange({ ...PLAIN, folded: undefined })
  expect(shown(picture)).toEqual([4, 5, 7])
})

test('what hides an event is undone to see it, and nothing else', () => {
  const picture = new Picture(TRACKS)
  const arrange = (changes: Partial<Arrangement>): void => picture.arrange({ ...PLAIN, ...changes })
  arrange({ folded: new Set(['g0', 't4', 't5']) })
  expect(picture.revealing(eventRef(1, 4))).toEqual({ folded: new Set(['t5']) })
  expect(picture.revealing(eventRef(1, 7))).toBeUndefined()
  arrange({ folded: new Set(['g0']), pinned: [4] }) // a pinned track is in sight, whatever its group is
  expect(picture.revealing(eventRef(1, 4))).toBeUndefined()
  arrange({ hidden: new Set([4, 5]), off: new Set(['operator', 'python']) })
  expect(picture.revealing(eventRef(1, 4))).toEqual({ hidden: new Set([5]), off: new Set(['python']) })
})

test('a frame below the operators is opened to be seen, with those that cover the window where it is one of them', () => {
  const tracks = TRACKS.tracks.map((track) => ({
    ...track,
    lanes: 8,
    parts: [
      { kind: 'operator', lanes: 2 },
      { kind: 'python', lanes: 6 },
    ],
  }))
  const picture = new Picture({ ...TRACKS, tracks })
  picture.cover(new Map([[4, 3]]))
  expect(picture.revealing({ track: 4, lane: 1 })).toBeUndefined()
  expect(picture.revealing({ track: 4, lane: 5 })).toEqual({ python: new Set([4]) })
  expect(picture.revealing({ track: 4, lane: 2 })).toEqual({ python: new Set([4]), stacks: new Set([4]) })
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

test('a pinned track stays where it is while the others scroll beneath it', () => {
  const picture = new Picture(TRACKS)
  picture.arrange({ ...PLAIN, pinned: [7] })
  picture.scrolled(60)
  const { pinnedPx } = picture.layout.value
  expect(picture.trackAt(1)?.id).toBe(7)
  expect(picture.tracksBetween(0, pinnedPx - 1)).toEqual([7])
  expect(picture.tracksBetween(pinnedPx + 1, 400)).not.toContain(7)
})

test('pinned tracks stay as far as they leave a third of the height to what scrolls, and again when there is more', () => {
  const picture = new Picture(TRACKS)
  picture.arrange({ ...PLAIN, pinned: [7, 4] })
  const both = picture.layout.value.pinnedPx
  const staying = (): readonly number[] =>
    picture.layout.value.tracks.filter(({ isPinned }) => isPinned).map(({ id }) => id)
  expect(staying()).toEqual([7, 4])
  picture.resized(1.5 * both - 2, undefined)
  expect(staying()).toEqual([7])
  expect(picture.layout.value.tracks.slice(0, 2).map(({ id, top }) => [id, top])).toEqual([
    [7, 0],
    [4, picture.layout.value.pinnedPx],
  ])
  expect(picture.moved('4', -1)).toEqual({ pinned: [4, 7] })
  picture.resized(1.5 * both + 2, undefined)
  expect(staying()).toEqual([7, 4])
})

test('tracks have names where they are seen, and a good step above and below', () => {
  const picture = new Picture(TRACKS)
  picture.resized(500, undefined)
  for (let top = 0; top < 9000; top += 170) {
    picture.scrolled(top)
    const { from, to } = picture.named.value
    expect(from).toBeLessThanOrEqual(top - 700)
    expect(to).toBeGreaterThanOrEqual(top + 500 + 700)
    expect(to - from).toBeLessThan(500 + 4 * 900)
  }
})

test('two events are scrolled into sight together where they fit, and a pinned one always is', () => {
  const scrolls: number[] = []
  const picture = new Picture(TRACKS)
  picture.attach({ paint: () => undefined, scrollTo: (top) => scrolls.push(top) })
  const [first, , third] = picture.layout.value.tracks
  picture.resized((third?.top ?? 0) + (third?.height ?? 0), undefined)
  picture.scrolled(30)
  expect(picture.scrollBothIntoSight(eventRef(1, 4), eventRef(2, 7))).toBe(true)
  expect(scrolls).toHaveLength(1)
  expect(scrolls[0]).toBeLessThanOrEqual(first?.top ?? 0)
  picture.resized(100, undefined)
  expect(picture.scrollBothIntoSight(eventRef(1, 4), eventRef(2, 7))).toBe(false)
  picture.arrange({ ...PLAIN, pinned: [7] })
  expect(picture.scrollBothIntoSight(eventRef(1, 4), eventRef(2, 7))).toBe(true)
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

test('a track moves past the next one in sight: of its group, or of those that are pinned', () => {
  const picture = new Picture({ ...TRACKS, tracks: TRACKS.tracks.map((track) => ({ ...track, group: 0 })) })
  const moved = (key: string, by: 1 | -1, changes: Partial<Arrangement>): Partial<Arrangement> => {
    picture.arrange({ ...PLAIN, ...changes })
    return picture.moved(key, by)
  }
  expect(moved('4', 1, {})).toEqual({ order: ['5', '4', '7', '9'] })
  expect(moved('4', 1, { hidden: new Set([5]) })).toEqual({ order: ['7', '5', '4', '9'] })
  expect(moved('4', 1, { pinned: [5] })).toEqual({ order: ['7', '5', '4', '9'] })
  expect(moved('4', -1, { order: ['g1'] })).toEqual({ order: ['g1', '4', '5', '7', '9'] })
  expect(moved('9', -1, { pinned: [4, 7, 9] })).toEqual({ pinned: [4, 9, 7] })
  expect(moved('4', 1, { pinned: [4, 123, 9] })).toEqual({ pinned: [9, 123, 4] }) // no such track here
  expect(moved('9', 1, { pinned: [4, 7, 9] })).toEqual({ pinned: [4, 7, 9] })
})

test('what is dragged goes where it is let go: among its own, past half of what it passes, hidden ones stay where they are', () => {
  const picture = new Picture({ ...TRACKS, tracks: TRACKS.tracks.map((track) => ({ ...track, group: 0 })) })
  const drop = (key: string, y: number, changes: Partial<Arrangement> = {}): Partial<Arrangement> | undefined => {
    picture.arrange({ ...PLAIN, ...changes })
    const found = picture.dropAt(key, y)
    return found && picture.dropped(key, found)
  }
  const middle = (id: number): number => {
    picture.arrange(PLAIN)
    const place = picture.layout.value.tracks.find((track) => track.id === id)
    return (place?.top ?? 0) + (place?.height ?? 0) / 2
  }
  expect(drop('4', middle(7) - 2)).toEqual({ order: ['5', '4', '7', '9'] })
  expect(drop('4', middle(7) + 2)).toEqual({ order: ['5', '7', '4', '9'] })
  expect(drop('4', 10_000)).toEqual({ order: ['5', '7', '9', '4'] })
  expect(drop('9', -100)).toEqual({ order: ['9', '4', '5', '7'] })
  expect(drop('5', middle(5))).toBeUndefined()
  expect(drop('5', middle(5) + 5)).toBeUndefined()
  expect(drop('4', 10_000, { hidden: new Set([5]) })).toEqual({ order: ['5', '7', '9', '4'] })
  expect(drop('4', 10_000, { order: ['g1'] })).toEqual({ order: ['g1', '5', '7', '9', '4'] })
  expect(drop('9', 0, { pinned: [4, 7, 9] })).toEqual({ pinned: [9, 4, 7] })
  picture.arrange(PLAIN)
  const last = picture.layout.value.tracks.at(-1)
  expect(picture.dropAt('4', 10_000)?.line).toBe((last?.top ?? 0) + (last?.height ?? 0))
})

test('a group is dragged past groups with all their tracks', () => {
  const picture = new Picture(TRACKS)
  picture.arrange(PLAIN)
  const [, , third] = picture.layout.value.groups
  const found = picture.dropAt('g0', (third?.top ?? 0) - 1)
  expect(found).toEqual({ line: third?.top, other: 'g2', isAfter: false })
  expect(found && picture.dropped('g0', found)).toEqual({ order: ['g1', 'g0', 'g2'] })
})
