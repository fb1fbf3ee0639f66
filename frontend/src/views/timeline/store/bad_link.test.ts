import { expect, test, vi } from 'vitest'

import { TRACKS } from '../../../../test/timeline'
import type { Place } from '../../../state/hash'
import { badParts, tellBadLink } from './bad_link'
import type { TimelineStore } from './store'

const NONE = { 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined }

const window = (t0: string, t1?: string): Place => ({ 'timeline.t0_ns': t0, ...(t1 !== undefined && { 'timeline.t1_ns': t1 }) }) // prettier-ignore

test.each([
  [window('900', '100'), 'The link’s window, “900 to 100”, is no stretch of time.', NONE],
  [window('x', '100'), 'The link’s window, “x to 100”, is no stretch of time.', NONE],
  [window('5'), 'The link’s window, “a start at 5”, alone is no stretch of time.', NONE],
  [{ 'timeline.t1_ns': '5' }, 'The link’s window, “an end at 5”, alone is no stretch of time.', NONE],
  [window('2000000', '3000000'), 'The link’s window, “2000000 to 3000000”, lies outside of what was recorded.', NONE],
  [
    { 'timeline.area': '500,100:4' },
    'The link’s area, “500,100:4”, is no stretch of time on tracks of this profile.',
    { 'timeline.area': undefined },
  ],
  [
    { 'timeline.area': '100,500:999' },
    'The link’s area, “100,500:999”, is no stretch of time on tracks of this profile.',
    { 'timeline.area': undefined },
  ],
  [
    { 'timeline.area': '100,500:4,999,x' },
    'This profile has no track “999, x”: the link’s area leaves it out.',
    { 'timeline.area': '100,500:4' },
  ],
  [
    { 'timeline.mark': '12,100:slow;x;300,310' },
    'The link’s mark, “x”, is no stretch of time.',
    { 'timeline.mark': '12,100:slow;300,310' },
  ],
  [{ 'timeline.track': '12' }, 'This profile has no track “12”.', {}],
])('%o is told, and what is left of it', (place: Place, sentence: string, changes: object) => {
  expect(badParts(place, TRACKS)).toEqual([[sentence, changes]])
})

test('what a profile has, or reaches into it, is no news', () => {
  const mark = '12,100:slow: one; two'.replace('; ', '%3B ')
  const place = { 'timeline.area': '-5,500:4', 'timeline.mark': mark, 'timeline.track': '4', 'timeline.row': '1' }
  expect(badParts({ ...window('-100', '100'), ...place }, TRACKS)).toEqual([])
  expect(badParts({ ...window('2000000', '3000000'), 'beside.lower': '1' }, TRACKS)).toEqual([])
  expect(badParts({ 'timeline.area': '', 'timeline.mark': '' }, TRACKS)).toEqual([])
})

test('all of it is told in one notice, and the address is without it', () => {
  const adjust = vi.fn()
  const linkProblem = { value: undefined as string | undefined }
  const link = { read: () => ({ ...window('x', 'y'), 'timeline.track': '12' }), adjust }
  tellBadLink({ link, linkProblem, tracks: TRACKS } as unknown as TimelineStore)
  expect(linkProblem.value).toMatch(/is no stretch of time\. This profile has no track “12”\.$/)
  expect(adjust).toHaveBeenCalledExactlyOnceWith(NONE)
})
