/** The advice view as a user meets it, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../../data/reply'
import type { Advice } from '../../data/wire'
import { at, go } from '../../state/place'
import { AdviceView } from './index'

const REPLY_MS = 20 // for a made-up reply to be read and drawn

const ADVICE: Advice = {
  findings: [
    {
      id: 'host_bound',
      title: 'Launch less',
      what: 'The device was idle for 4.00 ms.',
      evidence: [{ text: 'median kernel', value: 2000, unit: 'ns' }],
      rows: [{ row: 17, name: '<img src=x onerror=alert(1)>', start_ns: 1_000_000, duration_ns: 50_000 }],
      n_rows: 40,
      gain_ns: 4_000_000,
      gain_how: 'idle time.',
      gain_share: 0.4,
      confidence: 'likely',
      source: 'train.py:12',
      function: 'step',
    },
    {
      id: 'conv_bias',
      title: 'Build convolutions with bias=False',
      what: '6 calls.',
      evidence: [],
      rows: [],
      n_rows: 0,
      gain_ns: null,
      gain_how: 'unknown.',
      gain_share: null,
      confidence: 'sure',
      source: null,
      function: null,
    },
  ],
  nothing_found: ['nn.DataParallel'],
  not_checked: [{ what: 'Python stacks', how: 'with_stack=True', checks: ['data loaders without worker processes'] }],
  window_ns: 10_000_000,
  window: 'steps',
  n_steps: 2,
}

async function show(advice: Advice): Promise<string> {
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response(JSON.stringify({ view: 'advice', missing: null, result: advice }), { status: 200 })),
  )
  await act(() => render(<AdviceView profile={{ run: 'r', worker: 'w', span: '1' }} />, document.body))
  await act(() => new Promise((resolve) => setTimeout(resolve, REPLY_MS)))
  return document.body.textContent
}

async function click(selector: string): Promise<void> {
  await act(() => document.querySelector<HTMLElement>(selector)?.click())
}

beforeEach(() => {
  forgetReplies()
  go({ view: 'advice', 'advice.open': undefined, 'timeline.row': undefined })
})

afterEach(() => {
  render(null, document.body)
  vi.unstubAllGlobals()
})

test('each finding says what to do, what it gains, where it is, and what could not be checked', async () => {
  const page = await show(ADVICE)
  expect(page).toContain('2 findings in 10.0 ms of 2 steps')
  expect(page).toContain('up to4.00 ms40.0 % of the time')
  expect(page).toContain('train.py:12')
  expect(page).toContain('gain unknown')
  expect(page).toContain('with_stack=True')
  expect(page).toContain('nn.DataParallel')
  expect(page).not.toContain('median kernel')
})

test('an opened finding shows its evidence and leads to its events; the link remembers', async () => {
  await show(ADVICE)
  await click('.finding h2 button')
  expect(at('advice.open')).toBe('host_bound')
  expect(document.body.textContent).toContain('median kernel2.00 µs')
  expect(document.body.textContent).toContain('1 of 40 events')
  expect(document.querySelector('img')).toBeNull()
  await click('.finding-events a')
  expect([at('view'), at('timeline.row'), at('timeline.t0_ns'), at('timeline.t1_ns')]).toEqual([
    'timeline',
    '17',
    '950000',
    '1100000',
  ])
})

test('nothing to say is said', async () => {
  expect(await show({ ...ADVICE, findings: [] })).toContain('Nothing to change was found')
})
