/** Which job of a run the page asks about. */
import { expect, test, vi } from 'vitest'

import { askOnce } from '../data/runs'
import { go } from '../state/place'
import { ofShownJob } from './of_job'

const WORKERS = [
  ...['a', 'b'].map((name) => ({ name, label: name, opens: '2', in_ranks: '2', spans: [] })),
  { name: 'c', label: 'c', opens: '1', in_ranks: '2', spans: [] }, // its part of what the others have cannot be read
]

test('the profile in the bar names the job, and its recording where Ranks shows another one by itself', async () => {
  vi.stubGlobal('innerHeight', 800)
  const reply = { scanning: false, runs: [{ name: 'job', opens: 'a', workers: WORKERS }] }
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(reply))))
  await askOnce()
  const asked = (worker: string, span?: string) => {
    go({ worker, span })
    return ofShownJob('job')
  }
  expect(asked('a', '2')).toEqual({ run: 'job', worker: 'a' })
  expect(asked('b', '2')).toEqual({ run: 'job', worker: 'b' })
  expect(asked('a', '1')).toEqual({ run: 'job', worker: 'a', span: '1' })
  expect(asked('c', '2')).toEqual({ run: 'job', worker: 'c' })
  expect(asked('c', '3')).toEqual({ run: 'job', worker: 'c', span: '3' })
  // What is shown by itself, and not what Ranks would show by itself.
  expect(asked('c', '1')).toEqual({ run: 'job', worker: 'c', span: '1' })
  vi.unstubAllGlobals()
})
