import { expect, test } from 'vitest'

import type { RunsReply, SpanState } from '../data/wire'
import { changesForRun, choose, profileOf } from './choose'

function span(name: string, state: SpanState['state'] = 'found'): SpanState {
  return { name, state, progress: 0, stage: '', error: null, size_bytes: 1, files: [] }
}

const REPLY: RunsReply = {
  logdirs: ['logs'],
  scanning: false,
  searched: [],
  problems: [],
  version: '0',
  views: [],
  runs: [
    { name: 'new', workers: [{ name: 'w1', rank: 0, spans: [span('99'), span('300')] }] },
    {
      name: 'old',
      workers: [
        { name: 'w0', rank: 0, spans: [span('100')] },
        { name: 'w1', rank: 1, spans: [span('100'), span('200', 'failed')] },
      ],
    },
  ],
}

test('without a link, the newest span is shown', () => {
  expect(profileOf(choose(REPLY, {}))).toEqual({ run: 'new', worker: 'w1', span: '300' })
})

test('a span that failed is not what a new user sees first', () => {
  expect(profileOf(choose(REPLY, { run: 'old', worker: 'w1' }))?.span).toBe('100')
})

test('a failed span that the link names is shown with its reason', () => {
  expect(profileOf(choose(REPLY, { run: 'old', worker: 'w1', span: '200' }))?.span).toBe('200')
})

test('what the link names and is not there is said, not replaced', () => {
  expect(choose(REPLY, { run: 'gone' })).toMatchObject({ run: undefined, unknown: 'run “gone”' })
  expect(choose(REPLY, { run: 'old', worker: 'w1', span: '7' }).unknown).toBe('span “7” of w1')
})

test('another run keeps worker and span where it has them', () => {
  const [, old] = REPLY.runs
  if (old === undefined) throw new Error('no run')
  const changes = changesForRun(old, choose(REPLY, { run: 'new', worker: 'w1', span: '99' }))
  expect(changes).toMatchObject({ run: 'old', worker: 'w1', span: '100', 'timeline.t0_ns': undefined })
})

test('an empty log directory has nothing to show and nothing unknown', () => {
  expect(choose({ ...REPLY, runs: [] }, {})).toMatchObject({ run: undefined, unknown: undefined })
})
