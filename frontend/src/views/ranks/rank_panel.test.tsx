/** A rank beside the tables, over replies of a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { forgetReplies } from '../../data/kept'
import { go } from '../../state/place'
import type { JointReply, OneRank, RanksWhatIf } from '../../wire/wire'
import { RankPanel } from './rank_panel'

const RANK: OneRank = {
  ...{ run: 'job', rank: 3, worker: 'rank3', span: '1', host: null, peers: '0-2', peer: 0 },
  ...{ peer_worker: 'rank0', peer_span: '1', sentences: [], steps: [], parts: [], dimensions: [] },
  ...{ waits_for: [], kernels: [] },
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  render(null, document.body)
  vi.useRealTimers()
  vi.unstubAllGlobals()
  forgetReplies()
  go({ 'ranks.rank': undefined })
})

async function shown(least: number | null, most: number | null): Promise<string> {
  const change = most === null ? null : most - 20e6
  const row = { edit: 'rank=3', was_ns: 20e6, would_be_least_ns: least, would_be_ns: most, change_ns: change }
  const whatIf: RanksWhatIf = { run: 'job', reason: null, notes: [], rows: [row] }
  const reply = <R,>(result: R): JointReply<R> => ({ n_members: 4, n_pending: 0, n_failed: 0, result })
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(new Response(JSON.stringify(reply(address.includes('what_if') ? whatIf : RANK)))),
  )
  go({ 'ranks.rank': '3' })
  await act(() => render(<RankPanel run="job" />, document.body))
  // The rank first, then what it is asked with.
  for (let asked = 0; asked < 2; asked++)
    await act(async () => {
      await vi.advanceTimersByTimeAsync(0)
    })
  return document.body.textContent
}

test('a step like its peers is a range where something is not told apart, and one figure else', async () => {
  expect(await shown(16.1e6, 17.7e6)).toContain('would take 16.1 ms to 17.7 ms instead of 20.0 ms (−2.30 ms).')
  forgetReplies()
  render(null, document.body)
  expect(await shown(16.1e6, 16.1e6)).toContain('would take about 16.1 ms instead of 20.0 ms (−3.90 ms).')
})

test('what cannot be told is not said', async () => {
  expect(await shown(null, null)).not.toContain('Like its peers')
})
