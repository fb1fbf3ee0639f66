/** The advice view as a user meets it, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../../data/kept'
import { at, go } from '../../state/place'
import type { Advice } from '../../wire/wire'
import { AdviceView } from './index'

const REPLY_MS = 20 // for a made-up reply to be read and drawn

const ADVICE: Advice = {
  verdict: {
    bound: 'mixed',
    share: null,
    sentence: 'Nothing alone is the limit.',
    of_job: null,
    of_ranks: null,
    changes: [],
    doubts: [],
  },
  findings: [
    {
      id: 'host_bound',
      title: 'Launch less',
      what: 'The device was idle for 4.00 ms.',
      evidence: [{ text: 'median kernel', value: 2000, unit: 'ns' }],
      rows: [{ row: 17, name: '<img src=x onerror=alert(1)>', start_ns: 1_000_000, duration_ns: 50_000 }],
      n_rows: 40,
      gain_ns: 4_000_000,
      gain_per_step_ns: 2_000_000,
      gain_how: 'idle time.',
      gain_share: 0.4,
      confidence: 'likely',
      source: 'train.py:12',
      function: 'step',
      estimate_ns: 3_000_000,
      estimate_per_step_ns: 1_500_000,
      estimate_how: 'a replay.',
      code: 'model = torch.compile(model)',
      unless: 'shapes change.',
      link: 'https://docs.pytorch.org/',
      view: 'ranks',
      without: ['loader=0'],
      beside: [8, 9],
      also: [
        {
          id: 'small',
          title: 'Batch more',
          what: '9.',
          gain_ns: 1_000_000,
          gain_per_step_ns: 500_000,
          estimate_ns: null,
          estimate_per_step_ns: null,
          without: [],
        },
      ],
    },
    {
      id: 'conv_bias',
      title: 'Build convolutions with bias=False',
      what: '6 calls.',
      evidence: [],
      rows: [],
      n_rows: 0,
      gain_ns: null,
      gain_per_step_ns: null,
      gain_how: 'unknown.',
      gain_share: null,
      confidence: 'sure',
      source: null,
      function: null,
      estimate_ns: null,
      estimate_per_step_ns: null,
      estimate_how: null,
      code: null,
      unless: null,
      link: null,
      view: null,
      without: [],
      beside: [],
      also: [],
    },
  ],
  n_small: 3,
  nothing_found: ['nn.DataParallel'],
  not_checked: [
    { what: 'Python stacks', how: 'with_stack=True', instead: null, checks: ['data loaders without worker processes'] },
    { what: 'device activity', how: 'CUDA', instead: 'the file is cut off', checks: ['copies'] },
  ],
  window_ns: 10_000_000,
  window: 'steps',
  n_steps: 2,
}

async function show(advice: Advice): Promise<string> {
  vi.stubGlobal(
    'fetch',
    vi.fn(() =>
      Promise.resolve(
        new Response(JSON.stringify({ view: 'advice', missing: null, notes: [], result: advice }), { status: 200 }),
      ),
    ),
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
  expect(page).toContain('about, a step1.50 ms30.0 % of the time(3.00 ms in all)at most 2.00 ms')
  const bar = [...document.querySelectorAll<HTMLElement>('.finding-bar > span')].map((part) => part.style.width)
  expect(bar).toEqual(['30%', '10%'])
  expect(page).toContain('train.py:12')
  expect(page).toContain('Wants the same time: Batch more (up to 500 µs)')
  expect(page).toContain('gain unknown')
  expect(page).toContain('Python stacks: with_stack=True')
  expect(page).toContain('device activity: the file is cut off')
  expect(page).toContain('nn.DataParallel')
  expect(page).not.toContain('median kernel')
})

test('what wants the same time and has more to gain says so', async () => {
  const [finding] = ADVICE.findings
  if (finding === undefined) throw new Error('the made-up advice has a finding')
  const also = finding.also.map((other) => ({ ...other, estimate_ns: 3_400_000, estimate_per_step_ns: 1_700_000 }))
  const page = await show({ ...ADVICE, findings: [{ ...finding, also }] })
  expect(page).toContain('Wants the same time: Batch more (about 1.70 ms, more than this alone)')
})

test('an opened finding shows its evidence and leads to its events; the link remembers', async () => {
  await show(ADVICE)
  await click('.finding h2 button')
  expect(at('advice.open')).toBe('host_bound')
  expect(document.body.textContent).toContain('median kernel2.00 µs')
  expect(document.body.textContent).toContain('1 of 40 events')
  expect(document.body.textContent).toContain('torch.compile(model)Unless: shapes change.docs.pytorch.org/')
  expect(document.querySelector('img')).toBeNull()
  await click('.finding-events a')
  expect([at('view'), at('timeline.row'), at('timeline.t0_ns'), at('timeline.t1_ns')]).toEqual([
    'timeline',
    '17',
    '950000',
    '1100000',
  ])
})

test('long steps are led to above each other with a usual one', async () => {
  await show(ADVICE)
  const links = [...document.querySelectorAll<HTMLElement>('.finding a')].filter(({ textContent: words }) =>
    words.includes('beside each other'),
  )
  expect(links.map(({ textContent }) => textContent)).toEqual([
    'All ranks beside each other',
    'Steps 8 and 9 beside each other',
  ])
  await act(() => links[1]?.click())
  expect([at('view'), at('beside.upper'), at('beside.lower')]).toEqual(['timeline', '8', '9'])
  go({ 'beside.upper': undefined, 'beside.lower': undefined })
})

test('the steps that are selected are asked about; without steps the recording is', async () => {
  go({ steps: '5,10' })
  const [finding, ...others] = ADVICE.findings
  if (finding === undefined) throw new Error('the made-up advice has a finding')
  const findings = [{ ...finding, gain_per_step_ns: null, estimate_ns: null, estimate_per_step_ns: null }, ...others]
  const page = await show({ ...ADVICE, findings, window: 'recording', n_steps: 0 })
  expect(vi.mocked(fetch).mock.calls[0]?.[0]).toContain('steps=5%2C10')
  expect(page).toContain('up to4.00 ms40.0 % of the time')
  go({ steps: undefined })
})

test('small findings are asked for with a button, and put away again', async () => {
  await show(ADVICE)
  await click('.advice-more button')
  expect(at('advice.all')).toBe('1')
  expect(vi.mocked(fetch).mock.lastCall?.[0]).toContain('all=true')
  render(null, document.body)
  forgetReplies()
  expect(await show({ ...ADVICE, n_small: 0 })).toContain('Hide small findings')
  go({ 'advice.all': undefined })
})

test('nothing to say is said', async () => {
  expect(await show({ ...ADVICE, findings: [] })).toContain('Nothing to change was found')
})
