import { expect, test } from 'vitest'

import { PLAIN, TRACKS } from '../../../../test/timeline'
import { changed } from '../../../state/hash'
import type { Changes, Place } from '../../../state/hash'
import { Picture } from './picture'
import { leadToTrack } from './track_link'

const MANY = {
  ...TRACKS,
  tracks: Array.from({ length: 400 }, (_, id) => ({
    ...TRACKS.tracks[0],
    ...{ id, group: id < 200 ? 0 : 1, name: `thread ${id}`, lanes: 1, marks: false },
    ...{ parts: [{ kind: 'operator', lanes: 1 }], device: null, stream: null, thread: null, n_events: 1 },
  })),
}

/** Where a link leads: the link that is left, what is arranged, and how far it is scrolled. */
function led(place: Place, arrangement: Partial<typeof PLAIN> = {}) {
  let now = place
  let top = 0
  const change = (changes: Changes): void => {
    now = changed(now, changes)
  }
  const picture = new Picture(MANY)
  picture.attach({ paint: () => undefined, scrollTo: (to) => (top = to) })
  picture.resized(600, undefined)
  picture.arrange({ ...PLAIN, ...arrangement })
  leadToTrack({ picture, link: { read: () => now, go: change, adjust: change } })
  return { place: now, picture, top }
}

test('a track far below is scrolled to, and the link leads nowhere any more', () => {
  const { place, picture, top } = led({ view: 'timeline', 'timeline.track': '333' })
  expect(place).toEqual({ view: 'timeline' })
  const track = picture.places.get(333)
  expect(track?.top).toBeGreaterThan(top)
  expect(track?.top).toBeLessThan(top + 600)
})

test('its group opens, and it is no longer hidden nor are all its rows off; what else is so stays', () => {
  const arrangement = {
    folded: new Set(['g0', 'g1', 't5']),
    hidden: new Set([7, 333]),
    off: new Set(['operator', 'sync']),
  }
  const { place, picture, top } = led({ 'timeline.track': '333' }, arrangement)
  expect(place).toEqual({ 'timeline.folded': 'g0,t5', 'timeline.hidden': '7', 'timeline.off': 'sync' })
  expect(picture.places.has(333)).toBe(true)
  expect(top).toBeGreaterThan(0)
})

test('one in sight does not move, and one that is not there leads nowhere', () => {
  expect(led({ 'timeline.track': '2' }).top).toBe(0)
  expect(led({ 'timeline.track': '999' })).toMatchObject({ place: {}, top: 0 })
})
