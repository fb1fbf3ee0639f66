/** Which job of a run the page asks about. */
import { expect, test, vi } from 'vitest'

import { askOnce } from '../data/runs'
import { go } from '../state/place'
import { ofShownJob } from './of_job'

const WORKERS = ['a', 'b'].map((name) => ({ name, label: name, opens: '2', spans: [] }))

test('what a run opens with by itself names no job, as in the shell; any other profile, recording or choice does', async () => {
  vi.stubGlobal('innerHeight', 800)
  const reply = { scanning: false, runs: [{ name: 'job', opens: 'a', workers: WORKERS }] }
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(reply))))
  await askOnce()
  const asked = (worker: string, span: string, job?: string) => {
    go({ worker, span, 'ranks.job': job })
    return ofShownJob('job')
  }
  expect(asked('a', '2')).toEqual({ run: 'job' })
  expect(asked('b', '2')).toEqual({ run: 'job', worker: 'b' })
  expect(asked('a', '1')).toEqual({ run: 'job', worker: 'a', span: '1' })
  expect(asked('a', '2', '1')).toEqual({ run: 'job', worker: 'a' })
  vi.unstubAllGlobals()
})
