import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { sendTo } from './perfetto'

const ORIGIN = 'https://ui.perfetto.dev'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function answer(page: Window, origin: string, data: unknown = 'PONG'): void {
  window.dispatchEvent(new MessageEvent('message', { source: page, origin, data }))
}

test('the file is sent once Perfetto answers, and to nobody else', async () => {
  const postMessage = vi.fn()
  const page = { closed: false, postMessage } as unknown as Window
  const buffer = new ArrayBuffer(3)
  const sent = sendTo(page, 'a profile', buffer)
  vi.advanceTimersByTime(250)
  expect(postMessage.mock.calls).toEqual([
    ['PING', ORIGIN],
    ['PING', ORIGIN],
  ])
  answer(page, 'https://elsewhere.example')
  answer(page, ORIGIN, 'something else')
  expect(postMessage).toHaveBeenCalledTimes(2)
  answer(page, ORIGIN)
  await sent
  expect(postMessage.mock.calls.at(-1)).toEqual([{ perfetto: { buffer, title: 'a profile' } }, ORIGIN])
  vi.advanceTimersByTime(1000)
  expect(postMessage).toHaveBeenCalledTimes(3)
})

test('a page that is closed, or out of reach, leads to the file', async () => {
  const page = { closed: false, postMessage: vi.fn() }
  const sent = sendTo(page as unknown as Window, '', new ArrayBuffer(0))
  page.closed = true
  const refused = expect(sent).rejects.toThrow('save the file')
  vi.advanceTimersByTime(100)
  await refused
})
