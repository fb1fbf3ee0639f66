import { expect, test, vi } from 'vitest'

import { TRACKS } from '../../../../test/timeline'
import type { Place } from '../../../state/hash'
import { badBelow, badParts, badValues, tellBadLink } from './bad_link'
import { NOT_BESIDE } from './link'
import type { TimelineStore } from './store'

const NONE = { 'timeline.t0_ns': undefined, 'timeline.t1_ns': undefined }

const window = (t0: string, t1?: string): Place => ({ 'timeline.t0_ns': t0, ...(t1 !== undefined && { 'timeline.t1_ns': t1 }) }) // prettier-ignore

test.each([
  [window('900', '100'), 'The link’s window, “900 to 100”, is no stretch of time.', NONE],
  [window('x', '100'), 'The link’s window, “x to 100”, is no stretch of time.', NONE],
  [window('5'), 'The link’s window, “5 to ?”, is no stretch of time.', NONE],
  [{ 'timeline.t1_ns': '5' }, 'The link’s window, “? to 5”, is no stretch of time.', NONE],
  [window('2000000', '3000000'), 'The link’s window, “2000000 to 3000000”, lies outside of what was recorded.', NONE],
  [
    { 'timeline.area': '500,100:4' },
    'The link’s area, “500,100:4”, is no stretch of time on tracks of this profile.',
    { 'timeline.area': undefined },
  ],
  [
    { 'timeline.area': '100,500:999' },
    'This profile has no track “999” of the link’s area.',
    { 'timeline.area': undefined },
  ],
  [
    { 'timeline.area': '100,500:4,999,x' },
    'This profile has no track “999, x” of the link’s area.',
    { 'timeline.area': '100,500:4' },
  ],
  [
    { 'timeline.mark': '12,100:slow;x;300,310' },
    'The link’s mark, “x”, is no stretch of time.',
    { 'timeline.mark': '12,100:slow;300,310' },
  ],
  [{ 'timeline.track': '12' }, 'This profile has no track “12”.', {}],
  [{ 'timeline.row': 'abc' }, 'This profile has no event “abc”.', { 'timeline.row': undefined }],
  [{ 'timeline.row': '-3' }, 'This profile has no event “-3”.', { 'timeline.row': undefined }],
  [{ 'timeline.row': '4' }, 'This profile has no event “4”.', { 'timeline.row': undefined }],
  [
    { 'timeline.pinned': '99' },
    'This profile has no track “99” of the link’s pinned tracks.',
    { 'timeline.pinned': undefined },
  ],
  [
    { 'timeline.hidden': '4,98,x' },
    'This profile has no track “98, x” of the link’s hidden tracks.',
    { 'timeline.hidden': '4' },
  ],
  [
    { 'timeline.folded': 'g2,g3,t7' },
    'This profile has no track “g3” of the link’s folded rows.',
    { 'timeline.folded': 'g2,t7' },
  ],
  [
    { 'timeline.heights': '4:30,8:30' },
    'This profile has no track “8:30” of the link’s heights of tracks.',
    { 'timeline.heights': '4:30' },
  ],
  [
    { 'timeline.heights': '4:abc,7:30,5' },
    'The link’s heights of tracks cannot be “4:abc, 5”.',
    { 'timeline.heights': '7:30' },
  ],
  [{ 'timeline.pinned': '4:30,7' }, 'The link’s pinned tracks cannot be “4:30”.', { 'timeline.pinned': '7' }],
  [{ 'timeline.row': '1.5' }, 'This profile has no event “1.5”.', { 'timeline.row': undefined }],
  [{ 'timeline.off': 'foo,marks' }, 'There is no colour “foo”.', { 'timeline.off': 'marks' }],
  [{ 'beside.upper': 'foo' }, 'There is no step “foo”.', { 'beside.upper': 'begin' }],
  [{ 'beside.lower': 'foo' }, 'There is no step “foo”.', NOT_BESIDE],
  [{ 'beside.lower': 'foo', 'beside.profile': 'a\tb\tc' }, 'There is no step “foo”.', { 'beside.lower': 'begin' }],
  [
    { 'beside.lower': '5', 'beside.profile': 'run, worker' },
    'There is no profile “run, worker” to lie beside this one.',
    NOT_BESIDE,
  ],
  [{ 'beside.profile': 'a\tb' }, 'There is no profile “a\tb” to lie beside this one.', NOT_BESIDE],
  [{ 'beside.lower': 'foo', 'beside.profile': '' }, 'There is no profile “” to lie beside this one.', NOT_BESIDE],
  [{ 'beside.lower': '5', 'beside.profile': 'a\tb\tc\td' }, 'There is no profile “a\tb\tc\td” to lie beside this one.', NOT_BESIDE], // prettier-ignore
  [{ 'timeline.as': 'foo' }, 'An area cannot be summed up by “foo”.', { 'timeline.as': undefined }],
  [{ 'timeline.then': 'Step' }, 'An area cannot be summed up by “Step”.', { 'timeline.then': undefined }],
])('%o is told, and what is left of it', (place: Place, sentence: string, changes: object) => {
  expect(badParts(place, TRACKS)).toEqual([[sentence, changes]])
})

test('what a profile has, or reaches into it, is no news', () => {
  const mark = '12,100:slow: one; two'.replace('; ', '%3B ')
  const place = { 'timeline.area': '-5,500:4', 'timeline.mark': mark, 'timeline.track': '4', 'timeline.row': '1' }
  expect(badParts({ ...window('-100', '100'), ...place }, TRACKS)).toEqual([])
  expect(badParts({ ...window('2000000', '3000000'), 'beside.lower': '1' }, TRACKS)).toEqual([])
  expect(badParts({ 'timeline.area': '', 'timeline.mark': '' }, TRACKS)).toEqual([])
  const lists = { 'timeline.pinned': '7,4', 'timeline.order': 'g1,4', 'timeline.folded': 'none', 'timeline.hidden': '' }
  expect(
    badParts(
      { ...lists, 'timeline.as': 'flame', 'timeline.heights': '4:30', 'timeline.off': 'marks,operator' },
      TRACKS,
    ),
  ).toEqual([])
  for (const lower of ['begin', 'clock', '12', '@34']) expect(badParts({ 'beside.lower': lower }, TRACKS)).toEqual([])
})

test('an area of the second timeline is told where it was drawn there', () => {
  const below = (area: string) => badBelow({ 'timeline.area': area, 'beside.area': area }, TRACKS)
  expect(below('1,1,1')).toEqual([
    ['The link’s area, “1,1,1”, is no stretch of time on tracks of this profile.', { 'beside.area': undefined }],
  ])
  expect(below('100,500:4,98')).toEqual([
    ['This profile has no track “98” of the link’s area.', { 'beside.area': '100,500:4' }],
  ])
  expect(below('100,500:4')).toEqual([])
  expect(badBelow({ 'timeline.area': '1,1,1', 'beside.area': '' }, TRACKS)).toEqual([])
})

test('of a second timeline what it has for itself is told', () => {
  const place = { 'timeline.area': '100,500:', 'timeline.mark': 'x', 'timeline.row': '4', 'timeline.pinned': '99' }
  expect(badBelow(place, TRACKS).map(([sentence]) => sentence)).toEqual([
    'This profile has no event “4”.',
    'This profile has no track “99” of the link’s pinned tracks.',
  ])
})

test('values that a profile does not have are told, beside what was told before', () => {
  const tracks = [{ id: 'queue-0' }]
  expect(badValues({ 'timeline.values': 'nope,queue-0' }, tracks)).toEqual([
    ['There is no row of values “nope”.', { 'timeline.values': 'queue-0' }],
  ])
  expect(badValues({ 'timeline.values': 'none' }, tracks)).toEqual([])
})

test('one sentence is told once, after what was told before', () => {
  const linkProblem = { value: undefined as string | undefined }
  const link = { read: () => ({ 'timeline.group': 'zz', 'timeline.as': 'zz' }), adjust: vi.fn() }
  tellBadLink({ link, linkProblem, tracks: TRACKS } as unknown as TimelineStore, undefined, 'Before.')
  expect(linkProblem.value).toBe('Before. An area cannot be summed up by “zz”.')
})

test('all of it is told in one notice, and the address is without it', () => {
  const adjust = vi.fn()
  const linkProblem = { value: undefined as string | undefined }
  const link = { read: () => ({ ...window('x', 'y'), 'timeline.track': '12' }), adjust }
  tellBadLink({ link, linkProblem, tracks: TRACKS } as unknown as TimelineStore)
  expect(linkProblem.value).toMatch(/is no stretch of time\. This profile has no track “12”\.$/)
  expect(adjust).toHaveBeenCalledExactlyOnceWith(NONE)
})
