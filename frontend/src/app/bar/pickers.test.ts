import { expect, test } from 'vitest'

import type { SpanState } from '../../wire/wire'
import { spanEntry } from './pickers'

const SPAN: SpanState = {
  name: 'iteration_100',
  label: null,
  time_ms: null,
  foreign: false,
  no_profile: false,
  is_dumps: false,
  was: null,
  is_cut_off: false,
  state: 'found',
  progress: 0,
  stage: '',
  error: null,
  size_bytes: 1,
  files: [],
}

test('a span is called by what its name says and by its time, else by its name', () => {
  const time_ms = new Date(2026, 10, 21, 9, 8, 7).getTime()
  expect(spanEntry(SPAN, 0).label).toBe('1 · iteration_100')
  expect(spanEntry({ ...SPAN, label: 'iteration 100' }, 1).label).toBe('2 · iteration 100')
  expect(spanEntry({ ...SPAN, time_ms }, 2).label).toBe('3 · 2026-11-21 09:08:07')
  expect(spanEntry({ ...SPAN, label: 'DECODE', time_ms }, 3).label).toBe('4 · DECODE · 2026-11-21 09:08:07')
})

test("another tool's trace says so before it is loaded", () => {
  expect(spanEntry({ ...SPAN, foreign: true }, 0).note).toBe('of another tool, not torch')
  expect(spanEntry(SPAN, 0).note).toBe('not loaded')
})

test('where there is no profile, as beside dumps or a summary alone, none has failed', () => {
  const error = 'only its summary is here'
  expect(spanEntry({ ...SPAN, no_profile: true, state: 'failed', error }, 0)).toEqual({
    id: 'iteration_100',
    label: '1 · iteration_100',
    note: 'no profile',
    reason: error,
  })
  expect(spanEntry({ ...SPAN, state: 'failed', error }, 0)).toMatchObject({ note: 'failed', bad: true, reason: error })
})
