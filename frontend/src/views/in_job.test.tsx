/** What the page says of one rank from all of them, and when it asks. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../data/kept'
import { askOnce } from '../data/runs'
import { go, at } from '../state/place'
import { InJobLine, useAdvice } from './in_job'
import { VerdictLine } from './verdict'

const PROFILE = { run: 'job', worker: 'w0', span: '1' }
const ALONE = {
  bound: 'communication',
  share: 0.4,
  sentence: 'Communication, or waiting for another rank, is the limit.',
  of_job: null,
  of_ranks: "One rank's profile cannot tell which.",
  changes: [],
  doubts: [],
} as const
const KNOWN = {
  ...ALONE,
  of_job: { rank: 0, sentence: 'Rank 0 waits 1.90 ms a step (11.0 % of it) for other ranks.' },
  of_ranks: 'Mostly waiting, most for rank 5.',
  changes: [
    { finding: 'late_ranks', lead: 'Change first', title: 'Make rank 5 come in time', told: '(about 1.00 ms)' },
    { finding: 'exposed_communication', lead: 'Then', title: 'Hide communication', told: '(up to 0.50 ms)' },
  ],
} as const
const asked: string[] = []

function Both({ profile }: { readonly profile: typeof PROFILE }) {
  const { value } = useAdvice(profile, {})
  const verdict = value?.result?.verdict
  return (
    <>
      <InJobLine profile={profile} told={verdict?.of_job} />
      {verdict !== undefined && <VerdictLine verdict={verdict} />}
    </>
  )
}

/** Of the job all but the profile itself is still read where it is `pending`. */
async function show(nWorkers: number, { isPending = false, isOfDumps = false, worker = 'w0' } = {}): Promise<string> {
  const spans = (nth: number) => [
    { name: '1', size_bytes: 1, files: [], state: 'ready', no_profile: isOfDumps && nth > 0 },
  ]
  const workers = Array.from({ length: nWorkers }, (_, nth) => ({
    name: `w${nth}`,
    opens: '1',
    in_ranks: '1',
    spans: spans(nth),
  }))
  const waiting = { state: 'loading', progress: 0.5, stage: '4 of 8 profiles have answered', seconds_left: null }
  vi.stubGlobal('fetch', (address: string) => {
    if (address.includes('/runs')) {
      const runs = [{ name: 'job', opens: 'w0', workers }]
      return Promise.resolve(new Response(JSON.stringify({ scanning: false, runs })))
    }
    asked.push(address)
    const isInJob = address.includes('in_job=true')
    const reply = { view: 'advice', missing: null, notes: [], result: { verdict: isInJob ? KNOWN : ALONE } }
    const isWaiting = isInJob && isPending
    return Promise.resolve(new Response(JSON.stringify(isWaiting ? waiting : reply), { status: isWaiting ? 202 : 200 }))
  })
  await askOnce()
  await act(() => render(<Both profile={{ ...PROFILE, worker }} />, document.body))
  await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  return document.body.textContent
}

afterEach(() => {
  render(null, document.body)
  forgetReplies()
  asked.length = 0
  vi.unstubAllGlobals()
})

test('a rank of a job says whom it waits for, leads to its place in Ranks, and names findings in the order of the server', async () => {
  const page = await show(8)
  expect(page).toBe(
    `From all ranks: ${KNOWN.of_job.sentence} See Ranks${KNOWN.sentence} ${KNOWN.of_ranks} ` +
      'Change first: make rank 5 come in time (about 1.00 ms). Then: hide communication (up to 0.50 ms).',
  )
  expect(asked.map((address) => address.includes('in_job=true'))).toEqual([false, true])
  go({ view: 'overview' })
  await act(() => document.querySelector('a')?.click())
  expect([at('view'), at('ranks.rank')]).toEqual(['ranks', '0'])
})

test('before all ranks are read, what the profile tells by itself is there', async () => {
  expect(await show(8, { isPending: true })).toBe(`${ALONE.sentence} ${ALONE.of_ranks}`)
})

test('of another rank nothing is shown that was told of the one before', async () => {
  expect(await show(8)).toContain('From all ranks')
  expect(await show(8, { isPending: true, worker: 'w1' })).toBe(`${ALONE.sentence} ${ALONE.of_ranks}`)
})

test('a profile alone, or beside dumps, asks no others; of very many ranks it leads to Ranks instead of having all read', async () => {
  const own = `${ALONE.sentence} ${ALONE.of_ranks}`
  expect(await show(1)).toBe(own)
  expect(await show(2, { isOfDumps: true })).toBe(own)
  expect(await show(1024)).toBe(`One of 1024 profiles of this run: whom it waits for tells Ranks.${own}`)
  expect(asked.some((address) => address.includes('in_job'))).toBe(false)
})
