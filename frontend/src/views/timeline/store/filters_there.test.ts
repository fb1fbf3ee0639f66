import { expect, test } from 'vitest'

import { TRACKS } from '../../../../test/timeline'
import type { Filters } from '../../../state/filters'
import type { StepMark, TrackRow } from '../../../wire/wire'
import { filtersThere, thereWords } from './filters_there'

const steps = [5, 6].map((number) => ({ number }) as StepMark)
const [host, stream] = TRACKS.tracks as readonly [TrackRow, TrackRow]
const tracks = [
  { ...host, thread: '12' },
  { ...stream, device: 1, stream: 7 },
]

test('filters hold in another profile as far as it has what they name', () => {
  const there = { steps: '4-5', devices: '1', streams: '7,40', threads: '9, 12', inside: 'mm', module: 'Net' }
  expect(filtersThere(there, { steps, tracks })).toEqual({ filters: there, gone: [] })
  const elsewhere = { ...there, steps: '7-9', devices: '0', streams: '40', threads: '9' }
  expect(filtersThere(elsewhere, { steps, tracks })).toEqual({
    filters: { inside: 'mm', module: 'Net' },
    gone: ['steps', 'devices', 'streams', 'threads'],
  })
})

test('why all of a lower timeline is grey is said, and what it is shown without', () => {
  const words = (given: Filters, lower: string) => thereWords(given, filtersThere(given, { steps, tracks }), lower)
  expect(words({ steps: '5' }, '6')).toEqual(['step 6 is grey: not in step 5'])
  expect([words({ steps: '5-6' }, '6'), words({ steps: '5' }, 'begin'), words({}, '6')]).toEqual([[], [], []])
  expect(words({ steps: '9', streams: '40' }, '6')).toEqual([
    'no step 9 here: shown without it',
    'no stream 40 here: shown without it',
  ])
})
