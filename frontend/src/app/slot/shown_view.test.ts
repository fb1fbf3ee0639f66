import { expect, test } from 'vitest'

import type { RunState, RunsReply, SpanState } from '../../wire/wire'
import { firstView } from './shown_view'

const RUN: RunState = { name: 'r', opens: 'w', workers: [] }

function reply(n: number, scanning = false): RunsReply {
  const runs = Array.from({ length: n }, () => RUN)
  const server = {
    logdirs: ['logs'],
    searched: [],
    looked_into: [],
    takes_files: true,
    how_to_record: '',
    problems: [],
    version: '0',
    views: [],
  }
  return { ...server, scanning, opens: n === 0 ? null : 'r', runs }
}

test('of several runs their table comes first, of one its overview', () => {
  expect(firstView(reply(2), {})).toBe('runs')
  expect(firstView(reply(1), {})).toBe('overview')
  expect(firstView(reply(0), {})).toBe('overview')
})

test('of a run that left dumps and no profile comes who hangs', () => {
  const span: SpanState = {
    name: 'default',
    label: null,
    time_ms: null,
    foreign: false,
    no_profile: true,
    is_dumps: true,
    was: null,
    state: 'failed',
    is_cut_off: false,
    progress: 0,
    stage: '',
    error: 'no profile',
    size_bytes: 1,
    files: [],
  }
  const names = { name: 'w', label: 'w', opens: 'default', in_ranks: 'default' }
  const worker = { ...names, rank: null, rank_from: null, place: {}, note: null }
  const dumps = { ...reply(1), runs: [{ ...RUN, workers: [{ ...worker, spans: [span] }] }] }
  expect(firstView(dumps, {})).toBe('ranks')
  expect(firstView(dumps, { run: 'r' })).toBe('ranks')
  expect(firstView(dumps, { run: 'other' })).toBe('overview')
})

test('a link to a run shows that run, also before the server has answered', () => {
  expect(firstView(reply(2), { run: 'r' })).toBe('overview')
  expect(firstView(undefined, { run: 'r' })).toBe('overview')
})

test('while the first of perhaps many runs is found, nothing is shown that would change', () => {
  expect(firstView(undefined, {})).toBeUndefined()
  expect(firstView(reply(1, true), {})).toBeUndefined()
  expect(firstView(reply(2, true), {})).toBe('runs')
})
