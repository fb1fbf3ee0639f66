/** The blocks of a pipeline's micro-batches, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../../../data/kept'
import { at, go } from '../../../state/place'
import type { MicroBatches } from '../../../wire/wire'
import { MicroBatchBlocks } from './micro_batches'

const ROW = { worker: 'w0', span: '1', zero_ns: 5_000_000, bubble_ns: 200_000, computation_ns: 550_000, is_told: true }
const REPLY: MicroBatches = {
  run: 'job',
  step: 10,
  steps: [10, 11],
  choices: [
    { rank: 0, title: 'ranks 0, 2', bubble_ns: 200_000, bubble_share: 0.2 },
    { rank: 1, title: 'ranks 1, 3', bubble_ns: 100_000, bubble_share: 0.05 },
  ],
  window_ns: 1_000_000,
  n_chunks: 1,
  rows: [
    { ...ROW, stage: 0, rank: 0 },
    { ...ROW, stage: 1, rank: 2, worker: 'w2', bubble_ns: null },
  ],
  blocks: {
    row: [0, 0, 1],
    name: ['F0', 'B0', 'F0B0'],
    forward: [0, -1, 0],
    backward: [-1, 0, 0],
    forward_chunk: [0, 0, 0],
    backward_chunk: [0, 0, 0],
    start_ns: [0, 700_000, 250_000],
    end_ns: [250_000, 1_000_000, 650_000],
    computing_ns: [240_000, 290_000, 390_000],
    forward_wait_ns: [0, null, 230_000],
    backward_wait_ns: [null, 50_000, null],
  },
  ideal: null,
  ideal_ns: null,
  notes: ['In stage 1 some blocks are both.'],
  reason: null,
}
const asked: string[] = []

async function show(result: MicroBatches): Promise<HTMLElement> {
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    return Promise.resolve(Response.json({ n_members: 4, n_pending: 0, n_failed: 0, result }))
  })
  await act(() => render(<MicroBatchBlocks run="job" />, document.body))
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  return document.body
}

afterEach(() => {
  render(null, document.body)
  forgetReplies()
  asked.length = 0
  go({ 'ranks.step': undefined, 'ranks.pipe': undefined, 'ranks.as': undefined })
  vi.unstubAllGlobals()
})

test('each stage has its blocks in their places; one leads to its rank at that time', async () => {
  const page = await show(REPLY)
  const rows = [...page.querySelectorAll('.ranks-micro-row')]
  expect(rows.map((row) => row.getAttribute('aria-label'))).toEqual(['stage 0: F0 B0', 'stage 1: F0B0'])
  const drawn = [...page.querySelectorAll<HTMLElement>('.ranks-micro-block')].map((block) => [
    block.className.split(' ').at(-1),
    block.querySelector('i')?.style.left,
    block.querySelector('i')?.style.width,
  ])
  expect(drawn).toEqual([
    ['is-forward', '0%', '25%'],
    ['is-backward', '70%', '30%'],
    ['is-both', '25%', '40%'],
  ])
  expect(page.textContent).toContain('In stage 1 some blocks are both.')
  expect(page.textContent).toContain('bubble 200 µs')
  expect(page.textContent).toContain('bubble not known')
  await act(() => page.querySelectorAll<HTMLElement>('.ranks-micro-block')[2]?.click())
  expect([at('view'), at('worker'), at('timeline.t0_ns')]).toEqual([
    'timeline',
    'w2',
    String(5_000_000 + 250_000 - 80_000),
  ])
})

test('a stage of which not every block is told is not drawn as bubble, and the legend says what it is', async () => {
  const keys = (page: HTMLElement) => page.querySelector('.ranks-stages + .ranks-legend')?.textContent ?? ''
  const whole = await show(REPLY)
  expect(whole.querySelector('.is-untold')).toBeNull()
  expect(keys(whole)).not.toContain('not told')
  render(null, document.body)
  forgetReplies()
  const page = await show({ ...REPLY, rows: REPLY.rows.map((row, nth) => ({ ...row, is_told: nth > 0 })) })
  const rows = [...page.querySelectorAll('.ranks-micro-row')]
  expect(rows.map((row) => row.classList.contains('is-untold'))).toEqual([true, false])
  expect(keys(page)).toContain('nothing computed')
  expect(keys(page)).toContain('not told')
})

test('step and pipeline are chosen and stay in the link; the table has the same blocks', async () => {
  const page = await show(REPLY)
  expect([...page.querySelectorAll('option')].map(({ text }) => text)).toEqual([
    ...['step 10', 'step 11'],
    ...['ranks 0, 2 · 200 µs bubble', 'ranks 1, 3 · 100 µs bubble'], // whole in the list's width
  ])
  for (const [nth, value] of [
    [0, '11'],
    [1, '1'],
  ] as const) {
    const choice = page.querySelectorAll('select')[nth]
    if (choice !== undefined) choice.value = value
    await act(() => void choice?.dispatchEvent(new Event('change')))
  }
  expect([at('ranks.step'), at('ranks.pipe')]).toEqual(['11', '1'])
  expect(asked.at(-1)).toMatch(/micro_batches\?.*rank=1.*step=11/)
  await act(() => go({ 'ranks.as': 'table' }))
  const list = page.querySelector('[aria-label="Micro-batches, as a table"]')
  expect([...(list?.querySelectorAll('tbody tr') ?? [])].map((row) => row.textContent)).toEqual([
    '00F00 ns250 µs',
    '00B0700 µs300 µs',
    '12F0B0250 µs400 µs',
  ])
})

test('the bubbles of all pipelines stand side by side on one scale; a click shows that one', async () => {
  const page = await show({ ...REPLY, choices: [...REPLY.choices].reverse() })
  const bars = [...page.querySelectorAll<HTMLElement>('.ranks-pipelines button')]
  expect(
    bars.map((bar) => [bar.title, bar.getAttribute('aria-pressed'), bar.querySelector('i')?.style.height]),
  ).toEqual([
    ['ranks 0, 2: bubble 20.0 % of the window, the longest 200 µs', 'true', '100%'],
    ['ranks 1, 3: bubble 5.00 % of the window, the longest 100 µs', 'false', '25%'],
  ])
  expect(page.textContent).toContain('bubble of each pipeline, 5.00 % to 20.0 % of the window')
  await act(() => bars[1]?.click())
  expect(at('ranks.pipe')).toBe('1')
  render(null, document.body)
  forgetReplies()
  expect((await show({ ...REPLY, choices: REPLY.choices.slice(0, 1) })).querySelector('.ranks-pipelines')).toBeNull()
})

test('each stage and micro-batch has its forward, its backward and its wait; what is not known is no 0', async () => {
  go({ 'ranks.as': 'table' })
  const page = await show(REPLY)
  const rows = [...page.querySelectorAll('[aria-label="Times of stages and micro-batches"] tbody tr')]
  expect(rows.map((row) => [...row.querySelectorAll('td')].map(({ textContent: text }) => text.trim()))).toEqual([
    ['0', '550 µs', 'forward', '240 µs'],
    ['0', '', 'backward', '290 µs'],
    ['0', '', 'wait', '50.0 µs'],
    ['1', '550 µs', 'forward', 'F0B0 390 µs'],
    ['1', '', 'backward', 'in F0B0'],
    ['1', '', 'wait', 'not known'],
  ])
})

test('blocks of a stage with chunks carry them, a later one in a lighter shade, and have rows of their own', async () => {
  const blocks = {
    ...REPLY.blocks,
    name: ['F0·0', 'B0·1', 'F0·1B0·1'],
    forward_chunk: [0, 0, 1],
    backward_chunk: [0, 1, 1],
  }
  const page = await show({ ...REPLY, n_chunks: 2, blocks })
  const shades = [...page.querySelectorAll<HTMLElement>('.ranks-micro-block i')].map((block) =>
    ['--forward-chunk', '--backward-chunk'].map((name) => block.style.getPropertyValue(name)),
  )
  expect(shades).toEqual([
    ['0', '0'],
    ['0', '1'],
    ['1', '1'],
  ])
  expect(page.querySelector('.ranks-stages + .ranks-legend')?.textContent).toContain('lighter')
  expect(page.querySelector('.has-chunks')).not.toBeNull() // half of their names is not shown
  await act(() => go({ 'ranks.as': 'table' }))
  const rows = [...page.querySelectorAll('[aria-label="Times of stages and micro-batches"] tbody tr')]
  expect(rows.map((row) => row.firstElementChild?.textContent).filter((_, nth) => nth % 3 === 0)).toEqual([
    ...['0·0', '0·1', '1·0', '1·1'],
  ])
  expect(rows[4]?.textContent).toContain('290 µs')
})

test('what the files do not tell is said instead', async () => {
  const times = { forward_chunk: [], backward_chunk: [], computing_ns: [], forward_wait_ns: [], backward_wait_ns: [] }
  const none = { row: [], name: [], forward: [], backward: [], start_ns: [], end_ns: [], ...times }
  const page = await show({ ...REPLY, blocks: none, notes: [], reason: 'Micro-batches cannot be told apart.' })
  expect(page.textContent).toContain('Micro-batches cannot be told apart.')
  expect(page.querySelector('.ranks-micro-row, .ranks-micro .filters [aria-pressed]')).toBeNull()
})

test('the ideal schedule lies below on the same axis, and is no block that leads anywhere', async () => {
  const ideal = {
    row: [0, 0, 1, 1],
    name: ['F0', 'B0', 'F0', 'B0'],
    forward: [0, -1, 0, -1],
    backward: [-1, 0, -1, 0],
    forward_chunk: [0, 0, 0, 0],
    backward_chunk: [0, 0, 0, 0],
    start_ns: [0, 600_000, 200_000, 400_000],
    end_ns: [200_000, 800_000, 400_000, 600_000],
    computing_ns: [200_000, 200_000, 200_000, 200_000],
    forward_wait_ns: [0, null, 0, null],
    backward_wait_ns: [null, 0, null, 0],
  }
  const page = await show({ ...REPLY, ideal, ideal_ns: 800_000 })
  expect(page.querySelectorAll('.ranks-micro-block')).toHaveLength(3)
  const rows = [...page.querySelectorAll('.ranks-micro-row.is-ideal')]
  expect(rows.map((row) => row.getAttribute('aria-label'))).toEqual([
    'stage 0 without waits, F0 B0',
    'stage 1 without waits, F0 B0',
  ])
  const [, backward] = rows[0]?.querySelectorAll<HTMLElement>('i') ?? []
  expect([backward?.style.left, backward?.style.width, backward?.className]).toEqual(['60%', '20%', 'is-backward'])
  expect(page.textContent).toContain('without waits: the same blocks at mean durations, −200 µs')
})
