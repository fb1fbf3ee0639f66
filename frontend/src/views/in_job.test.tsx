/** What the page says of one rank from all of them, and when it asks. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../data/kept'
import { askOnce } from '../data/runs'
import { go, at } from '../state/place'
import type { InJob } from '../wire/wire'
import { InJobLine, OnCommunication, useInJob } from './in_job'
import { VerdictLine } from './verdict'

const PROFILE = { run: 'job', worker: 'w0', span: '1' }
const TOLD: InJob = {
  run: 'job',
  worker: 'w0',
  rank: 0,
  sentence: 'Rank 0 waits 1.90 ms a step (11.0 % of it) for other ranks.',
  communication: 'Mostly waiting, most for rank 5.',
  titles: { late_ranks: 'Make rank 5 come in time: the others wait for it' },
  waited_for: [5],
  wait_ns: 1_900_000,
  transfer_ns: 100_000,
  is_mostly_waiting: true,
  clock: null,
}
const asked: string[] = []

function Both() {
  const inJob = useInJob(PROFILE)
  return (
    <>
      <InJobLine profile={PROFILE} inJob={inJob} />
      <OnCommunication inJob={inJob} />
    </>
  )
}

async function show(nWorkers: number, { pending = 0, isOfDumps = false, told = TOLD } = {}): Promise<string> {
  vi.stubGlobal('innerHeight', 800)
  const spans = (nth: number) => [
    { name: '1', size_bytes: 1, files: [], state: 'ready', no_profile: isOfDumps && nth > 0 },
  ]
  const workers = Array.from({ length: nWorkers }, (_, nth) => ({
    name: `w${nth}`,
    opens: '1',
    in_ranks: '1',
    spans: spans(nth),
  }))
  vi.stubGlobal('fetch', (address: string) => {
    const isRuns = address.includes('/runs')
    if (!isRuns) asked.push(address)
    const reply = { n_members: nWorkers, n_pending: pending, n_failed: 0, result: told }
    return Promise.resolve(
      new Response(JSON.stringify(isRuns ? { scanning: false, runs: [{ name: 'job', opens: 'w0', workers }] } : reply)),
    )
  })
  await askOnce()
  await act(() => render(<Both />, document.body))
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  return document.body.textContent
}

afterEach(() => {
  render(null, document.body)
  forgetReplies()
  asked.length = 0
  vi.unstubAllGlobals()
})

test('a rank of a job says whom it waits for, and leads to its place in Ranks', async () => {
  const page = await show(8)
  expect(page).toContain('From all ranks: Rank 0 waits 1.90 ms a step')
  expect(page).toContain('From all ranks: Mostly waiting, most for rank 5.')
  expect(asked[0]).toMatch(/view\/ranks\/in_job\?.*worker=w0/)
  go({ view: 'overview' })
  await act(() => document.querySelector('a')?.click())
  expect([at('view'), at('ranks.rank')]).toEqual(['ranks', '0'])
})

test('nothing is said before all ranks are read', async () => {
  expect(await show(8, { pending: 3 })).toBe('')
  render(null, document.body)
  forgetReplies()
  expect(await show(8, { told: { ...TOLD, worker: 'w1' } })).toBe('') // of the rank that was shown before
})

test('a profile alone, or beside dumps, asks nothing; of very many ranks it leads to Ranks instead of having all read', async () => {
  expect(await show(1)).toBe('')
  expect(await show(2, { isOfDumps: true })).toBe('')
  expect(await show(1024)).toContain('One of 1024 profiles of this run: whom it waits for tells Ranks.')
  expect(asked).toEqual([])
})

test('what all ranks tell stands where the profile cannot tell', async () => {
  const verdict = {
    bound: 'communication',
    share: 0.4,
    sentence: 'Communication, or waiting for another rank, is the limit.',
    of_ranks: "One rank's profile cannot tell which.",
    changes: [],
    doubts: [],
  } as const
  const body = document.createElement('main')
  await act(() => render(<VerdictLine verdict={verdict} inJob={undefined} />, body))
  expect(body.textContent).toBe(`${verdict.sentence} ${verdict.of_ranks}`)
  await act(() => render(<VerdictLine verdict={verdict} inJob={TOLD} />, body))
  expect(body.textContent).toBe(`${verdict.sentence} From all ranks: ${TOLD.communication}`)
  const change = {
    finding: 'late_ranks',
    lead: 'Change first',
    title: 'Find the rank that comes late',
    told: '(up to 2.00 ms)',
  }
  const alone = { ...verdict, of_ranks: null, changes: [change] }
  await act(() => render(<VerdictLine verdict={alone} inJob={undefined} />, body))
  expect(body.textContent).toContain('Change first: find the rank that comes late (up to 2.00 ms).')
  await act(() => render(<VerdictLine verdict={alone} inJob={TOLD} />, body))
  expect(body.textContent).toContain('Change first: make rank 5 come in time: the others wait for it (up to 2.00')
  await act(() => render(<VerdictLine verdict={{ ...verdict, of_ranks: null }} inJob={TOLD} />, body))
  expect(body.textContent).toBe(verdict.sentence)
})
