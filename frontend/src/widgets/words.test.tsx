/** Texts behind "?" come once a view, when the first of them is drawn, and never stand in the way. */
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Definition } from './panel/popup'
import { askWordsOf, words } from './words'

const TEXTS = { wait: 'Waits in `ns`.', share: 'Of all.' }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  render(null, document.body)
  vi.useRealTimers()
})

const pass = (ms = 0): Promise<void> =>
  act(async () => {
    await vi.advanceTimersByTimeAsync(ms)
  })

test('keys become words, line by line, and what is no key stays as it is', async () => {
  const ask = vi.fn(() => Promise.resolve(TEXTS))
  askWordsOf(ask)
  expect(words('?ranks.wait')).toBe('…')
  expect(words('?ranks.wait\nMade here.\n?ranks.share')).toBe('…\nMade here.\n…')
  await pass()
  expect(words('?ranks.wait\nMade here.\n?ranks.share')).toBe('Waits in `ns`.\nMade here.\nOf all.')
  expect(words('?ranks.of_a_newer_page')).toBe('…')
  for (const text of ['', 'What is ?ranks.wait', '?ranks.wait.', 'slice.name']) expect(words(text)).toBe(text)
  expect(ask.mock.calls).toEqual([['ranks']])
})

test('a “?” asks when it is drawn, and what is open is filled in when the answer comes', async () => {
  const answers: ((texts: typeof TEXTS) => void)[] = []
  const ask = vi.fn(() => new Promise<typeof TEXTS>((resolve) => answers.push(resolve)))
  askWordsOf(ask)
  render(<Definition of="waiting" text="?ranks.wait" />, document.body)
  expect(ask).toHaveBeenCalledOnce()
  const box = document.querySelector('[popover]')
  await act(() => {
    box?.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'open' }))
  })
  expect(box?.textContent).toBe('waiting…')
  answers[0]?.(TEXTS)
  await pass()
  expect(box?.textContent).toBe('waitingWaits in ns.')
  expect(box?.querySelector('code')?.textContent).toBe('ns')
  expect(ask).toHaveBeenCalledOnce()
})

test('where there is no answer the reason is said, and drawn again it is asked again, not at each drawing', async () => {
  const ask = vi.fn(() => Promise.reject<typeof TEXTS>(new Error('The server does not answer.')))
  askWordsOf(ask)
  render(<Definition of="waiting" text="?ranks.wait" />, document.body)
  await pass()
  expect(words('?ranks.wait')).toBe('The server does not answer.')
  expect(ask).toHaveBeenCalledOnce()
  await pass(10_000)
  expect(ask).toHaveBeenCalledOnce()
  ask.mockImplementation(() => Promise.resolve(TEXTS))
  words('?ranks.wait')
  await pass()
  expect(words('?ranks.wait')).toBe('Waits in `ns`.')
  expect(ask).toHaveBeenCalledTimes(2)
})
