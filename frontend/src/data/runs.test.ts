/** The watch on the server: gone, or taking questions without an answer. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { LATE_MS, poll } from './request'
import { askOnce, runs, watchRuns } from './runs'

const REPLY = { runs: [{ name: 'a', opens: null, workers: [] }], scanning: false }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a server that takes a question and does not answer is told as such until it does', async () => {
  let answer = (): void => undefined
  vi.stubGlobal('fetch', () => new Promise((resolve) => (answer = () => resolve(Response.json(REPLY)))))
  const asked = askOnce()
  await vi.advanceTimersByTimeAsync(LATE_MS - 1)
  expect(runs.value.late).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect([runs.value.late, runs.value.gone]).toEqual([true, false])
  answer()
  await asked
  expect([runs.value.late, runs.value.returns, runs.value.reply?.runs.length]).toEqual([false, 0, 1])
})

test('a question without an answer has the server asked whether it answers at all, before its turn', async () => {
  const asked: string[] = []
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address)
    return asked.length > 1 ? new Promise(() => undefined) : Promise.resolve(Response.json(REPLY))
  })
  void watchRuns()
  await vi.advanceTimersByTimeAsync(0) // and the next time in ten seconds
  void poll('view/ranks', {}, () => Promise.resolve(0))
  await vi.advanceTimersByTimeAsync(LATE_MS)
  expect(asked.map((address) => address.split('v1/')[1])).toEqual(['runs', 'view/ranks', 'runs'])
  await vi.advanceTimersByTimeAsync(LATE_MS)
  expect(runs.value.late).toBe(true)
})
