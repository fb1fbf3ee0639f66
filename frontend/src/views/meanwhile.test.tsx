/** What is said while somebody waits, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { go } from '../state/place'
import type { SoFar, WaitReply } from '../wire/wire'
import { Meanwhile } from './meanwhile'

const PROFILE = { run: 'r', worker: 'w', span: '1' }

const firstLine = (): string | undefined => document.querySelector('.notice p')?.textContent

afterEach(() => {
  render(null, document.body)
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

test('while an answer is worked out, the page says what it is at, and it can be cancelled', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const working = { question: 'view/overview', part: 'looking for <b>lines</b>', n_parts: 14, seconds: 3.4 }
  const sent = vi.fn<(to: string) => Promise<Response>>((to) =>
    to.includes('/work?') ? Promise.resolve(Response.json({ working: [working] })) : new Promise(() => undefined),
  )
  vi.stubGlobal('fetch', sent)
  await act(() => render(<Meanwhile profile={PROFILE} waiting={undefined} />, document.body))
  expect(document.body.textContent).toBe('Asking the server…')
  await act(async () => {
    await vi.advanceTimersByTimeAsync(1300)
  })
  expect(firstLine()).toBe('overview: looking for <b>lines</b> (part 14), 3 s so far')
  working.seconds = 4.1
  await act(async () => {
    await vi.advanceTimersByTimeAsync(600)
  })
  expect(firstLine()).toContain('4 s')
  await act(() => document.querySelector<HTMLButtonElement>('.notice button')?.click())
  expect(sent.mock.calls.at(-1)?.[0]).toContain('api/v1/cancel?run=r&worker=w&span=1')
})

test.each([
  ['operators', ['op 11', '2.00 µs'], ['Kernels']],
  ['kernels', ['Kernels: none read yet'], ['op 0']],
  ['overview', ['op 7', 'Kernels: none read yet'], ['op 8']],
])('while a file is read, %s lists what it is about', async (view, shown, hidden) => {
  const operators = Array.from({ length: 12 }, (_, place) => ({ name: `op ${place}`, count: 4, total_ns: 8_000 }))
  const nothing = {
    rank: null,
    n_tracks: 1,
    device_names: [],
    n_steps: 0,
    mean_step_ns: null,
    kernels: [],
    devices: [],
    span_ns: 0,
    lanes: [],
  }
  const soFar: SoFar = { part: 0.5, n_events: 48, seconds: 4, operators, ...nothing }
  const waiting: WaitReply = { state: 'loading', progress: 0.4, stage: 'reading', seconds_left: null, so_far: soFar }
  go({ view })
  await act(() => render(<Meanwhile profile={PROFILE} waiting={waiting} />, document.body))
  const told = document.querySelector('.so-far')?.textContent
  for (const text of shown) expect(told).toContain(text)
  for (const text of hidden) expect(told).not.toContain(text)
})

test('the picture of what is read tells what is not read from what was idle', async () => {
  const lanes = [
    { name: '0', is_device: true, shares: [0, 0.5, null] },
    { name: '7 9', is_device: false, shares: [1, 1, null] },
  ]
  const read = { part: 0.5, n_events: 48, seconds: 4, rank: null, n_tracks: 1, device_names: [], n_steps: 0 }
  const soFar: SoFar = { ...read, mean_step_ns: null, operators: [], kernels: [], devices: [], span_ns: 3e9, lanes }
  const waiting: WaitReply = { state: 'loading', progress: 0.4, stage: 'reading', seconds_left: null, so_far: soFar }
  go({ view: 'timeline' })
  await act(() => render(<Meanwhile profile={PROFILE} waiting={waiting} />, document.body))
  const drawn = [...document.querySelectorAll('.so-far-lanes svg')]
  expect(drawn.map((lane) => lane.getAttribute('aria-label'))).toEqual([
    'device 0: something ran in 25.0 % of what is read',
    'thread 7 9: something ran in 100 % of what is read',
  ])
  expect(drawn.map((lane) => lane.querySelectorAll('.is-read').length)).toEqual([2, 2])
  const dark = [...(drawn[0]?.querySelectorAll('rect:not(.is-read)') ?? [])]
  expect(dark.map((cell) => [cell.getAttribute('x'), cell.getAttribute('fill-opacity')])).toEqual([
    ['0', '0'],
    ['1', '0.5'],
  ])
})

test.each([
  [0.38, [0.5, null], /Partial:.*hatched where nothing is read yet/],
  [1, [0.5, 0], /The whole file is read, and is being put in order\./],
])(
  'of a file read to %s it is said what is lacking, and on the bar alone how far it is',
  async (part, shares, words) => {
    const lanes = [{ name: '0', is_device: true, shares }]
    const read = { part, n_events: 48, seconds: 4, rank: null, n_tracks: 1, device_names: [], n_steps: 12 }
    const soFar: SoFar = { ...read, mean_step_ns: null, operators: [], kernels: [], devices: [], span_ns: 3e9, lanes }
    const waiting: WaitReply = { state: 'loading', progress: 0.31, stage: 'reading', seconds_left: null, so_far: soFar }
    go({ view: 'timeline' })
    await act(() => render(<Meanwhile profile={PROFILE} waiting={waiting} />, document.body))
    expect(document.querySelector('.so-far h3')?.textContent).toBe('So far: 12 steps')
    expect(document.body.textContent).toMatch(words)
    expect(document.body.textContent.includes('hatched')).toBe(shares.includes(null))
    expect(document.body.textContent.match(/[\d.]+ %/g)).toEqual(['31 %'])
  },
)
