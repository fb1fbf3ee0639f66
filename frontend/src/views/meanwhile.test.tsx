/** What is said while somebody waits, over a made-up server. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

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
  expect(firstLine()).toBe('overview: looking for <b>lines</b> (part 14) 3 s')
  working.seconds = 4.1
  await act(async () => {
    await vi.advanceTimersByTimeAsync(600)
  })
  expect(firstLine()).toContain('4 s')
  await act(() => document.querySelector<HTMLButtonElement>('.notice button')?.click())
  expect(sent.mock.calls.at(-1)?.[0]).toContain('api/v1/cancel?run=r&worker=w&span=1')
})
