import { expect, test } from 'vitest'

import type { RunsReply, SpanState, WorkerState } from '../../wire/wire'
import { changesForRun, choose, instead, profileOf } from './choose'

function span(name: string, was: SpanState['was'] = null): SpanState {
  return {
    name,
    label: null,
    time_ms: null,
    foreign: false,
    no_profile: false,
    is_dumps: false,
    was,
    state: 'found',
    is_cut_off: false,
    progress: 0,
    stage: '',
    error: null,
    size_bytes: 1,
    files: [],
  }
}

function worker(name: string, spans: readonly SpanState[], opens: string): WorkerState {
  return { name, label: name, rank: null, rank_from: null, place: {}, note: null, opens, in_ranks: opens, spans }
}

const REPLY: RunsReply = {
  logdirs: ['logs'],
  scanning: false,
  searched: [],
  looked_into: [],
  takes_files: true,
  how_to_record: '',
  problems: [],
  version: '0',
  views: [],
  opens: 'new',
  runs: [
    {
      name: 'old',
      opens: 'w0',
      workers: [worker('w0', [span('100')], '100'), worker('w1', [span('100'), span('200')], '100')],
    },
    {
      name: 'new',
      opens: 'w1',
      workers: [
        worker('a_chrome_trace', [span('default')], 'default'),
        worker('w1', [span('99'), span('300', ['new/step_300', 'w1_trace', 'default'])], '300'),
      ],
    },
  ],
}

test('without a link, what the server opens with is shown', () => {
  expect(profileOf(choose(REPLY, {}))).toEqual({ run: 'new', worker: 'w1', span: '300' })
})

test("what the link leaves open is the server's choice", () => {
  expect(profileOf(choose(REPLY, { run: 'old', worker: 'w1' }))?.span).toBe('100')
})

test('what the link names is shown, whatever the server would choose', () => {
  expect(profileOf(choose(REPLY, { run: 'old', worker: 'w1', span: '200' }))?.span).toBe('200')
})

test('what the link names and is not there is said, not replaced', () => {
  expect(choose(REPLY, { run: 'gone' })).toMatchObject({ run: undefined, unknown: 'run “gone”' })
  expect(choose(REPLY, { run: 'old', worker: 'w1', span: '7' }).unknown).toBe('span “7” of w1')
})

test('another run keeps worker and span where it has them', () => {
  const [old] = REPLY.runs
  if (old === undefined) throw new Error('no run')
  const changes = changesForRun(old, choose(REPLY, { run: 'new', worker: 'w1', span: '99' }))
  expect(changes).toMatchObject({ run: 'old', worker: 'w1', span: '100', 'timeline.t0_ns': undefined })
})

test('a link made before frameworks were known opens the same profile', () => {
  const now = { run: 'new', worker: 'w1', span: '300' }
  expect(profileOf(choose(REPLY, { run: 'new/step_300', worker: 'w1_trace', span: 'default' }))).toEqual(now)
  expect(profileOf(choose(REPLY, { run: 'new/step_300' }))).toEqual(now)
  expect(choose(REPLY, { run: 'new/step_300', worker: 'w2_trace' }).unknown).toBe('run “new/step_300”')
})

test('where only other tools wrote, nothing is shown until a run is named', () => {
  expect(choose({ ...REPLY, opens: null }, {})).toMatchObject({ run: undefined, unknown: undefined })
  expect(profileOf(choose({ ...REPLY, opens: null }, { run: 'old' }))?.worker).toBe('w0')
})

test('an empty log directory has nothing to show and nothing unknown', () => {
  expect(choose({ ...REPLY, opens: null, runs: [] }, {})).toMatchObject({ run: undefined, unknown: undefined })
})

test('a profile that was opened for the user and cannot be read gives way to the next, one that was named does not', () => {
  const broken = { ...span('1'), state: 'failed' as const, error: 'it is HTML.', files: ['a.json'] }
  const reply: RunsReply = {
    ...REPLY,
    opens: 'r',
    runs: [{ name: 'r', opens: 'b', workers: [worker('a', [broken], '1'), worker('b', [span('1')], '1')] }],
  }
  const now = { run: 'r', worker: 'a', span: '1' }
  expect(instead(reply, { profile: now, asked: {} }, now)).toEqual({
    profile: { run: 'r', worker: 'b', span: '1' },
    reason: 'a.json cannot be read: it is HTML.',
  })
  expect(instead(reply, { profile: now, asked: { worker: 'a' } }, now)).toBeUndefined()
  expect(instead(reply, undefined, now)).toBeUndefined()
  expect(instead(REPLY, { profile: now, asked: {} }, now)).toBeUndefined()
})
