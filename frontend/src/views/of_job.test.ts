/** Which job of a run the page asks about. */
import { expect, test, vi } from 'vitest'

import { askOnce } from '../data/runs'
import { go } from '../state/place'
import { ofShownJob } from './of_job'

const WORKERS = [
  ...['a', 'b'].map((name) => ({ name, label: name, opens: '2', in_ranks: '2', spans: [] })),
  { name: 'c', label: 'c', opens: '1', in_ranks: '2', spans: [] }, // its part of what the others have cannot be read
]

test('what a run opens with by itself names no job, as in the shell; any other profile, recording or choice does', async () => {
  vi.stubGlobal('innerHeight', 800)
  const reply = {
    scanning: false,
    runs: [
      { name: 'job', opens: 'a', workers: WORKERS },
      { name: 'less', opens: 'c', workers: WORKERS },
    ],
  }
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
  expect(asked('c', '3')).toEqual({ run: 'job', worker: 'c', span: '3' })
  expect(asked('c', '2')).toEqual({ run: 'job', worker: 'c' })
  expect(ofShownJob('less')).toEqual({ run: 'less' })
  go({ span: '3' })
  expect(ofShownJob('less')).toEqual({ run: 'less', worker: 'c', span: '3' })
  go({ span: '1' }) // what is shown by itself, and not what Ranks would show by itself: the picker names it
  expect(ofShownJob('less')).toEqual({ run: 'less', worker: 'c', span: '1' })
  go({ span: undefined })
  expect(ofShownJob('less')).toEqual({ run: 'less' })
  go({ 'ranks.job': '1' })
  expect(ofShownJob('less')).toEqual({ run: 'less', worker: 'c' })
  vi.unstubAllGlobals()
})
